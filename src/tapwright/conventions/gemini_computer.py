"""Gemini's computer use: one function call, `click` and its like; thousandths.

Follows https://github.com/google-gemini/computer-use-preview/blob/
c93bb2d88b3d19d4170eb0c93817bdf1db843f80/agent.py: the functions of gemini-3.5-flash and later
(`handle_action`), and for reading those of the models before (`handle_legacy_action`), `click_at`
and its like. An answer is the call as JSON, as the API gives it, where the tool is declared, or a
model that is queried in text; the tool has no words of its own to be prompted with in text, so
those are ours.

Rules: a scroll names what comes into view, with a magnitude in thousandths of the screen, 800 where
none is given; `scroll_document` scrolls in the middle of the screen, by half of it to a side
(computers/playwright/playwright.py). `go_back` and `go_forward` are keys, `navigate` is `Goto`. A
wait without seconds is one second. The end is a candidate without a call, which is success.

The legacy `type_text_at` clicks, empties the field unless `clear_before_typing` is false, types,
and presses Enter for `press_enter`, as `type` does for its own; typing at a place is written so.

Several calls in one answer are done in their order, as `run_one_iteration` does them, with a screen
after each. `take_screenshot` and `open_web_browser`, which only shows an open browser, count for
nothing beside others, and are excluded where the tool is declared. `search` loads the page of the
engine.

Refused are a phone's swipe, long press and apps, tabs, screenshots alone, and calls that ask for a
confirmation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from tapwright.conventions import rendering
from tapwright.conventions.arguments import MIDDLE, XY, Is, Lost, Number, On, Turn
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import JsonObject, bad_answer, read_text, shorten
from tapwright.conventions.provider_computer import ComputerTool, Reading, skip_looks
from tapwright.conventions.verbs import Grammar, HeldKey, keys_verb, verb
from tapwright.core.actions import Action, Finish, Hotkey, PressKey, TypeText
from tapwright.core.episode import Decision
from tapwright.core.geometry import Size
from tapwright.core.messages import ToolCall

_SPACE: Space = "permille"
_SCREENS = 3  # MAX_RECENT_TURN_WITH_SCREENSHOTS
_LOOKS = ("take_screenshot", "open_web_browser")
_ENGINE = "https://www.google.com"  # main.py
_WAIT_S = 1
_LEGACY_WAIT_S = 5.0
_KEYS = {
    "page_up": "pageup", "page_down": "pagedown", "move_home": "home", "move_end": "end",
    "up": "arrowup", "down": "arrowdown", "left": "arrowleft", "right": "arrowright",
}  # fmt: skip
_SYSTEM = """\
You operate a computer for a user, one action at a time, and see a screenshot after each. Places \
are thousandths of the screen, from 0 to 1000: x runs to the right, y down.

Say why in a sentence, then give one JSON object, {"name": …, "args": …}, which is one of
{"name": "click" | "double_click" | "triple_click" | "right_click" | "middle_click" | "move", \
"args": {"x": …, "y": …}}
{"name": "type", "args": {"text": …}} into the field that was clicked before
{"name": "scroll", "args": {"x": …, "y": …, "direction": "up" | "down" | "left" | "right", \
"magnitude": 800}}
{"name": "drag_and_drop", "args": {"x": …, "y": …, "destination_x": …, "destination_y": …}}
{"name": "press_key", "args": {"key": "enter"}}
{"name": "hotkey", "args": {"keys": ["control", "c"]}}
{"name": "navigate", "args": {"url": …}}
{"name": "go_back" | "go_forward", "args": {}}
{"name": "wait", "args": {"seconds": 1}}
When the task is done, give \
{"content": {"parts": [{"text": …}]}, "finish_reason": "STOP"}."""


@dataclass(frozen=True, slots=True)
class _Typing:
    """A text, Enter after it for `press_enter`, and whether the field at a place is emptied."""

    fields: tuple[str, ...] = ("text", "clear")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        ends = _read_flag(call, "press_enter", unset=False)
        placed = call.name == "type_text_at"
        clear = placed and _read_flag(call, "clear_before_typing", unset=True)
        return {
            "text": read_text(call.get("text"), "text") + ("\n" if ends else ""),
            "clear": clear,
        }

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, TypeText)
        if action.at is None and action.clear:
            return None
        typed = action.text.removesuffix("\n")
        ends: JsonObject = {} if typed == action.text else {"press_enter": True}
        clears: JsonObject = {} if action.at is None else {"clear_before_typing": action.clear}
        return {"text": typed, **ends, **clears}


@dataclass(frozen=True, slots=True)
class _DocumentTurn(Turn):
    """A scroll of the page, by half of it to a side."""

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        sideways = rendering.read_direction(call.get("direction")) in ("left", "right")
        return Turn.read(Turn("direction") if sideways else self, call, on)


def _read_flag(call: ParsedCall, name: str, *, unset: bool) -> bool:
    value = call.named.get(name, unset)
    if not isinstance(value, bool):
        raise bad_answer(f"{name} is {shorten(value)}; expected true or false")
    return value


_HISTORY = (PressKey(key="back"), PressKey(key="forward"))
_TURN = Turn("direction", "magnitude", steps=1000, usual_steps=800)
_DOCUMENT = _DocumentTurn("direction", "magnitude", steps=1000, usual_steps=800)
_GRAMMAR = Grammar(
    (
        verb("click|click_at", "tap", at=XY()),
        verb("right_click", "tap", at=XY(), button=Is("right")),
        verb("middle_click", "tap", at=XY(), button=Is("middle")),
        verb("double_click", "double_tap", at=XY()),
        verb("triple_click", "triple_tap", at=XY()),
        verb("move|hover_at", "hover", at=XY()),
        verb("mouse_down", "button_down", at=XY()),
        verb("mouse_up", "button_up", at=XY()),
        verb("key_down", "key_down", key=HeldKey("key", _KEYS)),
        verb("key_up", "key_up", key=HeldKey("key", _KEYS)),
        verb("type", "type_text", at=Is(None), typing=_Typing()),
        verb("type_text_at", "type_text", at=XY(), typing=_Typing()),
        verb("scroll|scroll_at", "scroll", at=XY(), turn=_TURN),
        verb("drag_and_drop", "drag", start=XY(), end=XY("destination_x", "destination_y")),
        verb("go_back", "press_key", key=Is("back")),
        verb("go_forward", "press_key", key=Is("forward")),
        verb("navigate", "goto", url="url"),
        verb("wait", "wait", duration_s=Number("seconds?", unset=_WAIT_S)),
    ),
    also=(
        keys_verb("press_key|hotkey|key_combination", "keys|key", _KEYS),
        verb("search", "goto", url=Is(_ENGINE)),
        verb("scroll_document", "scroll", at=Lost(MIDDLE), turn=_DOCUMENT),
        verb("wait_5_seconds", "wait", duration_s=Lost(_LEGACY_WAIT_S)),
    ),
    word="call",
)


class GeminiComputer(ComputerTool):
    """Speaks and reads `{"name": "click_at", "args": {"x": …, "y": …}}`."""

    name = "gemini-computer"
    source = "google-gemini/computer-use-preview@c93bb2d agent.py"
    space: ClassVar[Space] = _SPACE
    """Whole thousandths of the screen."""
    tool_client = "gemini"
    tool_pictures: int | None = _SCREENS

    def tools(self, size: Size) -> list[JsonValue]:
        """The computer use of a browser, without the functions that are no step here."""
        excluded: list[JsonValue] = [*_LOOKS]
        browser: JsonValue = {
            "environment": "ENVIRONMENT_BROWSER",
            "excludedPredefinedFunctions": excluded,
        }
        return [{"computerUse": browser}]

    def tool_calls(self, decision: Decision, size: Size) -> list[ToolCall]:
        """The function calls that a decision is."""
        return [ToolCall(*self._function(action, size)) for action in decision.actions]

    def _words(self, size: Size) -> str:
        return _SYSTEM

    def _call(self, actions: Sequence[Action], size: Size) -> JsonObject:
        made: list[JsonObject] = []
        for action in actions:
            name, args = self._function(action, size)
            made.append({"name": name, "args": args})
        if len(made) == 1:
            return made[0]
        parts: list[JsonValue] = [{"function_call": call} for call in made]
        return {"content": {"parts": parts}, "finish_reason": "STOP"}

    def _end(self, reason: str) -> JsonObject:
        return {"content": {"parts": [{"text": reason}]}, "finish_reason": "STOP"}

    def _read(self, found: JsonObject, size: Size) -> Reading:
        candidates = found.get("candidates")
        if isinstance(candidates, list) and len(candidates) == 1:
            found = candidates[0] if isinstance(candidates[0], dict) else found
        content = found.get("content")
        if not isinstance(content, dict):
            made, said = [_function_call(found) or found], ""
        else:
            listed = content.get("parts")
            parts = [
                one for one in (listed if isinstance(listed, list) else []) if isinstance(one, dict)
            ]
            made = [call for part in parts if (call := _function_call(part)) is not None]
            said = "".join(text for part in parts if isinstance(text := part.get("text"), str))
            if not made:
                return [_read_end(found, said)], ""
        calls = skip_looks(made, "name", _LOOKS)
        return [_parse_call(call, size) for call in calls], said

    def _function(self, action: Action, size: Size) -> tuple[str, JsonObject]:
        rendering.check_plain(self.name, action)
        if isinstance(action, PressKey | Hotkey) and action not in _HISTORY:
            keys: list[JsonValue] = [*rendering.spell_keys(self.name, action, _KEYS, "")]
            return ("press_key", {"key": keys[0]}) if len(keys) == 1 else ("hotkey", {"keys": keys})
        return _GRAMMAR.write(action, On(self.name, size, _SPACE))


def _read_end(candidate: JsonObject, said: str) -> Finish:
    reason = candidate.get("finish_reason", candidate.get("finishReason"))
    if reason != "STOP":
        raise bad_answer(f"a candidate that stopped for {shorten(reason)}, without a call")
    return Finish(reason=said)


def _parse_call(call: JsonObject, size: Size) -> Action:
    name, args = call.get("name"), call.get("args", {})
    if not isinstance(args, dict):
        raise bad_answer(f"the args are {shorten(args)}; expected an object")
    if args.get("safety_decision") is not None:
        raise bad_answer("the call requires a confirmation first")
    return _GRAMMAR.read_object(args, On("gemini-computer", size, _SPACE), name)


def _function_call(part: JsonObject) -> JsonObject | None:
    """The call that a part holds; the API's languages spell its name in two ways."""
    call = part.get("function_call", part.get("functionCall"))
    return call if isinstance(call, dict) else None


GEMINI_COMPUTER = GeminiComputer()
