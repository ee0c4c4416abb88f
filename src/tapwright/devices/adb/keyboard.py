"""Typing text of any language, through an input method that takes it as base64 in a broadcast.

That is ADBKeyboard (https://github.com/senzhk/ADBKeyBoard), which a person installs once. Android's
own `input text` presses the keys of an English keyboard, so it is there for plain ASCII alone, on a
phone without ADBKeyboard.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from time import sleep
from typing import TYPE_CHECKING

from tapwright.devices.adb.connection import Deadline
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.errors import KEYBOARD_MISSING
from tapwright.devices.keys import key_stroke
from tapwright.errors import UnsupportedActionError

if TYPE_CHECKING:
    from tapwright.core.actions import Key

__all__ = ["KEYBOARD", "has_keyboard", "key_code", "key_codes", "type_text"]


_KEYS: "Mapping[Key, str]" = {
    "back": "BACK", "forward": "FORWARD", "home": "HOME", "recents": "APP_SWITCH",
    "menu": "MENU", "power": "POWER",
    "volume_up": "VOLUME_UP", "volume_down": "VOLUME_DOWN", "camera": "CAMERA", "clear": "CLEAR",
    "enter": "ENTER",
    "backspace": "DEL", "delete": "FORWARD_DEL", "tab": "TAB", "escape": "ESCAPE",
    "space": "SPACE", "up": "DPAD_UP", "down": "DPAD_DOWN", "left": "DPAD_LEFT",
    "right": "DPAD_RIGHT", "page_up": "PAGE_UP", "page_down": "PAGE_DOWN",
    "move_home": "MOVE_HOME", "move_end": "MOVE_END",
}  # fmt: skip
_TYPED: Mapping[str, str] = {
    ",": "COMMA", ".": "PERIOD", "-": "MINUS", "=": "EQUALS", "[": "LEFT_BRACKET",
    "]": "RIGHT_BRACKET", "\\": "BACKSLASH", ";": "SEMICOLON", "'": "APOSTROPHE", "/": "SLASH",
    "`": "GRAVE",
}  # fmt: skip


def key_code(key: "Key") -> str:
    """Android's name of a key; "rotate" is none, as no key of a phone does that."""
    return f"KEYCODE_{_KEYS[key]}"


def key_codes(keys: Sequence[str]) -> list[str]:
    """Android's names of keys that are held down together.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    return [_code(key) for key in keys]


def _code(key: str) -> str:
    known = {str(ours): name for ours, name in _KEYS.items()}  # "home" is a phone's own
    name = known.get(key.lower()) or _TYPED.get(key) or key_stroke(key).android
    if not name:
        raise UnsupportedActionError(
            f"Android has no key {key!r}", hint=f"it has: {', '.join(sorted(known))}, and letters"
        )
    return f"KEYCODE_{name}"


KEYBOARD = "com.android.adbkeyboard/.AdbIME"

_BROADCAST = "ADB_INPUT_B64"
_PIECE = 600  # characters; adb of old phones takes requests of 4096 bytes
_APPEAR_S = 3.0
_POLL_S = 0.1
# `input text` makes a blank of "%s", and there is no way to write those two characters.
_PLAIN_ASCII = re.compile(r"(?:(?!%s)[ -~])*", re.ASCII)


def has_keyboard(methods: str) -> bool:
    """Whether ADBKeyboard is among what `ime list -s -a` lists."""
    return KEYBOARD in methods.split()


def type_text(shell: PhoneShell, text: str) -> None:
    """Type into the focused field; the previous keyboard is restored.

    Raises:
        DeviceError: the text is not plain ASCII, and ADBKeyboard is not installed.
        UnsupportedActionError: no field accepts text now, or the text holds half a character.
    """
    if not text:
        return
    output = shell.script(
        [("ime", "list", "-s", "-a"), ("settings", "get", "secure", "default_input_method")]
    ).text
    methods, _, previous = output.rstrip().rpartition("\n")
    if has_keyboard(methods):
        _broadcast_text(shell, text, previous.strip())
    elif _PLAIN_ASCII.fullmatch(text):
        shell.check("input", "text", text.replace(" ", "%s"))
    else:
        raise KEYBOARD_MISSING(
            f"{shell.serial} has no keyboard that types {text[:40]!r} over adb",
            hint="install ADBKeyboard once: adb install ADBKeyboard.apk, from "
            "https://github.com/senzhk/ADBKeyBoard; it is switched on only while text is typed",
        )


def _broadcast_text(shell: PhoneShell, text: str, previous: str) -> None:
    try:
        pieces = [text[at : at + _PIECE].encode() for at in range(0, len(text), _PIECE)]
    except UnicodeEncodeError as error:
        raise UnsupportedActionError(f"{text[:40]!r} holds half a character") from error
    if previous != KEYBOARD:
        shell.script([("ime", "enable", KEYBOARD), ("ime", "set", KEYBOARD)])
    try:
        _wait_for_keyboard(shell)
        for piece in pieces:
            message = base64.b64encode(piece).decode()
            shell.check("am", "broadcast", "-a", _BROADCAST, "--es", "msg", message)
    finally:
        if previous not in (KEYBOARD, "", "null"):
            shell.run("ime", "set", previous)


def _wait_for_keyboard(shell: PhoneShell) -> None:
    """Wait until the keyboard is up.

    It listens from when a field first shows it, and a broadcast without a receiver exits like one
    that was received.
    """
    deadline = Deadline(_APPEAR_S)
    while _BROADCAST not in shell.check("dumpsys", "activity", "broadcasts"):
        if not deadline.left():
            raise UnsupportedActionError(
                f"{shell.serial}: no field accepts text now, so the keyboard did not come up",
                hint="tap a text field first",
            )
        sleep(_POLL_S)
