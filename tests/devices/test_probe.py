"""Held keys, buttons and paths on a page of ours, on each kind of computer."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

from tapwright.core.actions import ButtonDown, KeyDown
from tapwright.core.geometry import Point, Size
from tapwright.devices.chromium import DEBIAN_CHROMIUM
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.vnc import open_vnc
from tapwright.devices.device import Device, let_go
from tapwright.devices.osworld.device import open_osworld
from tapwright.devices.osworld.server import OsWorldServer
from tapwright.devices.web.device import WebDevice
from tapwright.devices.web.network import Network
from tapwright.devices.webdriver.device import open_webdriver
from tapwright.errors import UnsupportedActionError
from tests.devices.desktop.far import PASSWORD, x11vnc
from tests.devices.desktop.installed import need_desktop
from tests.devices.probe import CASES, Probe, of
from tests.devices.webdriver.programs import chrome_options, chromedriver

pytestmark = [pytest.mark.slow, pytest.mark.long]

Open = Callable[[str, Path], AbstractContextManager[Device]]

REFUSED = {
    "vnc": {"the back button": "no back button", "the forward button": "no forward button"},
    "osworld": {"the back button": "no back button", "the forward button": "no forward button",
                "keys of the keypad": "no key 'keypad_enter'"},
    "webdriver": {"caps lock": "no key 'caps_lock'", "f13": "no key 'f13'"},
}  # fmt: skip
"""What a protocol has no way to say, and in which words it is refused."""

UNTOLD = {"vnc": {"f13"}}
"""What x11vnc gives a key of its own choice, whose place Chromium does not know."""


@contextmanager
def _web(url: str, folder: Path) -> Iterator[Device]:
    with WebDevice(url, network=Network(("127.0.0.1",)), timeout_s=60.0) as device:
        yield device


@contextmanager
def _webdriver(url: str, folder: Path) -> Iterator[Device]:
    file = folder / "caps.json"
    file.write_text(json.dumps(chrome_options()))
    with chromedriver() as server, open_webdriver(f"{server},{file},start={url}") as device:
        yield device


@contextmanager
def _desktop(url: str, folder: Path) -> Iterator[Desktop]:
    need_desktop()
    with Desktop(Size(1280, 800)) as desktop:
        desktop.machine.session.start(
            [str(DEBIAN_CHROMIUM), "--no-sandbox", "--kiosk", "--no-first-run",
             "--password-store=basic", f"--user-data-dir={folder}", url]
        )  # fmt: skip
        yield desktop


@contextmanager
def _vnc(url: str, folder: Path) -> Iterator[Device]:
    with (
        _desktop(url, folder) as desktop,
        x11vnc(desktop) as port,
        open_vnc(f"vnc://127.0.0.1:{port}", password=PASSWORD) as device,
    ):
        yield device


@contextmanager
def _osworld(url: str, folder: Path) -> Iterator[Device]:
    with (
        _desktop(url, folder) as desktop,
        OsWorldServer(desktop) as server,
        open_osworld(server.url) as device,
    ):
        yield device


OPEN: dict[str, Open] = {
    "web": _web,
    "webdriver": _webdriver,
    "desktop": _desktop,
    "vnc": _vnc,
    "osworld": _osworld,
}


@pytest.mark.parametrize("kind", OPEN)
def test_what_a_hand_does_arrives(kind: str, tmp_path: Path) -> None:
    with ExitStack() as opened:
        probe = opened.enter_context(Probe().serving())
        device = opened.enter_context(OPEN[kind](probe.url, tmp_path))
        probe.await_page(device)
        refused = REFUSED.get(kind, {})
        wrong: dict[str, object] = {}
        for name, (actions, arrived) in CASES.items():
            try:
                for action in actions:
                    device.perform(action)
            except UnsupportedActionError as error:
                if refused.get(name, "never") not in str(error):
                    wrong[name] = str(error)
                probe.rest()
                continue
            seen = probe.rest()
            if name in refused or not (arrived(seen) or name in UNTOLD.get(kind, ())):
                wrong[name] = [(one["kind"], one["detail"], one["held"]) for one in seen]
        assert not wrong

        device.perform(KeyDown(key="shift"))
        device.perform(ButtonDown(at=Point(0.5, 0.5)))
        assert let_go(device) == ("shift", "the left button")
        seen = probe.rest()
        assert of(seen, "keyup", key="Shift")
        assert of(seen, "mouseup", button=0)
