"""Names of keys, and characters, as the numbers that X has for them.

https://www.x.org/releases/current/doc/xproto/x11protocol.html#keysym_encoding
"""

from collections.abc import Mapping

from Xlib import XK

from tapwright.core.actions import Key
from tapwright.errors import UnsupportedActionError

__all__ = ["KEYS", "character_keysym", "key_keysym"]

KEYS: Mapping[Key, str] = {
    "home": "", "menu": "Menu", "enter": "Return", "backspace": "BackSpace", "delete": "Delete",
    "tab": "Tab", "escape": "Escape", "space": "space", "up": "Up", "down": "Down",
    "left": "Left", "right": "Right", "page_up": "Page_Up", "page_down": "Page_Down",
    "move_home": "Home", "move_end": "End",
}  # fmt: skip
"""The keys of `PressKey` that a desktop has -> X's names; "home" shows the bare desktop."""

_NAMED: Mapping[str, str] = {
    **{name: keysym for name, keysym in KEYS.items() if keysym},
    "control": "Control_L", "ctrl": "Control_L", "shift": "Shift_L", "alt": "Alt_L",
    "option": "Alt_L", "meta": "Super_L", "super": "Super_L", "win": "Super_L",
    "cmd": "Super_L", "command": "Super_L", "return": "Return", "esc": "Escape",
    "del": "Delete", "insert": "Insert", "pageup": "Page_Up", "pagedown": "Page_Down",
    "home": "Home", "end": "End", "arrowup": "Up", "arrowdown": "Down", "arrowleft": "Left",
    "arrowright": "Right", "print": "Print", **{f"f{n}": f"F{n}" for n in range(1, 13)},
}  # fmt: skip
_CONTROLS = {"\n": "Return", "\r": "Return", "\t": "Tab", "\b": "BackSpace"}
_UNICODE = 0x01000000


def key_keysym(name: str) -> int:
    """The key called `name`: one of `actions.Key`, a modifier, f1 to f12, or one character.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    known = _NAMED.get(name.lower())
    if known is not None:
        return int(XK.string_to_keysym(known))
    if len(name) != 1:
        raise UnsupportedActionError(
            f"a keyboard has no key {name!r}", hint=f"named keys: {', '.join(sorted(_NAMED))}"
        )
    return character_keysym(name.lower())  # what is printed on it; shift is a key of its own


def character_keysym(character: str) -> int:
    """The keysym of a character: Latin-1 is its own number, others are offset."""
    if character in _CONTROLS:
        return int(XK.string_to_keysym(_CONTROLS[character]))
    code = ord(character)
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else _UNICODE + code
