"""Android's key codes: numbers as `android.view.KeyEvent` has them, and what they do to a device.

https://developer.android.com/reference/android/view/KeyEvent
"""

from collections.abc import Mapping

from tapwright.core.actions import Action, Hotkey, Key, PressKey, TypeText

__all__ = ["MENU", "MODIFIERS", "POWER", "SLEEP", "WAKE_UP", "action_of", "key_code", "typed_by"]

POWER, MENU, SLEEP, WAKE_UP = 26, 82, 223, 224

_KEYS: Mapping[str, tuple[int, Key]] = {
    "HOME": (3, "home"),
    "BACK": (4, "back"),
    "DPAD_UP": (19, "up"),
    "DPAD_DOWN": (20, "down"),
    "DPAD_LEFT": (21, "left"),
    "DPAD_RIGHT": (22, "right"),
    "VOLUME_UP": (24, "volume_up"),
    "VOLUME_DOWN": (25, "volume_down"),
    "POWER": (POWER, "power"),
    "CAMERA": (27, "camera"),
    "CLEAR": (28, "clear"),
    "TAB": (61, "tab"),
    "SPACE": (62, "space"),
    "ENTER": (66, "enter"),
    "DEL": (67, "backspace"),
    "MENU": (MENU, "menu"),
    "PAGE_UP": (92, "page_up"),
    "PAGE_DOWN": (93, "page_down"),
    "ESCAPE": (111, "escape"),
    "FORWARD_DEL": (112, "delete"),
    "MOVE_HOME": (122, "move_home"),
    "MOVE_END": (123, "move_end"),
    "FORWARD": (125, "forward"),
    "APP_SWITCH": (187, "recents"),
}
_TYPED: Mapping[str, tuple[int, str]] = {
    **{str(digit): (7 + digit, str(digit)) for digit in range(10)},
    **{chr(65 + number): (29 + number, chr(97 + number)) for number in range(26)},
    "STAR": (17, "*"),
    "POUND": (18, "#"),
    "COMMA": (55, ","),
    "PERIOD": (56, "."),
    "GRAVE": (68, "`"),
    "MINUS": (69, "-"),
    "EQUALS": (70, "="),
    "LEFT_BRACKET": (71, "["),
    "RIGHT_BRACKET": (72, "]"),
    "BACKSLASH": (73, "\\"),
    "SEMICOLON": (74, ";"),
    "APOSTROPHE": (75, "'"),
    "SLASH": (76, "/"),
    "AT": (77, "@"),
    "PLUS": (81, "+"),
}
_OTHER = {
    "DPAD_CENTER": 23, "ALT_LEFT": 57, "ALT_RIGHT": 58, "SHIFT_LEFT": 59, "SHIFT_RIGHT": 60,
    "CTRL_LEFT": 113, "CTRL_RIGHT": 114, "META_LEFT": 117, "META_RIGHT": 118, "SLEEP": SLEEP,
    "WAKEUP": WAKE_UP, "CUT": 277, "COPY": 278, "PASTE": 279,
}  # fmt: skip
MODIFIERS = {
    57: "alt", 58: "alt", 59: "shift", 60: "shift", 113: "control", 114: "control", 117: "meta",
    118: "meta",
}  # fmt: skip
"""The modifier keys, by their names in `Hotkey`."""

_CODES = {**{name: code for name, (code, _) in (*_KEYS.items(), *_TYPED.items())}, **_OTHER}
_ACTIONS: Mapping[int, Action] = {
    **{code: PressKey(key=key) for code, key in _KEYS.values()},
    **{code: TypeText(text=text) for code, text in _TYPED.values()},
    23: PressKey(key="enter"),
    277: Hotkey(keys=("control", "x")),
    278: Hotkey(keys=("control", "c")),
    279: Hotkey(keys=("control", "v")),
}


def key_code(word: str) -> int:
    """The code of a number, "KEYCODE_BACK" or "BACK"; 0 for an unknown key."""
    if word.isascii() and word.isdigit():
        return int(word[:6])
    return _CODES.get(word.upper().removeprefix("KEYCODE_"), 0)


def action_of(code: int) -> Action | None:
    """The action of a key, None for one without a function here."""
    return _ACTIONS.get(code)


def typed_by(code: int) -> str | None:
    """The key's name in `Hotkey`: a character or a named key."""
    match _ACTIONS.get(code):
        case TypeText(text=text):
            return text
        case PressKey(key=key):
            return key
    return None
