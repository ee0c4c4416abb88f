"""Our names of keys as Android's `KEYCODE_…` ones.

The values are those of https://developer.android.com/reference/android/view/KeyEvent; the short
names of modifiers are the same as in `devices.keys`.
"""

from collections.abc import Mapping, Sequence

from tapwright.core.actions import Key
from tapwright.errors import UnsupportedActionError

__all__ = ["key_code", "key_codes"]

_KEYS: Mapping[Key, str] = {
    "back": "BACK", "forward": "FORWARD", "home": "HOME", "recents": "APP_SWITCH",
    "menu": "MENU", "power": "POWER",
    "volume_up": "VOLUME_UP", "volume_down": "VOLUME_DOWN", "camera": "CAMERA", "clear": "CLEAR",
    "enter": "ENTER",
    "backspace": "DEL", "delete": "FORWARD_DEL", "tab": "TAB", "escape": "ESCAPE",
    "space": "SPACE", "up": "DPAD_UP", "down": "DPAD_DOWN", "left": "DPAD_LEFT",
    "right": "DPAD_RIGHT", "page_up": "PAGE_UP", "page_down": "PAGE_DOWN",
    "move_home": "MOVE_HOME", "move_end": "MOVE_END",
}  # fmt: skip
_IN_HOTKEYS: Mapping[str, str] = {
    **{str(key): name for key, name in _KEYS.items()},
    "control": "CTRL_LEFT", "ctrl": "CTRL_LEFT", "shift": "SHIFT_LEFT", "alt": "ALT_LEFT",
    "option": "ALT_LEFT", "meta": "META_LEFT", "cmd": "META_LEFT", "command": "META_LEFT",
    "win": "META_LEFT", "super": "META_LEFT", "esc": "ESCAPE", "return": "ENTER",
    "del": "FORWARD_DEL", "pageup": "PAGE_UP", "pagedown": "PAGE_DOWN", "end": "MOVE_END",
    "arrowup": "DPAD_UP", "arrowdown": "DPAD_DOWN", "arrowleft": "DPAD_LEFT",
    "arrowright": "DPAD_RIGHT",
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
    ",": "COMMA", ".": "PERIOD", "-": "MINUS", "=": "EQUALS", "[": "LEFT_BRACKET",
    "]": "RIGHT_BRACKET", "\\": "BACKSLASH", ";": "SEMICOLON", "'": "APOSTROPHE", "/": "SLASH",
    "`": "GRAVE",
}  # fmt: skip


def key_code(key: Key) -> str:
    """Android's name of a key; "rotate" is none, as no key of a phone does that."""
    return f"KEYCODE_{_KEYS[key]}"


def key_codes(keys: Sequence[str]) -> list[str]:
    """Android's names of keys that are held down together.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    return [_code(key) for key in keys]


def _code(key: str) -> str:
    name = _IN_HOTKEYS.get(key.lower())
    if name is None and len(key) == 1 and key.isascii() and key.isalnum():
        name = key.upper()
    if name is None:
        raise UnsupportedActionError(
            f"a keyboard has no key {key!r}", hint=f"named keys: {', '.join(sorted(_IN_HOTKEYS))}"
        )
    return f"KEYCODE_{name}"
