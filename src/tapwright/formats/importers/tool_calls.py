"""Calls of tools that act on a screen, as the agents of several harnesses record them.

    tap, type_text, …      ours: a place is {"x": …, "y": …}, or two arguments as TRL's tools have;
                           its numbers are fractions, or pixels where one of them is over 1
    computer_action        Harbor's agent: harbor 0.25.0 (PyPI), agents/computer_1/runtime.py
    computer               Anthropic's, with what inspect_ai 0.3.285 adds, tool/_tools/_computer
    click, typing, …       the space computer_13 and code: cube-computer-tool 0.2.0 (PyPI)
    browser_press_key, …   pages by the keyboard and by places: cube-browser-tool 0.3.0 (PyPI)
    goto, mouse_click, …   BrowserGym's, which OpenEnv's browsergym_env gives to models as tools

Places are pixels of the screen but for ours. Nothing is executed.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import JsonValue

from tapwright.conventions.anthropic_computer import read_computer_calls
from tapwright.conventions.parsing import build_action
from tapwright.conventions.pyautogui import CallPointer
from tapwright.core import actions
from tapwright.core.geometry import Point, Size
from tapwright.core.keys import find_key
from tapwright.errors import BadAnswerError, UsageError
from tapwright.faces.tools import Unit, action_kinds, read_decision
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.agentlab_actions import read_browsergym_actions
from tapwright.formats.importers.desktop import press_keys
from tapwright.formats.importers.foreign_record import pixel_center
from tapwright.formats.osworld.actions import read_osworld_action

__all__ = ["CallReader", "is_look"]

_OURS = frozenset(str(kind.model_fields["type"].default) for kind in action_kinds())
_COMPUTER_13 = frozenset(
    {
        "click", "double_click", "right_click", "mouse_down", "mouse_up", "move_to", "drag_to",
        "scroll", "typing", "press", "key_down", "key_up", "hotkey", "wait", "done", "fail",
    }
)  # fmt: skip
_LOOKS = frozenset({"screenshot", "cursor_position", "zoom"})
_STOPS = frozenset({"mark_task_complete", "final_step"})
_ENDS = frozenset({"done", "answer", "terminate"})
_WAIT_S = 1.0


def is_look(arguments: Mapping[str, JsonValue]) -> bool:
    """Whether a call of Anthropic's tool asks for a picture alone."""
    return arguments.get("action") in _LOOKS


class CallReader:
    """Reads the calls of one recording, one after another; the pointer stays where it was."""

    def __init__(self) -> None:
        self._pointers: dict[Size, CallPointer] = {}

    def read(
        self, name: str, arguments: Mapping[str, JsonValue], size: Size
    ) -> Sequence[actions.Action]:
        """The actions that a call stands for on a screen of `size`; none for one that only looks.

        Raises:
            ForeignDataError: it is no action on a screen, or its arguments are not those of ours.
            BadAnswerError: its arguments are not those of the tool.
        """
        match name:
            case "computer_action":
                return _computer_actions(arguments, size)
            case "computer":
                return _computer(arguments, size)
            case "run_pyautogui":
                return read_osworld_action(arguments.get("code"), self._pointer(size), name)
            case _ if name in _STOPS:
                return [actions.Finish()]
            case _ if name in _OURS:
                return self._ours(name, arguments, size)
        return self._others(name, arguments, size)

    def _ours(
        self, name: str, given: Mapping[str, JsonValue], size: Size
    ) -> Sequence[actions.Action]:
        nested = _nest(given)
        unit: Unit = "pixel" if _is_over_one(nested) else "fraction"
        try:
            return read_decision(name, nested, unit, size).actions
        except UsageError as error:
            if name not in _COMPUTER_13:
                raise ForeignDataError(str(error)) from error
            return self._others(name, given, size)

    def _others(
        self, name: str, given: Mapping[str, JsonValue], size: Size
    ) -> Sequence[actions.Action]:
        if name.startswith("browser_"):
            return _browser_actions(name.removeprefix("browser_"), given, size)
        if name in _COMPUTER_13 and "bid" not in given:
            named: dict[str, JsonValue] = {
                key: value for key, value in given.items() if not _is_pointer(key, value)
            }
            if name == "hotkey" and isinstance(keys := named.get("keys"), str):
                named["keys"] = [*keys.split("+")]
            action: JsonValue = {"action_type": name.upper(), "parameters": named}
            return read_osworld_action(action, self._pointer(size), name)
        told = ", ".join(f"{key}={value!r}" for key, value in given.items())
        try:
            return read_browsergym_actions(f"{name}({told})", size, {})
        except BadAnswerError as error:
            reason = f"the call {name[:60]!r} is no action on a screen: {error}"
            raise ForeignDataError(reason) from error

    def _pointer(self, size: Size) -> CallPointer:
        return self._pointers.setdefault(size, CallPointer(size, "pixel"))


def _nest(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Arguments whose places are one value each: `x`, `y` and `start_x`, `start_y` are two."""
    nested = dict(given)
    for key in given:
        if key == "x" or key.endswith("_x"):
            other = f"{key[:-1]}y"
            if other in nested:
                place: JsonValue = {"x": nested.pop(key), "y": nested.pop(other)}
                nested["at" if key == "x" else key[:-2]] = place
    return nested


def _is_over_one(given: JsonValue) -> bool:
    """Whether a place in it is no fraction of the screen."""
    if isinstance(given, list):
        return any(map(_is_over_one, given))
    if not isinstance(given, dict):
        return False
    if given.keys() == {"x", "y"}:
        return any(isinstance(one, int | float) and one > 1 for one in given.values())
    return any(map(_is_over_one, given.values()))


def _is_pointer(key: str, value: JsonValue) -> bool:
    """Whether it says that the pointer stays, as -1 does for CUBE."""
    return key in ("x", "y") and value == -1


def _computer(given: Mapping[str, JsonValue], size: Size) -> Sequence[actions.Action]:
    """A call of Anthropic's tool, also of the actions that inspect_ai has beside."""
    told: dict[str, JsonValue] = {key: value for key, value in given.items() if value is not None}
    match told.get("action"):
        case "navigate":
            return [build_action(actions.Goto, url=told.get("text"))]
        case "back_click" | "forward_click" as name:
            return [actions.PressKey(key="back" if name == "back_click" else "forward")]
        case "type" if "coordinate" in told:
            place = {"action": "mouse_move", "coordinate": told.pop("coordinate")}
            (moved,), (typed,) = _call(place, size), _computer(told, size)
            assert isinstance(moved, actions.Hover)
            return [typed.model_copy(update={"at": moved.at})]
        case "type" if told.get("press_enter") and isinstance(text := told.get("text"), str):
            return _call({**told, "text": f"{text}\n"}, size)
        case look if look in _LOOKS:
            return []
        case _:
            return _call(told, size)


def _call(given: Mapping[str, JsonValue], size: Size) -> Sequence[actions.Action]:
    return read_computer_calls([{"name": "computer", "input": dict(given)}], size)


def _browser_actions(
    kind: str, told: Mapping[str, JsonValue], size: Size
) -> Sequence[actions.Action]:
    """A call of CUBE's browser tool; elements are named by selectors, whose places are nowhere."""
    match kind:
        case "mouse_click_xy":
            return [actions.Tap(at=_place(told, size))]
        case "press_key":
            return [press_keys(str(told.get("key") or "").split("+"), kind)]
        case "back" | "forward":
            return [actions.PressKey(key="back" if kind == "back" else "forward")]
        case "wait":
            return [actions.Wait(duration_s=_number(told, "seconds"))]
    raise ForeignDataError(f"browser_{kind[:60]} names an element, whose place was not recorded")


def _computer_actions(told: Mapping[str, JsonValue], size: Size) -> Sequence[actions.Action]:
    """What Harbor's agent for computers did; places are pixels, the wheel counts them, too."""
    kind = str(told.get("type", ""))
    held = tuple(_key(name) for name in [told.get("modifier")] if isinstance(name, str) and name)
    place = partial(_place, told, size)
    match kind:
        case "click" | "right_click":
            button = "right" if kind == "right_click" else told.get("button") or "left"
            return [_make(actions.Tap, at=place(), button=button, held=held)]
        case "double_click":
            return [actions.DoubleTap(at=place(), held=held)]
        case "triple_click":
            return [actions.TripleTap(at=place(), held=held)]
        case "mouse_move":
            return [actions.Hover(at=place())]
        case "mouse_down":
            return [_make(actions.ButtonDown, at=place(), button=told.get("button") or "left")]
        case "mouse_up":
            return [_make(actions.ButtonUp, at=place(), button=told.get("button") or "left")]
        case "drag":
            return [actions.Drag(start=place(), end=place("end_x", "end_y"))]
        case "scroll":
            dx, dy = _number(told, "scroll_x"), _number(told, "scroll_y")
            return [actions.Scroll(at=place(), dx=dx / size.width, dy=dy / size.height, held=held)]
        case "type":
            typed = actions.TypeText(text=str(told.get("text") or ""))
            enter = [press_keys(["enter"], kind)] if told.get("press_enter") else []
            return [typed, *enter]
        case "keypress" | "hold_key":
            return [_press(told, kind)]
        case "navigate":
            return [actions.Goto(url=str(told.get("url") or ""))]
        case "wait":
            return [actions.Wait(duration_s=_WAIT_S)]
        case "zoom":
            return [actions.Wait(duration_s=0)]  # only the next picture is another
        case end if end in _ENDS:
            words = told.get("result") or told.get("text")
            return [*([actions.Answer(text=str(words))] if words else []), actions.Finish()]
        case _:
            raise ForeignDataError(f"computer_action {kind!r} is no action on a screen")


def _press(told: Mapping[str, JsonValue], kind: str) -> actions.Action:
    keys = told.get("keys")
    action = press_keys([str(one) for one in keys] if isinstance(keys, list) else [], kind)
    held_s = _number(told, "duration") or _number(told, "duration_seconds")
    if kind == "hold_key" and held_s and isinstance(keys, list):
        names = tuple(_key(str(one)) for one in keys)
        return actions.ActionAdapter.validate_python(
            {"type": "hotkey", "keys": names, "duration_s": held_s}
        )
    return action


def _key(name: str) -> str:
    return find_key(name) or name


def _make(kind: type[Any], **fields: Any) -> actions.Action:
    """An action of recorded fields, which may be none of those that it takes."""
    made: actions.Action = kind.model_validate(fields)
    return made


def _place(told: Mapping[str, JsonValue], size: Size, x: str = "x", y: str = "y") -> Point:
    return pixel_center(_number(told, x), _number(told, y), size)


def _number(told: Mapping[str, JsonValue], name: str) -> float:
    value = told.get(name)
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ForeignDataError(f"{name} is {value!r}; expected a number")
    return float(value)
