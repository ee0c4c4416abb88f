"""The names of the keys of a keyboard, and the other names under which they are known.

The others are those of X11 (keysymdef.h), of PyAutoGUI (KEYBOARD_KEYS of version 0.9.54), of
browsers (UI Events' `key` and `code`) and of people. A key that types one character is named by it.
How a device spells a key is in `devices.keys`.
"""

import re
from collections.abc import Mapping

__all__ = ["KEY_NAMES", "MODIFIERS", "find_key"]

MODIFIERS = ("control", "shift", "alt", "meta")
"""The keys that change what others do while they are down."""

_OTHER_NAMES: Mapping[str, str] = {
    "control": "ctrl ctrlleft ctrlright controlleft controlright",
    "shift": "shiftleft shiftright",
    "alt": "altleft altright option optionleft optionright",
    "meta": "super win cmd command windows winleft winright metaleft metaright",
    "enter": "return",
    "backspace": "back_space",
    "delete": "del",
    "tab": "",
    "escape": "esc",
    "space": "spacebar",
    "up": "arrowup",
    "down": "arrowdown",
    "left": "arrowleft",
    "right": "arrowright",
    "page_up": "pageup pgup prior",
    "page_down": "pagedown pgdn pgdown next",
    "move_home": "home",
    "move_end": "end",
    "menu": "apps contextmenu",
    "insert": "ins",
    "print": "print_screen printscreen prntscrn prtsc prtscr prtscn",
    "pause": "break",
    "caps_lock": "capslock caps",
    "num_lock": "numlock",
    "scroll_lock": "scrolllock",
    **{f"f{number}": "" for number in range(1, 25)},
    **{f"keypad_{number}": f"kp_{number} num{number} numpad{number}" for number in range(10)},
    "keypad_add": "kp_add add numpadadd",
    "keypad_subtract": "kp_subtract subtract numpadsubtract",
    "keypad_multiply": "kp_multiply multiply numpadmultiply",
    "keypad_divide": "kp_divide divide numpaddivide",
    "keypad_decimal": "kp_decimal decimal numpaddecimal",
    "keypad_enter": "kp_enter numpadenter",
}

KEY_NAMES: tuple[str, ...] = tuple(_OTHER_NAMES)
"""The keys that have names; any other is named by the character that it types."""

_X_CHARACTERS: Mapping[str, str] = {
    "minus": "-", "plus": "+", "equal": "=", "comma": ",", "period": ".", "slash": "/",
    "backslash": "\\", "semicolon": ";", "colon": ":", "apostrophe": "'", "quotedbl": '"',
    "grave": "`", "bracketleft": "[", "bracketright": "]", "underscore": "_", "question": "?",
    "exclam": "!", "at": "@", "numbersign": "#", "dollar": "$", "percent": "%", "asciicircum": "^",
    "ampersand": "&", "asterisk": "*", "parenleft": "(", "parenright": ")", "braceleft": "{",
    "braceright": "}", "bar": "|", "asciitilde": "~", "less": "<", "greater": ">",
}  # fmt: skip
_CODES: Mapping[str, str] = {
    **{f"key{letter}": letter for letter in "abcdefghijklmnopqrstuvwxyz"},
    **{f"digit{digit}": digit for digit in "0123456789"},
    "quote": "'", "backquote": "`", "equals": "=",
}  # fmt: skip

_NAMES: Mapping[str, str] = {
    **{name: name for name in _OTHER_NAMES},
    **{other: name for name, others in _OTHER_NAMES.items() for other in others.split()},
    **_X_CHARACTERS,
    **_CODES,
    " ": "space", "\n": "enter", "\r": "enter", "\t": "tab", "\b": "backspace",
}  # fmt: skip
_BETWEEN_WORDS = re.compile(r"[ _-]")


def find_key(name: str) -> str | None:
    """Our name of a key for any of its names, whatever their case: "Control_L" is "control".

    What stands between the words of a name counts for nothing: "page down", "Page_Down". A key that
    types a character is that character. None where a keyboard has no such key.
    """
    if len(name) == 1:
        typed = name.isprintable() and not name.isspace()
        return _NAMES.get(name, name if typed else None)
    lower = name.lower()
    return (
        _NAMES.get(lower)
        or _NAMES.get(lower.removesuffix("_l").removesuffix("_r"))
        or _NAMES.get(_BETWEEN_WORDS.sub("", lower))
    )
