"""Keyboard keys as the DevTools protocol wants them: `key`, `code`, Windows' number, and text.

Names are ours (`actions.Key`, and what `Hotkey` takes); the values follow the UI Events tables
(https://www.w3.org/TR/uievents-code/).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tapwright.errors import UnsupportedActionError

MODIFIERS = {"alt": 1, "control": 2, "meta": 4, "shift": 8}
"""The protocol's bit of each key that is held while others are pressed."""

_SHORT = {
    "ctrl": "control", "cmd": "meta", "command": "meta", "win": "meta", "super": "meta",
    "option": "alt", "esc": "escape", "return": "enter", "del": "delete",
    "pageup": "page_up", "pagedown": "page_down", "home": "move_home", "end": "move_end",
    "arrowup": "up", "arrowdown": "down", "arrowleft": "left", "arrowright": "right",
}  # fmt: skip

# Chromium's own key bindings come from the desktop, and a headless one has none.
_COMMANDS = {
    "a": "selectAll", "c": "copy", "x": "cut", "v": "paste", "z": "undo", "y": "redo",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeyStroke:
    """One key: `text` is what it types, "" when nothing."""

    key: str
    code: str
    number: int
    text: str = ""


_NAMED = {
    "enter": KeyStroke("Enter", "Enter", 13, "\r"),
    "backspace": KeyStroke("Backspace", "Backspace", 8),
    "delete": KeyStroke("Delete", "Delete", 46),
    "tab": KeyStroke("Tab", "Tab", 9),
    "escape": KeyStroke("Escape", "Escape", 27),
    "space": KeyStroke(" ", "Space", 32, " "),
    "up": KeyStroke("ArrowUp", "ArrowUp", 38),
    "down": KeyStroke("ArrowDown", "ArrowDown", 40),
    "left": KeyStroke("ArrowLeft", "ArrowLeft", 37),
    "right": KeyStroke("ArrowRight", "ArrowRight", 39),
    "page_up": KeyStroke("PageUp", "PageUp", 33),
    "page_down": KeyStroke("PageDown", "PageDown", 34),
    "move_home": KeyStroke("Home", "Home", 36),
    "move_end": KeyStroke("End", "End", 35),
    "alt": KeyStroke("Alt", "AltLeft", 18),
    "control": KeyStroke("Control", "ControlLeft", 17),
    "meta": KeyStroke("Meta", "MetaLeft", 91),
    "shift": KeyStroke("Shift", "ShiftLeft", 16),
    **{f"f{n}": KeyStroke(f"F{n}", f"F{n}", 111 + n) for n in range(1, 13)},
}


def key_stroke(name: str) -> KeyStroke:
    """The key called `name`: one of `actions.Key`, a modifier, f1 to f12, or one character.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    lower = name.lower()
    lower = _SHORT.get(lower, lower)
    if lower in _NAMED:
        return _NAMED[lower]
    if len(name) != 1:
        raise UnsupportedActionError(
            f"a keyboard has no key {name!r}", hint=f"named keys: {', '.join(sorted(_NAMED))}"
        )
    if name.isascii() and name.isalpha():
        return KeyStroke(name, f"Key{name.upper()}", ord(name.upper()), name)
    if name.isascii() and name.isdigit():
        return KeyStroke(name, f"Digit{name}", ord(name), name)
    return KeyStroke(name, "", 0, name)


def key_events(names: Sequence[str]) -> list[dict[str, object]]:
    """Parameters of `Input.dispatchKeyEvent`: all go down in order, then up in reverse."""
    events: list[dict[str, object]] = []
    held = 0
    strokes = [(MODIFIERS.get(_plain(name), 0), key_stroke(name)) for name in names]
    for bit, stroke in strokes:
        held |= bit
        # With control, alt or meta held, a key means a command and types nothing.
        types = bool(stroke.text) and not held & ~MODIFIERS["shift"]
        event = {**_common(stroke, held), "type": "keyDown" if types else "rawKeyDown"}
        if types:
            shifted = held and len(stroke.text) == 1 and stroke.text.isalpha()
            event["text"] = stroke.text.upper() if shifted else stroke.text
        elif held & (MODIFIERS["control"] | MODIFIERS["meta"]):
            command = _COMMANDS.get(stroke.key.lower())
            if command:
                event["commands"] = [command]
        events.append(event)
    for bit, stroke in reversed(strokes):
        held &= ~bit
        events.append({**_common(stroke, held), "type": "keyUp"})
    return events


def _plain(name: str) -> str:
    return _SHORT.get(name.lower(), name.lower())


def _common(stroke: KeyStroke, held: int) -> dict[str, object]:
    return {
        "modifiers": held,
        "key": stroke.key,
        "code": stroke.code,
        "windowsVirtualKeyCode": stroke.number,
    }
