"""Calls of PyAutoGUI as actions, and actions as calls: read and never executed.

The calls are those that AGUVIS and OpenCUA answer with and that AgentNet records
(https://github.com/xlang-ai/aguvis/blob/c711282a111e188e6a9255bca6d5864d862c2b6f
/src/aguvis/constants.py); the order of arguments is PyAutoGUI's own
(https://pyautogui.readthedocs.io/en/latest/quickstart.html). Positive scrolls go up and to the
right. A call without a place acts where the pointer was left.

One answer is one step, so of several calls those are read that are one gesture together: `moveTo`
with what acts there after it, and `write` with the Enter or Tab that a line break in its text
would be.
"""

from collections.abc import Sequence

from pydantic import JsonValue

from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    bad_answer,
    build_action,
    read_number,
    read_place,
    read_text,
    shorten,
)
from tapwright.conventions.rendering import press_keys, quote, spell_keys, unsupported
from tapwright.core.actions import (
    Action,
    Answer,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    PressKey,
    Scroll,
    Tap,
    TripleTap,
    TypeText,
    Wait,
)
from tapwright.core.geometry import Point, Size
from tapwright.errors import BadAnswerError

__all__ = [
    "CALLS",
    "KEY_NAMES",
    "CallPointer",
    "place_in_call",
    "read_action",
    "read_call",
    "read_call_place",
    "render_call",
]

CALLS = frozenset(
    {
        "pyautogui.click", "pyautogui.leftClick", "pyautogui.rightClick", "pyautogui.middleClick",
        "pyautogui.doubleClick", "pyautogui.tripleClick", "pyautogui.moveTo", "pyautogui.dragTo",
        "pyautogui.scroll", "pyautogui.vscroll", "pyautogui.hscroll", "pyautogui.write",
        "pyautogui.typewrite", "pyautogui.press", "pyautogui.hotkey", "pyautogui.sleep",
        "time.sleep", "computer.wait", "computer.terminate", "computer.triple_click",
    }
)  # fmt: skip
"""The calls that are read; others are prose."""
_PLACED = (Tap, DoubleTap, TripleTap, Hover, TypeText)

KEY_NAMES = {
    "control": "ctrl", "meta": "win", "escape": "esc", "page_up": "pageup",
    "page_down": "pagedown", "move_home": "home", "move_end": "end",
}  # fmt: skip
"""PyAutoGUI's names of keys that it calls otherwise than we do."""
_BUTTONS = {"left": "click", "right": "rightClick", "middle": "middleClick"}
_MAX_PRESSES = 100


def place_in_call(action: Action) -> Point | None:
    """The one place in the call for `action`; None where it has none."""
    return action.at if isinstance(action, _PLACED) else None


def render_call(convention: str, action: Action, place: str = "") -> str:
    """The call for `action`, two where it types at a place; `place` is "x=…, y=…".

    Raises:
        UnsupportedByConventionError: pyautogui has no such call.
    """
    match action:
        case Tap(button=button):
            return f"pyautogui.{_BUTTONS[button]}({place})"
        case DoubleTap():
            return f"pyautogui.doubleClick({place})"
        case TripleTap():
            return f"pyautogui.tripleClick({place})"
        case Hover():
            return f"pyautogui.moveTo({place})"
        case TypeText(text=text, at=at, clear=False):
            click = "" if at is None else f"pyautogui.click({place})\n"
            return f"{click}pyautogui.write(message={quote(text)})"
        case PressKey() | Hotkey():
            keys = ", ".join(map(quote, spell_keys(convention, action, KEY_NAMES, "")))
            verb = "press" if isinstance(action, PressKey) else "hotkey"
            return f"pyautogui.{verb}(keys=[{keys}])"
    raise unsupported(convention, action, "pyautogui has no such call")


class CallPointer:
    """Follows the pointer from call to call; its place is unknown before the first move."""

    def __init__(self, size: Size, space: Space) -> None:
        """Take the size of the screen and the unit of the places in calls."""
        self._size = size
        self._space = space
        self._at: Point | None = None

    def move(self, call: ParsedCall) -> Point:
        """Move to the place of a call, or stay where the call has none; returns where it is then.

        Raises:
            BadAnswerError: the place cannot be read, or it stays and its place is unknown.
        """
        if _has_place(call):
            self._at = self.read(call)
        if self._at is None:
            raise bad_answer(f"{call.name} acts at the pointer, whose place is unknown")
        return self._at

    def aim(self, call: ParsedCall) -> Point:
        """The place of a call of the wheel: its own, else the pointer's, else the middle.

        Raises:
            BadAnswerError: the place cannot be read.
        """
        if _has_place(call):
            return self.read(call)
        return self._at or Point(0.5, 0.5)

    def read(self, call: ParsedCall) -> Point:
        """The place that a call names.

        Raises:
            BadAnswerError: it is missing, no numbers, or off the screen.
        """
        return read_call_place(call, self._size, self._space)

    def drag(self, call: ParsedCall) -> Drag:
        """Drag to the place of a call, from where the pointer is or from the call's own start.

        Raises:
            BadAnswerError: a place cannot be read, or the start is unknown.
        """
        if call.get("from_coord") is not None:
            start, end = (
                read_place(call.get(name), name, self._size, self._space)
                for name in ("from_coord", "to_coord")
            )
            self._at = end
            return Drag(start=start, end=end)
        if call.get("button") not in (None, "left") or not _has_place(call):
            raise bad_answer(f"{call.name} is not a drag to a place with the left button")
        if self._at is None:
            raise bad_answer(f"{call.name} acts at the pointer, whose place is unknown")
        return Drag(start=self._at, end=self.move(call))


def read_call_place(call: ParsedCall, size: Size, space: Space) -> Point:
    """The place of a call's arguments x and y.

    Raises:
        BadAnswerError: they are missing, no numbers, or off the screen.
    """
    x, y = _place_of(call)
    if isinstance(x, list) and y is None:
        return read_place(x, "x, y", size, space)
    return read_place([read_number(x, "x"), read_number(y, "y")], "x, y", size, space)


def read_action(
    calls: Sequence[ParsedCall], size: Size, space: Space, *, scroll_unit: float
) -> Action:
    """The action of an answer that is one step: one call, or two that are one gesture.

    `scroll_unit` is how many screens a scroll by 1 is.

    Raises:
        BadAnswerError: it is another list of calls, or a call with arguments that do not fit.
    """
    pointer = CallPointer(size, space)
    actions = [one for call in calls for one in read_call(call, pointer, scroll_unit=scroll_unit)]
    match actions:
        case [action] | [Hover(), Drag() | Scroll() as action]:
            return action
        case [Hover(at=at), Tap() | DoubleTap() | TripleTap() as action] if action.at == at:
            return action
        case [Tap(at=at, button="left"), TypeText() as typed, *rest]:
            return _join_typing(typed.model_copy(update={"at": at}), rest, calls)
        case [TypeText() as typed, *rest]:
            return _join_typing(typed, rest, calls)
    raise _too_many(actions, calls)


def _join_typing(typed: TypeText, rest: Sequence[Action], calls: Sequence[ParsedCall]) -> TypeText:
    """Typing with the Enter or Tab that follows it."""
    match rest:
        case []:
            return typed
        case [PressKey(key=("enter" | "tab") as key)]:
            end = "\n" if key == "enter" else "\t"
            return typed.model_copy(update={"text": typed.text + end})
    raise _too_many([typed, *rest], calls)


def _too_many(actions: Sequence[Action], calls: Sequence[ParsedCall]) -> BadAnswerError:
    names = ", ".join(call.name.partition(".")[2] for call in calls[:5])
    return bad_answer(f"{len(actions)} actions in one answer ({names}); expected one")


def read_call(call: ParsedCall, pointer: CallPointer, *, scroll_unit: float) -> Sequence[Action]:
    """The actions of one call, in order; only `press` has several.

    `pointer` is where earlier calls left it, and is moved on. `scroll_unit` is how many screens a
    scroll by 1 is.

    Raises:
        BadAnswerError: an argument is missing or does not fit.
    """
    match call.name.partition(".")[2]:
        case "click" | "leftClick" | "rightClick" | "middleClick" as name:
            return [_read_click(call, name, pointer.move(call))]
        case "doubleClick":
            return [DoubleTap(at=pointer.move(call))]
        case "tripleClick" | "triple_click":
            return [TripleTap(at=pointer.move(call))]
        case "moveTo":
            return [Hover(at=pointer.move(call))]
        case "dragTo":
            return [pointer.drag(call)]
        case "scroll" | "vscroll":
            return [build_action(Scroll, at=pointer.aim(call), dy=-_amount(call, scroll_unit))]
        case "hscroll":
            return [build_action(Scroll, at=pointer.aim(call), dx=_amount(call, scroll_unit))]
        case "write" | "typewrite":
            return [TypeText(text=read_text(call.get("message", "text", at=0), "message"))]
        case "press":
            times = _optional_number(call.get("presses"), "presses", 1)
            if not 1 <= times <= _MAX_PRESSES:
                raise bad_answer(f"a key is pressed {times:g} times; expected 1 to {_MAX_PRESSES}")
            return [press_keys([key]) for key in _keys(call)] * int(times)
        case "hotkey":
            return [press_keys(_keys(call))]
        case "sleep" | "wait":
            seconds = _optional_number(call.get("seconds", at=0), "seconds", 1)
            return [build_action(Wait, duration_s=seconds)]
        case "terminate":
            return [_read_end(call)]
    raise bad_answer(f"{call.name} is no action of one step")


def _has_place(call: ParsedCall) -> bool:
    return any(one is not None for one in _place_of(call))


def _place_of(call: ParsedCall) -> tuple[JsonValue, JsonValue]:
    """The arguments x and y; those of the wheel come after how far it turns."""
    first = 1 if call.name.endswith("scroll") else 0
    return call.get("x", at=first), call.get("y", at=first + 1)


def _read_end(call: ParsedCall) -> Action:
    """The end of a task; one with an answer for the user is that answer."""
    status, answer = call.get("status", at=0), call.get("answer", at=1)
    if status not in ("success", "failure", "fail"):
        raise bad_answer(f"the status is {shorten(status)}; expected success or failure")
    if status == "success" and isinstance(answer, str) and answer:
        return Answer(text=answer)
    return Finish(outcome="success" if status == "success" else "failure")


def _read_click(call: ParsedCall, name: str, at: Point) -> Action:
    clicks = call.get("clicks", at=2)
    usual = {"rightClick": "right", "middleClick": "middle"}.get(name, "left")
    button = usual if name != "click" else call.get("button") or usual
    if clicks == 2 and button == "left":
        return DoubleTap(at=at)
    if clicks == 3 and button == "left":
        return TripleTap(at=at)
    if clicks not in (None, 1):
        raise bad_answer(
            f"{shorten(clicks)} clicks with the {shorten(button)} button; expected 1 to 3"
        )
    return build_action(Tap, at=at, button=button)


def _amount(call: ParsedCall, unit: float) -> float:
    return read_number(call.get("page", "clicks", at=0), "clicks") * unit


def _optional_number(value: JsonValue, name: str, default: float) -> float:
    return default if value is None else read_number(value, name)


def _keys(call: ParsedCall) -> list[str]:
    given: JsonValue = call.get("keys", "key", at=0)
    if isinstance(given, str):
        given = [given, *(call.args[1:] if call.name.endswith("hotkey") else ())]
    if not isinstance(given, list) or not all(isinstance(key, str) for key in given):
        raise bad_answer(f"the keys are {shorten(given)}; expected strings")
    return [key for key in given if isinstance(key, str)]
