"""Calls of PyAutoGUI as actions, and actions as calls: read and never executed.

The calls are those that AGUVIS and OpenCUA answer with and that AgentNet records
(https://github.com/xlang-ai/aguvis/blob/c711282a111e188e6a9255bca6d5864d862c2b6f
/src/aguvis/constants.py); the order of arguments is PyAutoGUI's own
(https://pyautogui.readthedocs.io/en/latest/quickstart.html). Positive scrolls go up and to the
right. A call without a place acts where the pointer was left.

One answer is one step, whose actions are the calls in their order. Calls that are one gesture
together are one action: `moveTo` with what acts there after it, a click with the `write` after it,
and `write` with the Enter or Tab that a line break in its text would be. So are keys that go down
right before an action and up right after it.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from pydantic import JsonValue

from tapwright.conventions import parsing, rendering
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.convention import Space
from tapwright.core import actions as act
from tapwright.core.geometry import Point, Size

__all__ = [
    "CALLS", "KEY_NAMES", "CallPointer", "fold_gestures", "fold_moves", "place_in_call",
    "pointer_after", "read_actions", "read_call", "read_call_place", "render_call", "render_held",
]  # fmt: skip

CALLS = frozenset(
    {
        "pyautogui.click", "pyautogui.leftClick", "pyautogui.rightClick", "pyautogui.middleClick",
        "pyautogui.doubleClick", "pyautogui.tripleClick", "pyautogui.moveTo", "pyautogui.dragTo",
        "pyautogui.scroll", "pyautogui.vscroll", "pyautogui.hscroll", "pyautogui.write",
        "pyautogui.typewrite", "pyautogui.press", "pyautogui.hotkey", "pyautogui.sleep",
        "pyautogui.keyDown", "pyautogui.keyUp", "pyautogui.mouseDown", "pyautogui.mouseUp",
        "time.sleep", "computer.wait", "computer.terminate", "computer.triple_click",
    }
)  # fmt: skip
"""The calls that are read; others are prose."""
_PLACED = (
    act.Tap,
    act.DoubleTap,
    act.TripleTap,
    act.Hover,
    act.TypeText,
    act.ButtonDown,
    act.ButtonUp,
)

KEY_NAMES = {
    "control": "ctrl", "meta": "win", "escape": "esc", "page_up": "pageup",
    "page_down": "pagedown", "move_home": "home", "move_end": "end",
}  # fmt: skip
"""PyAutoGUI's names of keys that it calls otherwise than we do."""
_BUTTONS = {"left": "click", "right": "rightClick", "middle": "middleClick"}
_MAX_PRESSES = 100
_ENDS = ("\n", "\t")


def place_in_call(action: act.Action) -> Point | None:
    """The one place in the call for `action`; None where it has none."""
    return action.at if isinstance(action, _PLACED) else None


def render_call(convention: str, action: act.Action, place: str = "") -> str:
    """The call for `action`, two where it types at a place; `place` is "x=…, y=…".

    Raises:
        UnsupportedByConventionError: pyautogui has no such call.
    """
    match action:
        case act.Tap(button=button):
            return f"pyautogui.{_BUTTONS[button]}({place})"
        case act.DoubleTap():
            return f"pyautogui.doubleClick({place})"
        case act.TripleTap():
            return f"pyautogui.tripleClick({place})"
        case act.Hover():
            return f"pyautogui.moveTo({place})"
        case act.TypeText(text=text, at=at, clear=False):
            click = "" if at is None else f"pyautogui.click({place})\n"
            return f"{click}pyautogui.write(message={rendering.quote(text)})"
        case act.PressKey() | act.Hotkey():
            keys = ", ".join(
                map(rendering.quote, rendering.spell_keys(convention, action, KEY_NAMES, ""))
            )
            verb = "press" if isinstance(action, act.PressKey) else "hotkey"
            return f"pyautogui.{verb}(keys=[{keys}])"
        case act.KeyDown(key=key) | act.KeyUp(key=key):
            (name,) = rendering.spell_held(convention, action, [key], KEY_NAMES)
            verb = "keyDown" if isinstance(action, act.KeyDown) else "keyUp"
            return f"pyautogui.{verb}({rendering.quote(name)})"
        case (
            act.ButtonDown(button=("left" | "right" | "middle") as button)
            | act.ButtonUp(button=("left" | "right" | "middle") as button)
        ):
            verb = "mouseDown" if isinstance(action, act.ButtonDown) else "mouseUp"
            arguments = ", ".join(filter(None, (place, f"button='{button}'")))
            return f"pyautogui.{verb}({arguments})"
    raise rendering.unsupported(convention, action, "pyautogui has no such call")


def render_held(
    convention: str,
    action: act.Action,
    render: Callable[[act.Action], str],
    module: str = "pyautogui.",
) -> str:
    """What `render` writes for an action, between the calls for the keys that are held meanwhile.

    Raises:
        UnsupportedByConventionError: a key has no name.
    """
    held = act.held_keys(action)
    if not held:
        return render(action)
    names = [
        rendering.quote(key) for key in rendering.spell_held(convention, action, held, KEY_NAMES)
    ]
    down = [f"{module}keyDown({name})" for name in names]
    up = [f"{module}keyUp({name})" for name in reversed(names)]
    return "\n".join([*down, render(action.model_copy(update={"held": ()})), *up])


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
            raise parsing.bad_answer(f"{call.name} acts at the pointer, whose place is unknown")
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

    def drag(self, call: ParsedCall) -> act.Drag:
        """Drag to the place of a call, from where the pointer is or from the call's own start.

        Raises:
            BadAnswerError: a place cannot be read, or the start is unknown.
        """
        if call.get("from_coord") is not None:
            start, end = (
                parsing.read_place(call.get(name), name, self._size, self._space)
                for name in ("from_coord", "to_coord")
            )
            self._at = end
            return act.Drag(start=start, end=end)
        if call.get("button") not in (None, "left") or not _has_place(call):
            raise parsing.bad_answer(f"{call.name} is not a drag to a place with the left button")
        if self._at is None:
            raise parsing.bad_answer(f"{call.name} acts at the pointer, whose place is unknown")
        return act.Drag(start=self._at, end=self.move(call))


def read_call_place(call: ParsedCall, size: Size, space: Space) -> Point:
    """The place of a call's arguments x and y.

    Raises:
        BadAnswerError: they are missing, no numbers, or off the screen.
    """
    x, y = _place_of(call)
    if isinstance(x, list) and y is None:
        return parsing.read_place(x, "x, y", size, space)
    return parsing.read_place(
        [parsing.read_number(x, "x"), parsing.read_number(y, "y")], "x, y", size, space
    )


def read_actions(
    calls: Sequence[ParsedCall],
    pointer: CallPointer,
    *,
    scroll_unit: float,
    own: Callable[[ParsedCall], act.Action | None] = lambda _: None,
) -> list[act.Action]:
    """The actions of an answer, in order; those that are one gesture together are one.

    `scroll_unit` is how many screens a scroll by 1 is, `own` reads what a family has beside
    PyAutoGUI's calls.

    Raises:
        BadAnswerError: a call has arguments that do not fit.
    """
    actions: list[act.Action] = []
    for call in calls:
        found = own(call)
        read = read_call(call, pointer, scroll_unit=scroll_unit) if found is None else [found]
        actions += read
    return fold_gestures(actions)


def fold_gestures(actions: Iterable[act.Action]) -> list[act.Action]:
    """The actions with those joined that calls of PyAutoGUI tell in two.

    A move to where the next call acts goes into it, a click into the typing after it, and an Enter
    or Tab into the typing before it. Keys that go down right before an action and up right after it
    are held, and a button that goes down and up again is a click, or a drag through the places
    between.
    """
    folded: list[act.Action] = []
    for action in actions:
        whole: act.Action | None = action
        while whole is not None:
            action, whole = whole, None
            if type(action) is act.KeyUp:
                whole = _release(folded, action)
            elif type(action) is act.ButtonUp:
                whole = _let_go(folded, action)
            elif folded and (whole := _join(folded[-1], action)) is not None:
                folded.pop()
        folded.append(action)
    return folded


def fold_moves(actions: Iterable[act.Action]) -> list[act.Action]:
    """The actions without moves to where the next acts; keys down and up around one are held."""
    folded: list[act.Action] = []
    for action in actions:
        while folded and _leads_to(folded[-1], action):
            folded.pop()
        whole = _release(folded, action) if type(action) is act.KeyUp else None
        folded.append(whole or action)
    return folded


def pointer_after(action: act.Action) -> Point | None:
    """Where an action leaves the pointer; None where it does not move it."""
    at = action.end if type(action) is act.Drag else vars(action).get("at")
    return at if isinstance(at, Point) else None


def _leads_to(before: act.Action, action: act.Action) -> bool:
    """Whether a move of the pointer is part of what comes next."""
    match before, action:
        case act.Hover(held=()), act.Drag() | act.Scroll():
            return True
        case act.Hover(at=at, held=()), act.Tap() | act.DoubleTap() | act.TripleTap():
            return action.at == at
    return False


def _release(folded: list[act.Action], up: act.KeyUp) -> act.Action | None:
    """What a key going up ends, taken off the end; None where it only goes up."""
    match folded[-2:]:
        case [*_, act.KeyDown(key=key)] if key == up.key:
            folded.pop()
            return rendering.press_keys([key])
        case [act.KeyDown(key=key), act.Hotkey(duration_s=0) as pressed] if key == up.key:
            whole: act.Action = act.Hotkey(keys=(key, *pressed.keys))
        case [act.KeyDown(key=key), act.PressKey() as pressed] if key == up.key:
            whole = act.Hotkey(keys=(key, pressed.key))
        case [act.KeyDown(key=key), during] if (
            key == up.key
            and len(held := getattr(during, "held", [None] * act.MAX_HELD)) < act.MAX_HELD
        ):
            whole = during.model_copy(update={"held": (key, *held)})
        case _:
            return None
    del folded[-2:]
    return whole


def _let_go(folded: list[act.Action], up: act.ButtonUp) -> act.Action | None:
    """The click or the drag that a button going up ends, taken off the end."""
    moves = list(
        takewhile(lambda one: isinstance(one, act.Hover) and not one.held, reversed(folded))
    )
    at = len(folded) - len(moves) - 1
    down = folded[at] if at >= 0 else None
    if not isinstance(down, act.ButtonDown) or down.at is None or down.button != up.button:
        return None
    places = [move.at for move in reversed(moves) if isinstance(move, act.Hover)]
    if up.at is not None and up.at != [down.at, *places][-1]:
        places.append(up.at)
    if len(places) > act.MAX_PATH:
        return None
    del folded[at:]
    if not places:
        return act.Tap(at=down.at, button=down.button)
    *path, end = places
    return act.Drag(start=down.at, path=tuple(path), end=end, button=down.button)


def _join(before: act.Action, action: act.Action) -> act.Action | None:
    if _leads_to(before, action):
        return action
    match before, action:
        case act.Tap(at=at, button="left", held=()), act.TypeText(at=None, clear=False):
            return action.model_copy(update={"at": at})
        case act.TypeText(text=text), act.PressKey(key=("enter" | "tab") as key) if (
            text[-1:] not in _ENDS
        ):
            return before.model_copy(update={"text": text + _ENDS[key == "tab"]})
    return None


def read_call(
    call: ParsedCall, pointer: CallPointer, *, scroll_unit: float
) -> Sequence[act.Action]:
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
            return [act.DoubleTap(at=pointer.move(call))]
        case "tripleClick" | "triple_click":
            return [act.TripleTap(at=pointer.move(call))]
        case "moveTo":
            return [act.Hover(at=pointer.move(call))]
        case "dragTo":
            return [pointer.drag(call)]
        case "scroll" | "vscroll":
            return [
                parsing.build_action(
                    act.Scroll, at=pointer.aim(call), dy=-_amount(call, scroll_unit)
                )
            ]
        case "hscroll":
            return [
                parsing.build_action(
                    act.Scroll, at=pointer.aim(call), dx=_amount(call, scroll_unit)
                )
            ]
        case "write" | "typewrite":
            return [
                act.TypeText(text=parsing.read_text(call.get("message", "text", at=0), "message"))
            ]
        case "press":
            times = _optional_number(call.get("presses"), "presses", 1)
            if not 1 <= times <= _MAX_PRESSES:
                raise parsing.bad_answer(
                    f"a key is pressed {times:g} times; expected 1 to {_MAX_PRESSES}"
                )
            return [rendering.press_keys([key]) for key in _keys(call)] * int(times)
        case "hotkey":
            return [rendering.press_keys(_keys(call))]
        case "keyDown" | "keyUp" as name:
            (key,) = rendering.read_held([parsing.read_text(call.get("key", at=0), "key")])
            return [act.KeyDown(key=key) if name == "keyDown" else act.KeyUp(key=key)]
        case "mouseDown" | "mouseUp" as name:
            place = pointer.move(call) if _has_place(call) else None
            button = call.get("button", at=2) or "left"
            if name == "mouseDown":
                return [parsing.build_action(act.ButtonDown, at=place, button=button)]
            return [parsing.build_action(act.ButtonUp, at=place, button=button)]
        case "sleep" | "wait":
            seconds = _optional_number(call.get("seconds", at=0), "seconds", 1)
            return [parsing.build_action(act.Wait, duration_s=seconds)]
        case "terminate":
            return [_read_end(call)]
    raise parsing.bad_answer(f"{call.name} is no action of one step")


def _has_place(call: ParsedCall) -> bool:
    return any(one is not None for one in _place_of(call))


def _place_of(call: ParsedCall) -> tuple[JsonValue, JsonValue]:
    """The arguments x and y; those of the wheel come after how far it turns."""
    first = 1 if call.name.endswith("scroll") else 0
    return call.get("x", at=first), call.get("y", at=first + 1)


def _read_end(call: ParsedCall) -> act.Action:
    """The end of a task; one with an answer for the user is that answer."""
    status, answer = call.get("status", at=0), call.get("answer", at=1)
    if status not in ("success", "failure", "fail"):
        raise parsing.bad_answer(
            f"the status is {parsing.shorten(status)}; expected success or failure"
        )
    if status == "success" and isinstance(answer, str) and answer:
        return act.Answer(text=answer)
    return act.Finish(outcome="success" if status == "success" else "failure")


def _read_click(call: ParsedCall, name: str, at: Point) -> act.Action:
    clicks = _optional_number(call.get("clicks", at=2), "clicks", 1)
    usual = {"rightClick": "right", "middleClick": "middle"}.get(name, "left")
    button = usual if name != "click" else call.get("button") or usual
    if clicks == 2 and button == "left":
        return act.DoubleTap(at=at)
    if clicks == 3 and button == "left":
        return act.TripleTap(at=at)
    if clicks != 1:
        raise parsing.bad_answer(
            f"{parsing.shorten(clicks)} clicks with the {parsing.shorten(button)} button; "
            "expected 1 to 3"
        )
    return parsing.build_action(act.Tap, at=at, button=button)


def _amount(call: ParsedCall, unit: float) -> float:
    return parsing.read_number(call.get("page", "clicks", at=0), "clicks") * unit


def _optional_number(value: JsonValue, name: str, default: float) -> float:
    return default if value is None else parsing.read_number(value, name)


def _keys(call: ParsedCall) -> list[str]:
    given: JsonValue = call.get("keys", "key", at=0)
    if isinstance(given, str):
        given = [given, *(call.args[1:] if call.name.endswith("hotkey") else ())]
    if not isinstance(given, list) or not all(isinstance(key, str) for key in given):
        raise parsing.bad_answer(f"the keys are {parsing.shorten(given)}; expected strings")
    return [key for key in given if isinstance(key, str)]
