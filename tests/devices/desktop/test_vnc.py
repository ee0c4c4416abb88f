"""A desktop elsewhere, by real VNC servers."""

import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from tapwright.core import actions
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.devices import devices
from tapwright.devices.desktop import vnc_keyboard
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.vnc import VncDesktop, open_vnc
from tapwright.devices.device import ClipboardDevice, KeyedDevice, LiveDevice
from tapwright.devices.errors import VncServerError
from tapwright.errors import DeviceError, DeviceLostError, UnsupportedActionError, UsageError
from tapwright.testing import check_device
from tests.devices.desktop.far import PASSWORD, free_port, running, tigervnc, x11vnc
from tests.devices.desktop.looking import LIMIT_S, editor, find, wait_for, wait_for_text, words

TEXT = "Hello, Wörld! (2)\n你好 世界 привет 🙂"
MANY = "".join(chr(code) for code in range(0x4E00, 0x4EA0))

POINTER_PX = 600


def same(one: Observation, other: Observation) -> bool:
    """Whether they show the same but for the pointer, which the far picture has not."""
    pixels = [np.asarray(seen.screenshot.image().convert("RGB")) for seen in (one, other)]
    return int((pixels[0] != pixels[1]).any(axis=2).sum()) < POINTER_PX


def is_white(seen: Observation, pixel: tuple[int, int]) -> bool:
    return seen.screenshot.image().convert("RGB").getpixel(pixel) == (255, 255, 255)


def open_at(port: int) -> VncDesktop:
    return open_vnc(f"vnc://127.0.0.1:{port}", password=PASSWORD)


@pytest.mark.slow
@pytest.mark.long
def test_what_is_done_there_is_done_on_the_far_desktop(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="Mousepad"))
    desktop.perform(actions.TypeText(text=MANY))
    desktop.reset()  # and the keys are free that were bound to those
    desktop.perform(actions.OpenApp(app="Mousepad"))
    at = editor(desktop).box
    assert at is not None
    with x11vnc(desktop) as port, open_at(port) as far:
        far.perform(actions.Tap(at=at.center))
        far.perform(actions.TypeText(text="old"))
        far.perform(actions.TypeText(text=TEXT, at=at.center, clear=True))
        wait_for_text(desktop, TEXT)
        far.perform(actions.Tap(at=at.center, button="right"))
        find(desktop, "Paste", "MenuItem")
        far.perform(actions.PressKey(key="escape"))
        wait_for(desktop, lambda seen: "Paste" not in words(seen), "the menu is still there")
        far.perform(actions.Drag(start=Point(at.left + 0.0005, at.top + 0.01), end=at.center))
        far.perform(actions.PressKey(key="delete"))
        with pytest.raises(DeviceError, match="holds ASCII alone, and not 'é'"):
            far.set_clipboard("é")
        with pytest.raises(UnsupportedActionError, match="has no keys for 'more") as caught:
            far.perform(actions.TypeText(text="more" + MANY))
        assert "start x11vnc again and open the device again" in caught.value.hint
        wait_for_text(desktop, "")


@pytest.mark.slow
def test_its_picture_is_that_of_the_screen(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="galculator"))
    find(desktop, "7")
    with x11vnc(desktop) as port, open_at(port) as far:
        wait_for(
            desktop,
            lambda seen: same(far.observe(), seen),
            "the pictures differ",
        )
        assert far.observe().ui_tree is None
        desktop.perform(actions.OpenApp(app="Mousepad"))
        wait_for(
            desktop,
            lambda seen: same(far.observe(), seen),
            "the pictures differ",
        )


@pytest.mark.slow
def test_it_keeps_the_laws_of_devices(tmp_path: Path) -> None:
    with tigervnc(tmp_path) as (port, _):
        check_device(open_at(port))


def test_it_has_what_recorders_ask_for(tmp_path: Path) -> None:
    with tigervnc(tmp_path) as (port, _), open_at(port) as far:
        assert isinstance(far, ClipboardDevice)
        assert isinstance(far, KeyedDevice)
        assert isinstance(far, LiveDevice)
        with pytest.raises(UnsupportedActionError):
            far.perform(actions.OpenApp(app="x"))
        with pytest.raises(UnsupportedActionError):
            far.perform(actions.Goto(url="http://127.0.0.1/"))
        with pytest.raises(DeviceError, match="no state"):
            far.reset(state={"files.a": "b"})
        far.perform(actions.Scroll(at=Point(0.5, 0.5), dy=1.0))
        far.perform(actions.Hotkey(keys=("ctrl", "a")))


@pytest.mark.slow
def test_a_text_with_more_characters_than_keys_is_pasted(desktop: Desktop, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.touch()
    with tigervnc(tmp_path) as (port, environment), open_at(port) as far:
        environment |= {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
        argv = ["openbox", "--startup", f"dbus-run-session mousepad {note}"]
        with running(argv, environment):
            until = time.monotonic() + LIMIT_S
            while not is_white(far.observe(), (320, 300)):
                assert time.monotonic() < until
            for text in ("Wörld 🙂\n", MANY + "\nand\t", "done ö"):
                far.perform(actions.TypeText(text=text))
            while note.read_text("utf-8").rstrip("\n") != "Wörld 🙂\n" + MANY + "\nand\tdone ö":
                assert time.monotonic() < until, note.read_text("utf-8")
                far.perform(actions.Hotkey(keys=("ctrl", "s")))
                far.observe()


def test_what_nothing_pastes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vnc_keyboard, "_TAKEN_S", 0.1)
    with (
        tigervnc(tmp_path) as (port, _),
        open_at(port) as far,
        pytest.raises(UnsupportedActionError, match="nothing there asked for the text"),
    ):
        far.perform(actions.TypeText(text=MANY))


def test_the_clipboard_holds_any_text_where_the_server_can(
    desktop: Desktop, tmp_path: Path
) -> None:
    with tigervnc(tmp_path) as (port, environment), open_at(port) as far:
        xclip = ["xclip", "-selection", "clipboard", "-t", "UTF8_STRING"]
        far.set_clipboard("你好 🙂\né")
        until = time.monotonic() + LIMIT_S
        told = b""
        while told.decode() != "你好 🙂\né":
            assert time.monotonic() < until, told
            told = subprocess.run(
                [*xclip, "-o"], env=environment, check=False, timeout=LIMIT_S, capture_output=True
            ).stdout
        given = "привет\n世界"
        subprocess.run(
            xclip, env=environment, check=True, timeout=LIMIT_S, input=given.encode(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while far.clipboard() != given:
            assert time.monotonic() < until
            far.observe()


@pytest.mark.slow
def test_the_clipboard_of_x11vnc_holds_ascii_in_both_directions(desktop: Desktop) -> None:
    with x11vnc(desktop) as port, open_at(port) as far:
        far.set_clipboard("over there")  # right after it was connected to, when it drops texts
        until = time.monotonic() + LIMIT_S
        while desktop.clipboard() != "over there":
            assert time.monotonic() < until
            far.observe()
        desktop.set_clipboard("and back")
        while far.clipboard() != "and back":
            assert time.monotonic() < until
            far.observe()


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
    "argument",
    ["vnc:", "vnc://", "vnc://host:x", "vnc://host/1", "vnc://host:0", "vnc://user:secret@host",
     "vnc://:secret@host:abc", "vnc://:secret@host:999999", "vnc://u:secret/x@host", "u:secret@h"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(argument: str) -> None:
    with pytest.raises(UsageError) as caught:
        devices.get("desktop")(argument)
    assert "secret" not in str(caught.value)


def test_no_server_is_told_with_how_to_reach_one() -> None:
    with pytest.raises(VncServerError, match="no VNC server can be reached") as caught:
        devices.get("desktop")(f"vnc://127.0.0.1:{free_port()}")
    assert "ssh" in caught.value.hint
