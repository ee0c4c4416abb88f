"""Commands in a served desktop: run with its display, its bus and its home, as its user would.

The VM's home is /home/user, which tasks write out. In a served desktop it lies elsewhere, so that
path stands for the desktop's own home in every command and file name, and its own is told as it.
`python` and `python3` run the Python that serves, with a `pyautogui` and a `pyperclip` that use the
desktop's own mouse, keyboard and clipboard; `python -c` as a command of its own, as each action of
an agent is, runs in a fork of one that has started. `google-chrome` starts Debian's Chromium, whose
process is called chrome, with its profile where Chrome has it; `pkill` and `killall` end programs
of this desktop alone.
"""

import os
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import RLock
from uuid import uuid4

from tapwright.devices.desktop.device import Desktop
from tapwright.devices.osworld.warm import ForkServer

__all__ = ["GUEST_HOME", "CommandResult", "Commands", "associations"]

_FOLDERS = (Path("/usr/share/applications"), Path("/usr/local/share/applications"))


@cache
def associations() -> str:
    """The text of a mimeapps.list; "" where the machine has its own cache."""
    if any((folder / "mimeinfo.cache").is_file() for folder in _FOLDERS):
        return ""
    entries = sorted(
        (entry for folder in _FOLDERS for entry in _entries(folder)),
        key=lambda entry: (-len(entry[1]), entry[0]),
    )
    made_for = {kind: name for name, kinds in entries for kind in kinds}
    lines = [f"{kind}={name}" for kind, name in sorted(made_for.items())]
    return "\n".join(["[Default Applications]", *lines, ""])


def _entries(folder: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The applications in a folder that say what they open: their entry's name, and the kinds."""
    for path in sorted(folder.glob("*.desktop")):
        parser = ConfigParser(
            interpolation=None, delimiters=("=",), comment_prefixes=("#",), strict=False
        )
        try:
            parser.read_string(path.read_text("utf-8"))
            entry = parser["Desktop Entry"]
        except (OSError, ValueError, KeyError, ConfigError):
            continue  # a menu leaves out what it cannot read, too
        kinds = tuple(kind for kind in entry.get("MimeType", "").split(";") if kind)
        if kinds:
            yield path.name, kinds


GUEST_HOME = "/home/user"
_IN_GUEST_HOME = re.compile(rf"{GUEST_HOME}(?![\w.-])", re.ASCII)
_PROGRAMS = Path(__file__).with_name("programs")
# What Debian's script starts; it may be called otherwise, as tasks end Chrome by its name.
_CHROMIUM = Path("/usr/lib/chromium/chromium")
_PYTHONS = ("python", "python3")
_MAX_OUTPUT = 8 << 20
_LOOK_S = 0.01
# $0 is where its output goes, which the keeper would put into one file.
_KEEP_OUTPUT = 'exec "$@" >"$0.out" 2>"$0.err"'
# Tasks end applications by name, of which the machine may have others than this desktop's.
_END_BY_NAME = _PROGRAMS / "end_by_name.sh"


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command printed, and what it ended with; None if it was killed for taking too long."""

    output: str
    error: str
    status: int | None


class Commands:
    """Runs commands in a desktop; `lock` is held by whoever uses the desktop, never while waiting.

    `input_address` is where the programs' mouse and keyboard are: "HOST:PORT#TOKEN".
    """

    def __init__(self, desktop: Desktop, lock: RLock, input_address: Callable[[], str]) -> None:
        self._desktop, self._lock, self._input = desktop, lock, input_address
        server = [sys.executable, str(_PROGRAMS / "fork_server.py")]
        self._python = ForkServer(desktop, lock, server, self._environment)

    @property
    def home(self) -> Path:
        """The home of the desktop's user."""
        return self._desktop.machine.session.home.path

    def path(self, name: str) -> Path:
        """The file that a name stands for, in the desktop's home if it is relative.

        `~`, $HOME and other variables of the desktop's environment are expanded.
        """
        environment = self._desktop.machine.session.environment
        text = re.sub(
            r"\$(\w+|\{\w+\})", lambda found: environment.get(found[1].strip("{}"), found[0]), name
        )
        if text == "~" or text.startswith("~/"):
            text = f"{self.home}{text[1:]}"
        return self.home / self.inward(text)

    def inward(self, text: str) -> str:
        """A text with the desktop's home for the VM's."""
        return _IN_GUEST_HOME.sub(lambda _: str(self.home), text)

    def outward(self, text: str) -> str:
        """A text with the VM's home for the desktop's."""
        return text.replace(str(self.home), GUEST_HOME)

    def argv(self, command: str | Sequence[str], *, shell: bool) -> list[str]:
        """The program and its arguments, as the VM's server takes a command apart.

        Raises:
            ValueError: a quotation mark has no end, or there is no command.
        """
        listed = [command] if isinstance(command, str) and shell else command
        words = shlex.split(listed) if isinstance(listed, str) else [*listed]
        if not words or not words[0]:
            raise ValueError("no command")
        words = [
            f"{self.home}{word[1:]}" if word.startswith("~/") else self.inward(word)
            for word in words
        ]
        return ["/bin/bash", "-c", *words] if shell else words

    def launch(self, argv: Sequence[str]) -> int:
        """Start a program and let it run; returns its process's id."""
        with self._lock:
            machine = self._desktop.machine
            return machine.children.start(
                ["/bin/sh", "-c", 'exec "$@"', "sh", *argv],
                environment=self._environment(),
                folder=self.home,
                log=machine.session.home.runtime / "launched.log",
            )

    def run(
        self, argv: Sequence[str], *, limit_s: float, folder: Path | None = None
    ) -> CommandResult:
        """Run a program to its end, or kill it with all that it started after `limit_s`."""
        with self._lock:
            base = self._desktop.machine.session.home.runtime / f"command-{uuid4().hex}"
            place = folder or self.home
        out, err = base.with_name(base.name + ".out"), base.with_name(base.name + ".err")
        if argv[0] in _PYTHONS and argv[1:2] == ["-c"] and len(argv) > 2:
            status = self._python.run(
                argv[2], argv[3:], folder=place, out=out, err=err, limit_s=limit_s, kill=self._kill
            )
        else:
            status = self._run(argv, place, base, limit_s)
        return CommandResult(self.outward(_take(out)), self.outward(_take(err)), status)

    def warm(self) -> None:
        """Start the Python that runs code, and do not wait for it."""
        self._python.start()

    def _run(self, argv: Sequence[str], folder: Path, base: Path, limit_s: float) -> int | None:
        with self._lock:
            pid = self._desktop.machine.children.start(
                ["/bin/sh", "-c", _KEEP_OUTPUT, str(base), *argv],
                environment=self._environment(),
                folder=folder,
                log=Path(os.devnull),
            )
        until = time.monotonic() + limit_s
        while (status := self._status(pid)) is None and time.monotonic() < until:
            time.sleep(_LOOK_S)
        if status is None:
            self._kill(pid)
        return status

    def _status(self, pid: int) -> int | None:
        with self._lock:
            return self._desktop.machine.children.status(pid)

    def _kill(self, pid: int) -> None:
        with self._lock:
            family = self._desktop.machine.children.family(pid)
        for one in {pid, *family}:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    def _environment(self) -> dict[str, str]:
        session = self._desktop.machine.session
        programs = session.home.runtime / "programs"
        if not programs.is_dir():
            programs.mkdir()
            known = session.home.path / ".config/mimeapps.list"
            if not known.exists():
                known.write_text(associations(), encoding="utf-8")
            for name in _PYTHONS:
                _write_program(programs / name, [sys.executable])
            for name in ("pkill", "killall"):
                _write_program(programs / name, ["/bin/sh", str(_END_BY_NAME), name])
            chromium = shutil.which("chromium", path=session.environment["PATH"])
            if chromium is not None:
                (programs / "chrome").symlink_to(_CHROMIUM if _CHROMIUM.exists() else chromium)
                argv = [
                    str(programs / "chrome"), "--no-first-run", "--password-store=basic",
                    f"--user-data-dir={session.home.path}/.config/google-chrome",
                    *(["--no-sandbox"] if os.getuid() == 0 else []),
                ]  # fmt: skip
                for name in ("google-chrome", "google-chrome-stable", "chromium-browser"):
                    _write_program(programs / name, argv)
        return {
            **session.environment,
            "PATH": f"{programs}:{session.environment['PATH']}",
            "PYTHONPATH": str(_PROGRAMS),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TAPWRIGHT_INPUT": self._input(),
        }


def _write_program(path: Path, argv: Sequence[str]) -> None:
    path.write_text(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n', encoding="utf-8")
    path.chmod(0o700)


def _take(path: Path) -> str:
    """What a file holds, at most its first 8 MB; it is deleted."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_OUTPUT)
        path.unlink()
    except FileNotFoundError:
        return ""
    return data.decode("utf-8", "replace")
