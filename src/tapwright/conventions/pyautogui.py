"""The calls of pyautogui that AGUVIS and OpenCUA answer with, read and never run.

Follows https://github.com/xlang-ai/aguvis/blob/c711282a111e188e6a9255bca6d5864d862c2b6f
/src/aguvis/constants.py and the code of AgentNet's steps. One answer is one action: `moveTo` with
`dragTo` after it is a drag, any other list of two calls is refused. Positive scrolls go up.
"""

from collections.abc import Sequence

from pydantic import JsonValue

from tapwright.actions import (
    Action,
    DoubleTap,
    Drag,
    Hotkey,
    Hover,
    PressKey,
    Scroll,
    Tap,
    TypeText,
    Wait,
)
from tapwright.conventions.calling import Call
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    bad,
    built,
    number,
    place,
    short,
    text_field,
)
from tapwright.conventions.rendering import key_action, quoted, spelled_keys, unsayable
from tapwright.geometry import Point, Size

__all__ = ["CALLS", "PLACED", "meant_by_calls", "pair", "said_in_code"]

CALLS = frozenset(
    {
        "pyautogui.click", "pyautogui.rightClick", "pyautogui.middleClick",
        "pyautogui.doubleClick", "pyautogui.tripleClick", "pyautogui.moveTo", "pyautogui.dragTo",
        "pyautogui.scroll", "pyautogui.hscroll", "pyautogui.write", "pyautogui.typewrite",
        "pyautogui.press", "pyautogui.hotkey", "pyautogui.sleep", "time.sleep",
    }
)  # fmt: skip
"""The calls that are read; others are prose."""
PLACED = (Tap, DoubleTap, Hover)
"""The actions that a call with one place says."""

_KEYS = {
    "control": "ctrl", "meta": "win", "escape": "esc", "page_up": "pageup",
    "page_down": "pagedown", "move_home": "home", "move_end": "end",
}  # fmt: skip
_BUTTONS = {"left": "click", "right": "rightClick", "middle": "middleClick"}


def said_in_code(convention: str, action: Action, places: Sequence[str]) -> str:
    """The call that says `action`; `places` are its places as "x=…, y=…".

    Raises:
        UnsupportedByConventionError: pyautogui has no such call.
    """
    match action:
        case Tap(button=button):
            return f"pyautogui.{_BUTTONS[button]}({places[0]})"
        case DoubleTap():
            return f"pyautogui.doubleClick({places[0]})"
        case Hover():
            return f"pyautogui.moveTo({places[0]})"
        case TypeText(text=text):
            return f"pyautogui.write(message={quoted(text)})"
        case PressKey() | Hotkey():
            keys = ", ".join(map(quoted, spelled_keys(convention, action, _KEYS, "")))
            verb = "press" if isinstance(action, PressKey) else "hotkey"
            return f"pyautogui.{verb}(keys=[{keys}])"
    raise unsayable(convention, action, "pyautogui has no such call")


def meant_by_calls(made: Sequence[Call], size: Size, space: Space, *, scroll_unit: float) -> Action:
    """The action of one call, or of `moveTo` and `dragTo`.

    `scroll_unit` is how many screens a scroll by 1 is.

    Raises:
        BadAnswerError: it is another list of calls, or a call with arguments that do not fit.
    """
    names = [call.name.partition(".")[2] for call in made]
    if names == ["moveTo", "dragTo"]:
        return Drag(start=pair(made[0], size, space), end=pair(made[1], size, space))
    if len(made) != 1:
        raise bad(f"{len(made)} calls in one answer ({', '.join(names[:5])}); expected one")
    call, name = made[0], names[0]
    match name:
        case "click" | "rightClick" | "middleClick":
            return _click(call, name, size, space)
        case "doubleClick":
            return DoubleTap(at=pair(call, size, space))
        case "moveTo":
            return Hover(at=pair(call, size, space))
        case "dragTo" if call.get("from_coord") is not None:
            return Drag(
                start=place(call.get("from_coord"), "from_coord", size, space),
                end=place(call.get("to_coord"), "to_coord", size, space),
            )
        case "scroll" | "hscroll":
            return _scroll(call, name, size, space, scroll_unit)
        case "write" | "typewrite":
            return TypeText(text=text_field(call.get("message", "text", at=0), "message"))
        case "press" | "hotkey":
            return key_action(_keys(call))
        case "sleep":
            return built(Wait, duration_s=number(call.get("seconds", at=0), "seconds"))
    raise bad(f"{call.name} alone is no action of one step")


def pair(call: Call, size: Size, space: Space) -> Point:
    """The place of a call's arguments x and y.

    Raises:
        BadAnswerError: they are missing, no numbers, or off the screen.
    """
    x, y = call.get("x", at=0), call.get("y", at=1)
    if isinstance(x, list) and y is None:
        return place(x, "x, y", size, space)
    return place([number(x, "x"), number(y, "y")], "x, y", size, space)


def _click(call: Call, name: str, size: Size, space: Space) -> Action:
    at, clicks = pair(call, size, space), call.get("clicks")
    button = call.get("button")
    if name != "click":
        button = "right" if name == "rightClick" else "middle"
    if clicks == 2 and button in (None, "left"):
        return DoubleTap(at=at)
    if clicks not in (None, 1):
        raise bad(f"{short(clicks)} clicks; expected 1 or 2")
    return Tap(at=at) if button is None else built(Tap, at=at, button=button)


def _scroll(call: Call, name: str, size: Size, space: Space, unit: float) -> Scroll:
    amount = -number(call.get("page", "clicks", at=0), "clicks") * unit
    at = Point(0.5, 0.5) if call.get("x") is None else pair(call, size, space)
    if name == "scroll":
        return built(Scroll, at=at, dy=amount)
    # To the right is positive in pyautogui, as here.
    return built(Scroll, at=at, dx=-amount)


def _keys(call: Call) -> list[str]:
    given: JsonValue = call.get("keys", "key", at=0)
    if isinstance(given, str):
        given = [given, *call.args[1:]]
    if not isinstance(given, list) or not all(isinstance(key, str) for key in given):
        raise bad(f"the keys are {short(given)}; expected strings")
    if call.get("presses") not in (None, 1):
        raise bad("a key is pressed several times; expected once")
    return [key for key in given if isinstance(key, str)]
