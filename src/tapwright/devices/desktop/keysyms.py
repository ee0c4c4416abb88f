"""Names of keys, and characters, as the numbers that X has for them.

https://www.x.org/releases/current/doc/xproto/x11protocol.html#keysym_encoding
"""

from Xlib import XK

from tapwright.core.actions import Key
from tapwright.devices.keys import key_stroke

__all__ = ["KEYS", "character_keysym", "key_keysym"]

KEYS: tuple[Key, ...] = (
    "home", "menu", "enter", "backspace", "delete", "tab", "escape", "space", "up", "down", "left",
    "right", "page_up", "page_down", "move_home", "move_end",
)  # fmt: skip
"""The keys of `PressKey` that a desktop has; "home" shows the bare desktop."""

_CONTROLS = {"\n": "Return", "\r": "Return", "\t": "Tab", "\b": "BackSpace"}
_UNICODE = 0x01000000


def key_keysym(name: str) -> int:
    """The key called `name`: a name of `core.keys`, or one character.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    stroke = key_stroke(name)
    if stroke.x:
        return int(XK.string_to_keysym(stroke.x))
    return character_keysym(stroke.text.lower())  # what is printed on it; shift is a key of its own


def character_keysym(character: str) -> int:
    """The keysym of a character: Latin-1 is its own number, others are offset."""
    if character in _CONTROLS:
        return int(XK.string_to_keysym(_CONTROLS[character]))
    code = ord(character)
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else _UNICODE + code
