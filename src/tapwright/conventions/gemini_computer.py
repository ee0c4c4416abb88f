"""Gemini's computer use: one function call, `click_at` and its like; thousandths.

Follows https://github.com/google-gemini/computer-use-preview/blob/
005c53791e647f338ab526172254c332dcc99ebb/agent.py. An answer is the call as JSON, as the API or a
model that is asked in text gives it; the tool has no words of its own to be prompted with, so those
are ours.

Rules: `type_text_at` with a place is a tap and then typing, which is two steps, and refused; text
is said without one, for the field that has the focus. It empties the field before unless told
otherwise, which is said. A scroll says what comes into view, with a magnitude in thousandths of the
screen, 800 where none is told. `go_back` is the key "back". The end is a candidate without a call,
which is success. A phone's swipe, long press and apps, the browser's own verbs (search, navigate,
go_forward, open_web_browser), and calls that ask for a confirmation are refused.
"""

import json
from collections.abc import Sequence

from pydantic import JsonValue

from tapwright.actions import (
    Action,
    Drag,
    Finish,
    Hotkey,
    Hover,
    PressKey,
    Scroll,
    Tap,
    TypeText,
    Wait,
)
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    JsonObject,
    bad,
    decided,
    last_object,
    lead,
    number,
    place,
    read_answer,
    short,
    text_field,
)
from tapwright.conventions.prompting import asked
from tapwright.conventions.rendering import (
    direction_word,
    key_action,
    spelled_keys,
    unsayable,
    wheel,
    wheel_direction,
    whole,
)
from tapwright.episode import Decision, Step
from tapwright.geometry import Point, Size
from tapwright.messages import Message
from tapwright.observation import Observation

_SPACE: Space = "permille"
_MAGNITUDE = 800
_WAIT_S = 5.0
_KEYS = {
    "page_up": "pageup", "page_down": "pagedown", "move_home": "home", "move_end": "end",
    "up": "arrowup", "down": "arrowdown", "left": "arrowleft", "right": "arrowright",
}  # fmt: skip
_SYSTEM = """\
You operate a computer for a user, one action at a time, and see a screenshot after each. Places \
are thousandths of the screen, from 0 to 1000: x runs to the right, y down.

Say why in a sentence, then give one JSON object, {"name": …, "args": …}, which is one of
{"name": "click_at", "args": {"x": …, "y": …}}
{"name": "hover_at", "args": {"x": …, "y": …}}
{"name": "type_text_at", "args": {"text": …, "press_enter": false, "clear_before_typing": false}} \
into the field that was clicked before
{"name": "scroll_at", "args": {"x": …, "y": …, "direction": "up" | "down" | "left" | "right", \
"magnitude": 800}}
{"name": "drag_and_drop", "args": {"x": …, "y": …, "destination_x": …, "destination_y": …}}
{"name": "key_combination", "args": {"keys": "control+c"}}
{"name": "go_back", "args": {}}
{"name": "wait_5_seconds", "args": {}}
When the task is done, give \
{"content": {"parts": [{"text": …}]}, "finish_reason": "STOP"}."""


class GeminiComputer:
    """Speaks and reads `{"name": "click_at", "args": {"x": …, "y": …}}`."""

    @property
    def name(self) -> str:
        """The word "gemini-computer"."""
        return "gemini-computer"

    @property
    def space(self) -> Space:
        """Whole thousandths of the screen."""
        return _SPACE

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The calls in the system turn; then the task, the calls so far, and the screen."""
        return asked(self, _SYSTEM, instruction, history, observation)

    def render(self, decision: Decision, size: Size) -> str:
        """The reason, if there is one, and the call."""
        call = json.dumps(self._said(decision.action, size), ensure_ascii=False)
        reasoning = decision.reasoning.strip()
        return f"{reasoning}\n{call}" if reasoning else call

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last call that can be read.

        Raises:
            BadAnswerError: there is none.
        """
        thoughts, answer = read_answer(text)
        return last_object(
            answer,
            lambda found, before: decided(_meant(found, size), lead(before) or thoughts),
        )

    def _said(self, action: Action, size: Size) -> JsonObject:
        if isinstance(action, Finish):
            if action.outcome != "success":
                raise unsayable(self.name, action, "an end without a call says nothing failed")
            return {"content": {"parts": [{"text": action.reason}]}, "finish_reason": "STOP"}
        name, args = self._call(action, size)
        return {"name": name, "args": args}

    def _call(self, action: Action, size: Size) -> tuple[str, JsonObject]:
        match action:
            case Tap(at=at, button="left"):
                return "click_at", _at(at, size)
            case Hover(at=at):
                return "hover_at", _at(at, size)
            case TypeText(text=text):
                return "type_text_at", {
                    "text": text, "press_enter": False, "clear_before_typing": False,
                }  # fmt: skip
            case Scroll(at=at):
                word, amount = wheel_direction(self.name, action)
                magnitude = max(1, round(amount * 1000))
                return "scroll_at", {**_at(at, size), "direction": word, "magnitude": magnitude}
            case Drag(start=start, end=end):
                x, y = whole(end, size, _SPACE)
                return "drag_and_drop", {**_at(start, size), "destination_x": x, "destination_y": y}
            case PressKey(key="back"):
                return "go_back", {}
            case PressKey() | Hotkey():
                keys = spelled_keys(self.name, action, _KEYS, "+")
                return "key_combination", {"keys": "+".join(keys)}
            case Wait():
                return "wait_5_seconds", {}
        raise unsayable(self.name, action, "it has no such function")


def _at(point: Point, size: Size) -> JsonObject:
    x, y = whole(point, size, _SPACE)
    return {"x": x, "y": y}


def _meant(found: JsonObject, size: Size) -> Action:
    candidates = found.get("candidates")
    if isinstance(candidates, list) and len(candidates) == 1 and isinstance(candidates[0], dict):
        found = candidates[0]
    content = found.get("content")
    if isinstance(content, dict):
        return _meant_by_candidate(found, content, size)
    found = _function_call(found) or found
    args = found.get("args", {})
    if not isinstance(args, dict):
        raise bad(f"the args are {short(args)}; expected an object")
    if args.get("safety_decision") is not None:
        raise bad("the call asks for a confirmation first")
    match found.get("name"):
        case "click_at":
            return Tap(at=_spot(args, "x", "y", size))
        case "hover_at":
            return Hover(at=_spot(args, "x", "y", size))
        case "type_text_at":
            if "x" in args or "y" in args or args.get("press_enter") is True:
                raise bad(
                    "type_text_at with a place or with enter is several steps; click there first, "
                    "then type without x, y and press_enter"
                )
            return TypeText(text=text_field(args.get("text"), "text"))
        case "scroll_document":
            return _scroll(args, Point(0.5, 0.5))
        case "scroll_at":
            return _scroll(args, _spot(args, "x", "y", size))
        case "drag_and_drop":
            return Drag(
                start=_spot(args, "x", "y", size),
                end=_spot(args, "destination_x", "destination_y", size),
            )
        case "key_combination":
            return key_action(text_field(args.get("keys"), "keys").split("+"))
        case "go_back":
            return PressKey(key="back")
        case "wait_5_seconds":
            return Wait(duration_s=_WAIT_S)
        case other:
            raise bad(f"a call of {short(other)}; expected click_at, type_text_at or the like")


def _meant_by_candidate(candidate: JsonObject, content: JsonObject, size: Size) -> Action:
    listed = content.get("parts")
    parts = [
        part for part in (listed if isinstance(listed, list) else []) if isinstance(part, dict)
    ]
    made = [call for part in parts if (call := _function_call(part)) is not None]
    if len(made) > 1:
        raise bad(f"{len(made)} calls in one answer; expected one")
    if made:
        return _meant(made[0], size)
    reason = candidate.get("finish_reason", candidate.get("finishReason"))
    if reason != "STOP":
        raise bad(f"a candidate that stopped for {short(reason)}, without a call")
    return Finish(
        reason="".join(text for part in parts if isinstance(text := part.get("text"), str))
    )


def _function_call(part: JsonObject) -> JsonObject | None:
    """The call that a part holds; the API's languages spell its name in two ways."""
    call = part.get("function_call", part.get("functionCall"))
    return call if isinstance(call, dict) else None


def _spot(args: JsonObject, x: str, y: str, size: Size) -> Point:
    at: list[JsonValue] = [number(args.get(x), x), number(args.get(y), y)]
    return place(at, f"{x}, {y}", size, _SPACE)


def _scroll(args: JsonObject, at: Point) -> Scroll:
    amount = number(args.get("magnitude", _MAGNITUDE), "magnitude") / 1000
    return wheel(direction_word(args.get("direction")), at, amount)


GEMINI_COMPUTER = GeminiComputer()
