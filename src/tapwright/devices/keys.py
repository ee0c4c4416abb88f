"""The keys of a keyboard as DevTools, X, WebDriver, Android and PyAutoGUI call them: one table.

Names are ours (`core.keys`). `key`, `code`, the number (Windows') and the text follow the UI Events
tables (https://www.w3.org/TR/uievents-code/), X's names keysymdef.h, WebDriver's code points
https://www.w3.org/TR/webdriver2/#keyboard-actions, Android's the constants KEYCODE_… of
https://developer.android.com/reference/android/view/KeyEvent, PyAutoGUI's KEYBOARD_KEYS of 0.9.54.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tapwright.core.keys import KEY_NAMES, find_key
from tapwright.errors import UnsupportedActionError

MODIFIERS = {"alt": 1, "control": 2, "meta": 4, "shift": 8}
"""DevTools' bit of each key that is held while others are pressed."""

# Chromium's own key bindings come from the desktop, and a headless one has none.
_COMMANDS = {
    "a": "selectAll", "c": "copy", "x": "cut", "v": "paste", "z": "undo", "y": "redo",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeyStroke:
    """One key: `text` is what it types, "" when nothing; the names are "" where there is none.

    `webdriver` is 0 where the protocol has no code point, and the key's own text stands for it.
    """

    key: str
    code: str
    number: int
    text: str = ""
    x: str = ""
    webdriver: int = 0
    android: str = ""
    pyautogui: str = ""
    keypad: bool = False


def _keypad(key: str, code: str, number: int, x: str, webdriver: int, android: str, name: str,
            text: str = "") -> KeyStroke:  # fmt: skip
    return KeyStroke(
        key, f"Numpad{code}", number, text or key, f"KP_{x}", webdriver, f"NUMPAD_{android}", name,
        keypad=True,
    )  # fmt: skip


_NAMED: Mapping[str, KeyStroke] = {
    "control": KeyStroke("Control", "ControlLeft", 17, "", "Control_L", 0xE009, "CTRL_LEFT",
                         "ctrl"),
    "shift": KeyStroke("Shift", "ShiftLeft", 16, "", "Shift_L", 0xE008, "SHIFT_LEFT", "shift"),
    "alt": KeyStroke("Alt", "AltLeft", 18, "", "Alt_L", 0xE00A, "ALT_LEFT", "alt"),
    "meta": KeyStroke("Meta", "MetaLeft", 91, "", "Super_L", 0xE03D, "META_LEFT", "win"),
    "enter": KeyStroke("Enter", "Enter", 13, "\r", "Return", 0xE006, "ENTER", "enter"),
    "backspace": KeyStroke("Backspace", "Backspace", 8, "", "BackSpace", 0xE003, "DEL",
                           "backspace"),
    "delete": KeyStroke("Delete", "Delete", 46, "", "Delete", 0xE017, "FORWARD_DEL", "delete"),
    "tab": KeyStroke("Tab", "Tab", 9, "", "Tab", 0xE004, "TAB", "tab"),
    "escape": KeyStroke("Escape", "Escape", 27, "", "Escape", 0xE00C, "ESCAPE", "esc"),
    "space": KeyStroke(" ", "Space", 32, " ", "space", 0xE00D, "SPACE", "space"),
    "up": KeyStroke("ArrowUp", "ArrowUp", 38, "", "Up", 0xE013, "DPAD_UP", "up"),
    "down": KeyStroke("ArrowDown", "ArrowDown", 40, "", "Down", 0xE015, "DPAD_DOWN", "down"),
    "left": KeyStroke("ArrowLeft", "ArrowLeft", 37, "", "Left", 0xE012, "DPAD_LEFT", "left"),
    "right": KeyStroke("ArrowRight", "ArrowRight", 39, "", "Right", 0xE014, "DPAD_RIGHT", "right"),
    "page_up": KeyStroke("PageUp", "PageUp", 33, "", "Page_Up", 0xE00E, "PAGE_UP", "pageup"),
    "page_down": KeyStroke("PageDown", "PageDown", 34, "", "Page_Down", 0xE00F, "PAGE_DOWN",
                           "pagedown"),
    "move_home": KeyStroke("Home", "Home", 36, "", "Home", 0xE011, "MOVE_HOME", "home"),
    "move_end": KeyStroke("End", "End", 35, "", "End", 0xE010, "MOVE_END", "end"),
    "menu": KeyStroke("ContextMenu", "ContextMenu", 93, "", "Menu", 0, "MENU", "apps"),
    "insert": KeyStroke("Insert", "Insert", 45, "", "Insert", 0xE016, "INSERT", "insert"),
    "print": KeyStroke("PrintScreen", "PrintScreen", 44, "", "Print", 0, "SYSRQ", "printscreen"),
    "pause": KeyStroke("Pause", "Pause", 19, "", "Pause", 0xE00B, "BREAK", "pause"),
    "caps_lock": KeyStroke("CapsLock", "CapsLock", 20, "", "Caps_Lock", 0, "CAPS_LOCK", "capslock"),
    "num_lock": KeyStroke("NumLock", "NumLock", 144, "", "Num_Lock", 0, "NUM_LOCK", "numlock"),
    "scroll_lock": KeyStroke("ScrollLock", "ScrollLock", 145, "", "Scroll_Lock", 0, "SCROLL_LOCK",
                             "scrolllock"),
    **{f"f{n}": KeyStroke(f"F{n}", f"F{n}", 111 + n, "", f"F{n}", 0xE030 + n, f"F{n}", f"f{n}")
       for n in range(1, 13)},
    **{f"f{n}": KeyStroke(f"F{n}", f"F{n}", 111 + n, "", f"F{n}", pyautogui=f"f{n}")
       for n in range(13, 25)},
    **{f"keypad_{n}": _keypad(str(n), str(n), 96 + n, str(n), 0xE01A + n, str(n), f"num{n}")
       for n in range(10)},
    "keypad_add": _keypad("+", "Add", 107, "Add", 0xE025, "ADD", "add"),
    "keypad_subtract": _keypad("-", "Subtract", 109, "Subtract", 0xE027, "SUBTRACT", "subtract"),
    "keypad_multiply": _keypad("*", "Multiply", 106, "Multiply", 0xE024, "MULTIPLY", "multiply"),
    "keypad_divide": _keypad("/", "Divide", 111, "Divide", 0xE029, "DIVIDE", "divide"),
    "keypad_decimal": _keypad(".", "Decimal", 110, "Decimal", 0xE028, "DOT", "decimal"),
    "keypad_enter": _keypad("Enter", "Enter", 13, "Enter", 0xE007, "ENTER", "", "\r"),
}  # fmt: skip


def key_stroke(name: str) -> KeyStroke:
    """The key called `name` by any of its names: one of `KEY_NAMES`, or one character.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    found = find_key(name)
    if found is None:
        raise UnsupportedActionError(
            f"a keyboard has no key {name!r}", hint=f"named keys: {', '.join(sorted(KEY_NAMES))}"
        )
    if found in _NAMED:
        return _NAMED[found]
    if found.isascii() and found.isalpha():
        letter = found.upper()
        return KeyStroke(found, f"Key{letter}", ord(letter), found, android=letter)
    if found.isascii() and found.isdigit():
        return KeyStroke(found, f"Digit{found}", ord(found), found, android=found)
    return KeyStroke(found, "", 0, found)


def key_events(names: Sequence[str], held: Collection[str] = ()) -> list[dict[str, object]]:
    """Parameters of `Input.dispatchKeyEvent`: all go down in order, then up in reverse.

    The keys `held` are down already, and stay so.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    down: list[dict[str, object]] = []
    up: list[dict[str, object]] = []
    now = list(held)
    for name in names:
        down.append(key_event(name, now, down=True))
        now.append(name)
    for name in reversed(names):
        now.pop()
        up.append(key_event(name, now, down=False))
    return down + up


def key_event(name: str, held: Collection[str], *, down: bool) -> dict[str, object]:
    """Parameters of `Input.dispatchKeyEvent` for one key, while others are held.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    stroke = key_stroke(name)
    bits = held_bits([*held, name] if down else held)
    event: dict[str, object] = {
        "modifiers": bits,
        "key": stroke.key,
        "code": stroke.code,
        "windowsVirtualKeyCode": stroke.number,
        "type": "keyUp",
    }
    if stroke.keypad:
        event |= {"isKeypad": True, "location": 3}
    if not down:
        return event
    # With control, alt or meta held, a key means a command and types nothing.
    types = bool(stroke.text) and not bits & ~MODIFIERS["shift"]
    event["type"] = "keyDown" if types else "rawKeyDown"
    if types:
        shifted = bits and len(stroke.text) == 1 and stroke.text.isalpha()
        event["text"] = stroke.text.upper() if shifted else stroke.text
    elif bits & (MODIFIERS["control"] | MODIFIERS["meta"]):
        command = _COMMANDS.get(stroke.key.lower())
        if command:
            event["commands"] = [command]
    return event


def held_bits(names: Collection[str]) -> int:
    """DevTools' number of the modifiers among keys that are down."""
    bits = 0
    for name in names:
        bits |= MODIFIERS.get(find_key(name) or "", 0)
    return bits
