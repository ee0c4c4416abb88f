"""A desktop elsewhere, by real VNC servers."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from tapwright.actions import (
    Drag,
    Goto,
    Hotkey,
    OpenApp,
    PressKey,
    Scroll,
    Tap,
    TypeText,
)
from tapwright.devices import devices
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.vnc import VncDesktop, open_vnc
from tapwright.devices.device import ClipboardDevice, KeyedDevice, LiveDevice
from tapwright.devices.errors import VncServerError
from tapwright.errors import DeviceError, DeviceLostError, UnsupportedActionError
from tapwright.geometry import Point, Size
from tapwright.observation import Observation
from tapwright.testing import check_device
from tests.devices.desktop.far import PASSWORD, free_port, tigervnc, x11vnc
from tests.devices.desktop.looking import LIMIT_S, editor, find, wait_for, wait_for_text, words

# Of other scripts x11vnc may lose letters on a busy machine: it binds a key for each as it comes.
TEXT = "Hello, World! (2)\nand a second line"


POINTER_PX = 600


def same(one: Observation, other: Observation) -> bool:
    """Whether they show the same but for the pointer, which the far picture has not."""
    pixels = [np.asarray(seen.screenshot.image().convert("RGB")) for seen in (one, other)]
    return int((pixels[0] != pixels[1]).any(axis=2).sum()) < POINTER_PX


def open_at(port: int) -> VncDesktop:
    return open_vnc(f"vnc://127.0.0.1:{port}", password=PASSWORD)


def test_what_is_done_there_is_done_on_the_far_desktop(desktop: Desktop) -> None:
    desktop.perform(OpenApp(app="Mousepad"))
    at = editor(desktop).box
    assert at is not None
    with x11vnc(desktop) as port, open_at(port) as far:
        far.perform(Tap(at=at.center))
        far.perform(TypeText(text=TEXT))
        wait_for_text(desktop, TEXT)
        far.perform(TypeText(text="new", at=at.center, clear=True))
        wait_for_text(desktop, "new")
        far.perform(Tap(at=at.center, button="right"))
        find(desktop, "Paste", "MenuItem")
        far.perform(PressKey(key="escape"))
        wait_for(desktop, lambda seen: "Paste" not in words(seen), "the menu is still there")
        far.perform(Drag(start=Point(at.left + 0.0005, at.top + 0.01), end=at.center))
        far.perform(PressKey(key="delete"))
        wait_for_text(desktop, "")


def test_its_picture_is_that_of_the_screen(desktop: Desktop) -> None:
    desktop.perform(OpenApp(app="galculator"))
    find(desktop, "7")
    with x11vnc(desktop) as port, open_at(port) as far:
        wait_for(
            desktop,
            lambda seen: same(far.observe(), seen),
            "the pictures differ",
        )
        assert far.observe().ui_tree is None
        desktop.perform(OpenApp(app="Mousepad"))
        wait_for(
            desktop,
            lambda seen: same(far.observe(), seen),
            "the pictures differ",
        )


def test_it_keeps_the_laws_of_devices(tmp_path: Path) -> None:
    with tigervnc(tmp_path) as (port, _):
        check_device(open_at(port))


def test_it_has_what_recorders_ask_for(tmp_path: Path) -> None:
    with tigervnc(tmp_path) as (port, _), open_at(port) as far:
        assert isinstance(far, ClipboardDevice)
        assert isinstance(far, KeyedDevice)
        assert isinstance(far, LiveDevice)
        far.set_clipboard("é")
        with pytest.raises(DeviceError, match="Latin-1"):
            far.set_clipboard("你")
        with pytest.raises(UnsupportedActionError):
            far.perform(OpenApp(app="x"))
        with pytest.raises(UnsupportedActionError):
            far.perform(Goto(url="http://127.0.0.1/"))
        with pytest.raises(DeviceError, match="no state"):
            far.reset(state={"files.a": "b"})
        far.perform(Scroll(at=Point(0.5, 0.5), dy=1.0))
        far.perform(Hotkey(keys=("ctrl", "a")))


def test_a_screen_that_changes_its_size_is_followed(tmp_path: Path) -> None:
    with tigervnc(tmp_path, size="800x600") as (port, environment), open_at(port) as far:
        assert far.observe().size == Size(800, 600)
        argv = ["xrandr", "--output", "VNC-0", "--mode", "640x480"]
        subprocess.run(argv, env=environment, check=True, timeout=LIMIT_S)
        for _ in range(100):
            if far.observe().size == Size(640, 480):
                break
        assert far.observe().size == Size(640, 480)


@pytest.mark.parametrize(("password", "told"), [("", "asks for a password"), ("no", "not let us")])
def test_a_wrong_password_is_told_and_not_shown(tmp_path: Path, password: str, told: str) -> None:
    with tigervnc(tmp_path) as (port, _), pytest.raises(VncServerError, match=told) as caught:
        open_vnc(f"vnc://127.0.0.1:{port}", password=password)
    assert "TAPWRIGHT_VNC_PASSWORD" in caught.value.hint


def test_a_server_that_ends_is_lost_and_a_reset_finds_the_next(tmp_path: Path) -> None:
    with tigervnc(tmp_path) as (port, _):
        far = open_at(port)
        far.observe()
    try:
        with pytest.raises(DeviceLostError, match="is gone"):
            far.observe()
        with pytest.raises(VncServerError, match="no VNC server"):
            far.reset()
    finally:
        far.close()


@pytest.mark.parametrize(
    "argument", ["vnc:", "vnc://", "vnc://host:x", "vnc://host/1", "vnc://user:secret@host"]
)
def test_an_address_that_is_none_is_refused(argument: str) -> None:
    with pytest.raises(DeviceError) as caught:
        devices.get("desktop")(argument)
    assert "secret" not in str(caught.value)


def test_no_server_is_told_with_how_to_reach_one() -> None:
    with pytest.raises(VncServerError, match="no VNC server can be reached") as caught:
        devices.get("desktop")(f"vnc://127.0.0.1:{free_port()}")
    assert "ssh" in caught.value.hint
