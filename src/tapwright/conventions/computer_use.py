"""The tool `computer_use`, which Qwen's models and those built on them call to act on a computer.

Verbs and arguments follow https://github.com/QwenLM/Qwen3-VL/blob/
96588727e44c78b25ba03ea03b8e12f7e64fd0da/cookbooks/utils/agent_function_call.py; the families differ
in the verbs that they have, in their unit, and in the lines before the call.

Rules: `left_click_drag` and the verbs without a place act where the pointer is, so the place is
that of a `mouse_move` right before in the same answer, and a drag is written so; without one they
are refused. A scroll names its place as `coordinate`, as GUI-Owl's executor reads it, unless that
is the middle. `pixels` are notches of the wheel, as every published executor turns them (OSWorld's
agents, EvoCUA, GUI-Owl), ten to a screen, at most a hundred screens. Keys are PyAutoGUI's. Holding
keys down over several steps, a click with keys held, and `interact` are refused.
"""

from collections.abc import Mapping

from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    JsonObject,
    bad_answer,
    build_action,
    read_number,
    read_place,
    read_text,
    shorten,
)
from tapwright.conventions.pyautogui import KEY_NAMES
from tapwright.conventions.rendering import (
    press_keys,
    round_number,
    spell_keys,
    split_scroll,
    unsupported,
    whole_numbers,
)
from tapwright.conventions.tool_call import read_finish, read_tool_call, read_wait
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

__all__ = ["COMPUTER_USE", "TOOL", "parse_computer_use", "render_computer_use"]

TOOL = "computer_use"
COMPUTER_USE = frozenset(
    {
        "key", "type", "mouse_move", "left_click", "left_click_drag", "right_click",
        "middle_click", "double_click", "triple_click", "scroll", "hscroll", "wait", "terminate",
        "answer",
    }
)  # fmt: skip
"""Every verb that some family has."""

_ALIASES = {"click": "left_click", "drag": "left_click_drag", "hotkey": "key"}
_NOTCHES = 10
_MOST_SCREENS = 100
_CLICKS: Mapping[str, str] = {
    "left": "left_click", "right": "right_click", "middle": "middle_click",
}  # fmt: skip


def render_computer_use(
    convention: str, verbs: frozenset[str], action: Action, size: Size, space: Space
) -> list[JsonObject]:
    """The arguments of the call for `action`, or of the two that a drag needs.

    Raises:
        UnsupportedByConventionError: none of `verbs` does.
    """
    calls = _render_action(convention, action, size, space)
    missing = [str(call["action"]) for call in calls if call["action"] not in verbs]
    if missing:
        raise unsupported(convention, action, f"its tool has no verb {missing[0]!r}")
    return calls


def _render_action(convention: str, action: Action, size: Size, space: Space) -> list[JsonObject]:
    match action:
        case Tap(at=at, button=button):
            return [_at(_CLICKS[button], at, size, space)]
        case DoubleTap(at=at):
            return [_at("double_click", at, size, space)]
        case TripleTap(at=at):
            return [_at("triple_click", at, size, space)]
        case Hover(at=at):
            return [_at("mouse_move", at, size, space)]
        case Drag(start=start, end=end):
            return [
                _at("mouse_move", start, size, space),
                _at("left_click_drag", end, size, space),
            ]
        case Scroll(at=at):
            word, amount = split_scroll(convention, action)
            notches = max(1, round(amount * _NOTCHES)) * (1 if word in ("up", "right") else -1)
            verb = "scroll" if word in ("up", "down") else "hscroll"
            place = {} if at == Point(0.5, 0.5) else {"coordinate": whole_numbers(at, size, space)}
            return [{"action": verb, **place, "pixels": notches}]
        case TypeText(text=text, at=None, clear=False):
            return [{"action": "type", "text": text}]
        case Answer(text=text):
            return [{"action": "answer", "text": text}]
        case PressKey() | Hotkey():
            return [{"action": "key", "keys": [*spell_keys(convention, action, KEY_NAMES, "")]}]
        case Wait(duration_s=seconds):
            return [{"action": "wait", "time": round_number(seconds)}]
        case Finish(outcome=("success" | "failure") as outcome):
            return [{"action": "terminate", "status": outcome}]
        case Finish():
            raise unsupported(convention, action, "it ends as success or failure only")
    raise unsupported(convention, action, "it acts on a computer")


def _at(verb: str, point: Point, size: Size, space: Space) -> JsonObject:
    return {"action": verb, "coordinate": whole_numbers(point, size, space)}


def parse_computer_use(
    call: JsonObject, verbs: frozenset[str], size: Size, space: Space, pointer: Point | None
) -> Action:
    """The action of a call, or of its arguments alone; `pointer` is where it is known to be.

    Raises:
        BadAnswerError: it is not a call of the tool, or acts at a pointer of unknown place.
    """
    verb, given = read_tool_call(call, TOOL, verbs, _ALIASES)
    match verb:
        case "left_click_drag":
            start = given.get("start_coordinate")
            return Drag(
                start=_known(verb, pointer)
                if start is None
                else read_place(start, "start_coordinate", size, space),
                end=read_place(given.get("coordinate"), "coordinate", size, space),
            )
        case "scroll" | "hscroll":
            return _read_scroll(verb, given, size, space, pointer)
        case "type":
            return TypeText(text=read_text(given.get("text"), "text"))
        case "answer":
            return Answer(text=read_text(given.get("text"), "text"))
        case "key":
            return press_keys(_read_keys(given.get("keys", given.get("text"))))
        case "wait":
            return read_wait(given)
        case "terminate":
            return read_finish(given)
    if given.get("text"):
        raise bad_answer(f"{verb} with {shorten(given['text'])} held down is no action of one step")
    place = given.get("coordinate")
    at = _known(verb, pointer) if place is None else read_place(place, "coordinate", size, space)
    return _point_at(verb, at)


def _point_at(verb: str, at: Point) -> Action:
    match verb:
        case "mouse_move":
            return Hover(at=at)
        case "double_click":
            return DoubleTap(at=at)
        case "triple_click":
            return TripleTap(at=at)
        case "right_click":
            return Tap(at=at, button="right")
        case "middle_click":
            return Tap(at=at, button="middle")
        case _:
            return Tap(at=at)


def _known(verb: str, pointer: Point | None) -> Point:
    if pointer is None:
        raise bad_answer(f"{verb} acts at the pointer, whose place is unknown")
    return pointer


def _read_scroll(
    verb: str, given: JsonObject, size: Size, space: Space, pointer: Point | None
) -> Scroll:
    if given.get("text"):
        raise bad_answer(f"{verb} with {shorten(given['text'])} held down is no action of one step")
    place = given.get("coordinate")
    at = pointer or Point(0.5, 0.5)
    if place is not None:
        at = read_place(place, "coordinate", size, space)
    screens = read_number(given.get("pixels"), "pixels") / _NOTCHES
    screens = max(-_MOST_SCREENS, min(screens, _MOST_SCREENS))
    return build_action(
        Scroll, at=at, **({"dy": -screens} if verb == "scroll" else {"dx": screens})
    )


def _read_keys(keys: object) -> list[str]:
    """Keys in a list, or one in a string; of a list written into a string, what is in it."""
    given = keys if isinstance(keys, list) else [keys]
    names = [key.removeprefix("keys=").strip("[]'\" ") for key in given if isinstance(key, str)]
    if len(names) != len(given):
        raise bad_answer("the keys are no strings")
    return names
