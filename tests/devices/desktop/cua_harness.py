"""Drives the device `desktop` by a third party's harness, and writes what it found as JSON.

cua-auto-harness 0.5.0 (PyPI): a window and a tap at the X server that write down what arrives, and
100 entries of clicks, drags, keys, wheel and text, each with what must. It looks after its window
by xdotool, in whose place the device's own window manager is asked here.
Run: PYTHONPATH=SITE-PACKAGES-OF-THE-HARNESS python -m tests.devices.desktop.cua_harness OUT [TIMES]
"""

import json
import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point, Size, from_pixel
from tapwright.devices.desktop.device import Desktop

_SIZE = Size(1920, 1080)
_NOTCHES = 10
_CLICKS: dict[int, type[actions.Tap | actions.DoubleTap | actions.TripleTap]] = {
    1: actions.Tap,
    2: actions.DoubleTap,
    3: actions.TripleTap,
}
_FOCUSED_S = 5.0


def as_action(asked: Any) -> Action:
    """The action that an entry of the harness asks for."""
    if asked.kind == "type_text":
        return actions.TypeText(text=asked.text)
    if asked.kind == "key_chord":
        return actions.Hotkey(keys=tuple(asked.keys))
    if asked.kind == "drag":
        places = [_at(x, y) for x, y in asked.path]
        return actions.Drag(
            start=places[0], end=places[-1], path=tuple(places[1:-1]), button=asked.button,
            held=tuple(asked.modifiers), duration_s=max(0.3, asked.step_delay_ms / 1000),
        )  # fmt: skip
    at = _at(asked.x, asked.y)
    match asked.kind:
        case "click":
            held = tuple(asked.modifiers)
            return _CLICKS[asked.count](at=at, button=asked.button, held=held)
        case "button_press":
            return actions.ButtonDown(at=at, button=asked.button)
        case "button_release":
            return actions.ButtonUp(at=at, button=asked.button)
        case "scroll":
            dx, dy = asked.dx_ticks / _NOTCHES, asked.dy_ticks / _NOTCHES
            return actions.Scroll(at=at, dx=dx, dy=dy, held=tuple(asked.modifiers))
        case _:
            return actions.Hover(at=at)


def _at(x: int, y: int) -> Point:
    return from_pixel(x, y, _SIZE)


class Binding:
    """The six things that the harness wants of a system under test."""

    probe_capabilities = frozenset({"pointer", "wheel", "keyboard", "text"})
    supports_raw_tap = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.guest_display = ""

    def boot(self) -> None:
        """Start the desktop; its programs get this Python, which has Tk and Xlib."""
        self._desktop = Desktop(_SIZE)
        python = self._folder / "python3"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        session = dict(self._desktop.machine.session.environment)
        path = session.get("PATH", os.environ["PATH"])
        self._environment = {**session, "PATH": f"{self._folder}:{path}"}
        self.guest_display = session["DISPLAY"]

    def exec(self, cmd: str, timeout: int = 120) -> tuple[int, str]:
        """Run a command beside the desktop's programs, but for what ends or finds windows."""
        if "pkill" in cmd:
            return 0, ""
        if "windowactivate" in cmd:
            return self._focus(), ""
        done = subprocess.run(
            ["/bin/bash", "-c", cmd], env=self._environment, capture_output=True, text=True,
            timeout=timeout, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def copy_in(self, local_path: str, guest_path: str) -> None:
        """Put a file where the programs find it, which is here."""
        Path(guest_path).write_bytes(Path(local_path).read_bytes())

    def supports(self, action: Any) -> None:
        """All of it."""

    def inject(self, action: Any) -> None:
        """Do what an entry asks."""
        self._desktop.perform(as_action(action))

    def screenshot(self, dst_path: str) -> None:
        """Take a picture."""
        Path(dst_path).write_bytes(self._desktop.observe().screenshot.data)

    def teardown(self) -> None:
        """End the desktop."""
        self._desktop.close()

    def _focus(self) -> int:
        """Bring the window back that a chord hid or left, and wait until it has the keys."""
        windows = self._desktop.machine.windows
        for number, _ in windows.clients():
            windows.activate(number)
            until = time.monotonic() + _FOCUSED_S
            while windows.active() != number and time.monotonic() < until:
                time.sleep(0.02)
        time.sleep(0.2)
        return 0


def main(out: Path, times: int) -> None:
    """Run all entries `times` times."""
    harness = import_module("autoharness")
    catalog = Path(str(harness.__file__)).parent / "catalogs" / "runner"
    adapter = import_module("autoharness.backend").GenericProbeAdapter(Binding(out))
    entries = import_module("autoharness.contracts").load_catalog(catalog)
    run = import_module("autoharness.driver").run_catalog
    report = run(adapter, entries, out / "run", reps_override=times)
    told = {name: report[name] for name in ("totals", "entries", "not_measurable")}
    sys.stdout.write(f"\n{json.dumps(told)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
