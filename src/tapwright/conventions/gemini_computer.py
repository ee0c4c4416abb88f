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
after each. `take_screenshot` counts for nothing beside others.

Refused are a phone's swipe, long press and apps, the browser's start and its search
(open_web_browser, search), tabs, screenshots alone, and calls that ask for a confirmation. Where
the tool is declared, `take_screenshot` is excluded.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import JsonValue

from tapwright.conventions.computer_tool import (
    ComputerTool,
    Reading,
    read_xy,
    render_xy,
    skip_looks,
)
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    JsonObject,
    bad_answer,
    build_action,
    read_number,
    read_text,
    shorten,
)
from tapwright.conventions.rendering import (
    check_plain,
    make_scroll,
    press_keys,
    read_direction,
    read_held,
    round_number,
    spell_held,
    spell_keys,
    split_scroll,
    unsupported,
    whole_numbers,
)
from tapwright.core.actions import (
    Action,
    ButtonDown,
    ButtonUp,
    DoubleTap,
    Drag,
    Finish,
    Goto,
    Hotkey,
    Hover,
    KeyDown,
    KeyUp,
    PressKey,
    Scroll,
    Tap,
    TripleTap,
    TypeText,
    Wait,
)
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import ToolCall

_SPACE: Space = "permille"
_MAGNITUDE = 800
_SCREENS = 3  # MAX_RECENT_TURN_WITH_SCREENSHOTS
_LOOKS = ("take_screenshot",)
_CLICKS: Mapping[str, str] = {
    "click": "left", "click_at": "left", "right_click": "right", "middle_click": "middle",
}  # fmt: skip
_CLICK_OF = {"left": "click", "right": "right_click", "middle": "middle_click"}
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
        """The function calls that a decision is.

        Raises:
            UnsupportedByConventionError: there is no such function.
        """
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
        check_plain(self.name, action)
        match action:
            case Tap(at=at, button=button) if button in _CLICK_OF:
                return _CLICK_OF[button], render_xy(at, size, _SPACE)
            case DoubleTap(at=at):
                return "double_click", render_xy(at, size, _SPACE)
            case TripleTap(at=at):
                return "triple_click", render_xy(at, size, _SPACE)
            case Hover(at=at):
                return "move", render_xy(at, size, _SPACE)
            case ButtonDown(at=Point() as at, button="left"):
                return "mouse_down", render_xy(at, size, _SPACE)
            case ButtonUp(at=Point() as at, button="left"):
                return "mouse_up", render_xy(at, size, _SPACE)
            case KeyDown(key=key) | KeyUp(key=key):
                (name,) = spell_held(self.name, action, [key], _KEYS)
                return action.type, {"key": name}
            case TypeText(text=text, at=None, clear=False):
                return "type", _render_text(text)
            case TypeText(text=text, at=Point() as at, clear=clear):
                return "type_text_at", {
                    **render_xy(at, size, _SPACE),
                    **_render_text(text),
                    "clear_before_typing": clear,
                }
            case Scroll(at=at):
                word, amount = split_scroll(self.name, action)
                magnitude = max(1, round(amount * 1000))
                return "scroll", {
                    **render_xy(at, size, _SPACE),
                    "direction": word,
                    "magnitude": magnitude,
                }
            case Drag(start=start, end=end):
                x, y = whole_numbers(end, size, _SPACE)
                return "drag_and_drop", {
                    **render_xy(start, size, _SPACE),
                    "destination_x": x,
                    "destination_y": y,
                }
            case PressKey(key="back"):
                return "go_back", {}
            case PressKey(key="forward"):
                return "go_forward", {}
            case Goto(url=url):
                return "navigate", {"url": url}
            case PressKey() | Hotkey():
                keys: list[JsonValue] = [*spell_keys(self.name, action, _KEYS, "")]
                if len(keys) == 1:
                    return "press_key", {"key": keys[0]}
                return "hotkey", {"keys": keys}
            case Wait(duration_s=seconds):
                return "wait", {"seconds": round_number(seconds)}
        raise unsupported(self.name, action, "it has no such function")


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
    if isinstance(name, str) and name in _CLICKS:
        return build_action(Tap, at=read_xy(args, size, _SPACE), button=_CLICKS[name])
    match name:
        case "double_click":
            return DoubleTap(at=read_xy(args, size, _SPACE))
        case "triple_click":
            return TripleTap(at=read_xy(args, size, _SPACE))
        case "move" | "hover_at":
            return Hover(at=read_xy(args, size, _SPACE))
        case "mouse_down":
            return ButtonDown(at=read_xy(args, size, _SPACE))
        case "mouse_up":
            return ButtonUp(at=read_xy(args, size, _SPACE))
        case "key_down" | "key_up":
            (key,) = read_held([read_text(args.get("key"), "key")])
            return KeyDown(key=key) if name == "key_down" else KeyUp(key=key)
        case "type":
            return TypeText(text=_read_typed(args))
        case "type_text_at":
            clear = _read_flag(args, "clear_before_typing", unset=True)
            return TypeText(text=_read_typed(args), at=read_xy(args, size, _SPACE), clear=clear)
        case "scroll_document":
            return _parse_scroll(args, Point(0.5, 0.5), is_document=True)
        case "scroll" | "scroll_at":
            return _parse_scroll(args, read_xy(args, size, _SPACE))
        case "drag_and_drop":
            return Drag(
                start=read_xy(args, size, _SPACE),
                end=read_xy(args, size, _SPACE, "destination_x", "destination_y"),
            )
        case "press_key":
            return press_keys([read_text(args.get("key"), "key")])
        case "hotkey" | "key_combination":
            return press_keys(_read_keys(args.get("keys")))
        case "go_back":
            return PressKey(key="back")
        case "go_forward":
            return PressKey(key="forward")
        case "navigate":
            return build_action(Goto, url=read_text(args.get("url"), "url"))
        case "wait":
            seconds = read_number(args.get("seconds", _WAIT_S), "seconds")
            return build_action(Wait, duration_s=seconds)
        case "wait_5_seconds":
            return Wait(duration_s=_LEGACY_WAIT_S)
    raise bad_answer(f"a call of {shorten(name)}; expected click, type, scroll or the like")


def _render_text(text: str) -> JsonObject:
    typed = text.removesuffix("\n")
    return {"text": typed} if typed == text else {"text": typed, "press_enter": True}


def _read_typed(args: JsonObject) -> str:
    ends = _read_flag(args, "press_enter", unset=False)
    return read_text(args.get("text"), "text") + ("\n" if ends else "")


def _read_flag(args: JsonObject, name: str, *, unset: bool) -> bool:
    value = args.get(name, unset)
    if not isinstance(value, bool):
        raise bad_answer(f"{name} is {shorten(value)}; expected true or false")
    return value


def _read_keys(keys: JsonValue) -> list[str]:
    """The keys of a list, or of one text joined by "+"."""
    if isinstance(keys, list):
        return [read_text(key, "a key") for key in keys]
    return read_text(keys, "keys").split("+")


def _function_call(part: JsonObject) -> JsonObject | None:
    """The call that a part holds; the API's languages spell its name in two ways."""
    call = part.get("function_call", part.get("functionCall"))
    return call if isinstance(call, dict) else None


def _parse_scroll(args: JsonObject, at: Point, *, is_document: bool = False) -> Scroll:
    direction = read_direction(args.get("direction"))
    if is_document and direction in ("left", "right"):
        return make_scroll(direction, at)
    amount = read_number(args.get("magnitude", _MAGNITUDE), "magnitude") / 1000
    return make_scroll(direction, at, amount)


GEMINI_COMPUTER = GeminiComputer()
