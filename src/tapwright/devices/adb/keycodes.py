"""Our names of keys as Android's `KEYCODE_…` ones.

The values are those of https://developer.android.com/reference/android/view/KeyEvent; those of a
keyboard stand in `devices.keys`.
"""

from collections.abc import Mapping, Sequence

from tapwright.core.actions import Key
from tapwright.devices.keys import key_stroke
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
_TYPED: Mapping[str, str] = {
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
    known = {str(ours): name for ours, name in _KEYS.items()}  # "home" is a phone's own
    name = known.get(key.lower()) or _TYPED.get(key) or key_stroke(key).android
    if not name:
        raise UnsupportedActionError(
            f"Android has no key {key!r}", hint=f"it has: {', '.join(sorted(known))}, and letters"
        )
    return f"KEYCODE_{name}"
