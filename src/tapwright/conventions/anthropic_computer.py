"""Anthropic's computer tool: one `tool_use` block, in pixels of the scaled-down screenshot.

Follows the inputs of the tool types computer_20241022, 20250124 and 20251124 (https://github.com/
anthropics/claude-quickstarts/blob/370e18d4a20ff5fd4bc1a6bf11d5105b2383977c computer-use-demo/
computer_use_demo/tools/computer.py). The API scales a picture down until its long side and its
tiles of 28x28 pixels keep a limit (computer-use-best-practices/computer_use/image.py), and the
model answers in pixels of the result; so pictures are sent in that size. The limits are 1568 pixels
and 1568 tiles (constants.py); for models with high resolution, which `anthropic-computer-high` is
for, 2576 pixels and 4784 tiles (https://platform.claude.com/docs/en/build-with-claude/vision).

An answer is the block as JSON, as the API gives it, where the tool is declared, or a model that is
queried in text; the tool has no words of its own to be prompted with in text, so those are ours.

Rules: a scroll has a direction, which names what comes into view, and notches, ten to a screen.
Keys have xdotool's names. The end is a message with `end_turn`, which is success. A phone's swipe,
long press, apps, and its back and home keys are refused, as are clicks without a coordinate (which
is how computer_20241022 clicks), half clicks, held or repeated keys, keys that are held while the
mouse is used, screenshots and zooms.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    JsonObject,
    bad_answer,
    build_action,
    make_decision,
    read_answer,
    read_last_object,
    read_number,
    read_place,
    read_text,
    reasoning_before,
    shorten,
)
from tapwright.conventions.prompting import build_prompt
from tapwright.conventions.rendering import (
    make_scroll,
    press_keys,
    read_direction,
    refuse_details,
    round_number,
    spell_keys,
    split_scroll,
    unsupported,
    whole_numbers,
)
from tapwright.core.actions import (
    Action,
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
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, ToolCall
from tapwright.core.observation import Observation

_SPACE: Space = "pixel"
_TILE_PX = 28
_SCREENS = 3  # claude-quickstarts@370e18d computer-use-demo/computer_use_demo/streamlit.py
_NOTCHES = 10
_KEYS = {
    "control": "ctrl", "meta": "super", "enter": "Return", "backspace": "BackSpace",
    "delete": "Delete", "tab": "Tab", "escape": "Escape", "up": "Up", "down": "Down",
    "left": "Left", "right": "Right", "page_up": "Page_Up", "page_down": "Page_Down",
    "move_home": "Home", "move_end": "End",
}  # fmt: skip
_CLICKS = {"left": "left_click", "right": "right_click", "middle": "middle_click"}
_MULTIPLE: Mapping[str, type[DoubleTap | TripleTap]] = {
    "double_click": DoubleTap, "triple_click": TripleTap,
}  # fmt: skip
_BUTTON_OF = {verb: button for button, verb in _CLICKS.items()}
_SYSTEM = """\
You operate a computer for a user, one action at a time, and see a screenshot of {width}x{height} \
pixels after each. x runs to the right, y down.

Say why in a sentence, then give one JSON object, \
{{"type": "tool_use", "name": "computer", "input": …}}, where the input is one of
{{"action": "left_click" | "right_click" | "middle_click" | "double_click" | "triple_click" | \
"mouse_move", "coordinate": [x, y]}}
{{"action": "left_click_drag", "start_coordinate": [x, y], "coordinate": [x, y]}}
{{"action": "scroll", "coordinate": [x, y], "scroll_direction": "up" | "down" | "left" | "right", \
"scroll_amount": notches}}
{{"action": "type", "text": …}}
{{"action": "key", "text": "ctrl+s"}} with xdotool's names of keys
{{"action": "wait", "duration": seconds}}
When the task is done, give \
{{"type": "message", "stop_reason": "end_turn", "content": [{{"type": "text", "text": …}}]}}."""


@dataclass(frozen=True, slots=True)
class PictureLimit:
    """The pictures that the API does not scale: the longer side, and tiles of 28x28 pixels."""

    side_px: int
    tiles: int

    def size(self, size: Size) -> Size:
        """The largest size of the same shape within the limit, found as the reference finds it.

        Its binary search runs over the longer side; the other one is rounded.
        """
        if self._keeps(size.width, size.height):
            return size
        long, short = max(size.width, size.height), min(size.width, size.height)
        aspect, fits, too_long = long / short, 1, long
        while fits + 1 < too_long:
            middle = (fits + too_long) // 2
            if self._keeps(middle, max(round(middle / aspect), 1)):
                fits = middle
            else:
                too_long = middle
        other = max(round(fits / aspect), 1)
        return Size(other, fits) if size.height > size.width else Size(fits, other)

    def _keeps(self, width: int, height: int) -> bool:
        tiles = -(-width // _TILE_PX) * -(-height // _TILE_PX)
        return max(width, height) <= self.side_px and tiles <= self.tiles


class AnthropicComputer:
    """Speaks and reads `{"type": "tool_use", "name": "computer", "input": {"action": …}}`."""

    source = (
        "anthropics/claude-quickstarts@370e18d "
        "computer-use-demo/computer_use_demo/tools/computer.py"
    )
    space: Space = _SPACE
    """Pixels of the screenshot as it is sent."""
    tool_client = "anthropic"
    tool_pictures: int | None = _SCREENS
    sent_filter: Literal["lanczos"] = "lanczos"

    def __init__(self, name: str, tool: str, limit: PictureLimit) -> None:
        self.name = name
        self._tool = tool
        self._limit = limit

    def model_size(self, size: Size) -> Size:
        """The size scaled down to the API's limits; smaller pictures stay as they are."""
        return self._limit.size(size)

    def sent_size(self, size: Size) -> Size:
        """The same: the API would scale a larger picture itself."""
        return self._limit.size(size)

    def tools(self, size: Size) -> list[JsonValue]:
        """The computer tool for a screen of `size`, as the picture of it is sent."""
        sent = self.sent_size(size)
        return [
            {
                "type": self._tool,
                "name": "computer",
                "display_width_px": sent.width,
                "display_height_px": sent.height,
            }
        ]

    def tool_call(self, decision: Decision, size: Size) -> ToolCall:
        """The input of the tool for a decision.

        Raises:
            UnsupportedByConventionError: the tool has no such action.
        """
        return ToolCall("computer", self._input(decision.action, self.model_size(size)))

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The actions in the system turn; then the task, the calls so far, and the screen."""
        seen = self.model_size(observation.size)
        system = _SYSTEM.format(width=seen.width, height=seen.height)
        return build_prompt(self, system, instruction, history, observation)

    def render(self, decision: Decision, size: Size) -> str:
        """The reason, if there is one, and the block."""
        refuse_details(self.name, decision.action)
        block = json.dumps(
            self._render_action(decision.action, self.model_size(size)), ensure_ascii=False
        )
        reasoning = decision.reasoning.strip()
        return f"{reasoning}\n{block}" if reasoning else block

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last block that can be read.

        Raises:
            BadAnswerError: there is none.
        """
        thoughts, answer = read_answer(text)
        return read_last_object(
            answer,
            lambda block, before: make_decision(
                read_computer_call(block, self.model_size(size)),
                reasoning_before(before) or thoughts,
            ),
        )

    def _render_action(self, action: Action, seen: Size) -> JsonObject:
        if isinstance(action, Finish):
            if action.outcome != "success":
                raise unsupported(self.name, action, "a message without a call reports no failure")
            return {
                "type": "message",
                "stop_reason": "end_turn",
                "content": [{"type": "text", "text": action.reason}],
            }
        return {"type": "tool_use", "name": "computer", "input": self._input(action, seen)}

    def _input(self, action: Action, seen: Size) -> JsonObject:
        match action:
            case Tap(at=at, button=button):
                return {"action": _CLICKS[button], "coordinate": whole_numbers(at, seen, _SPACE)}
            case DoubleTap(at=at):
                return {"action": "double_click", "coordinate": whole_numbers(at, seen, _SPACE)}
            case TripleTap(at=at):
                return {"action": "triple_click", "coordinate": whole_numbers(at, seen, _SPACE)}
            case Hover(at=at):
                return {"action": "mouse_move", "coordinate": whole_numbers(at, seen, _SPACE)}
            case Drag(start=start, end=end):
                return {
                    "action": "left_click_drag",
                    "start_coordinate": whole_numbers(start, seen, _SPACE),
                    "coordinate": whole_numbers(end, seen, _SPACE),
                }
            case Scroll(at=at):
                word, amount = split_scroll(self.name, action)
                return {
                    "action": "scroll",
                    "coordinate": whole_numbers(at, seen, _SPACE),
                    "scroll_direction": word,
                    "scroll_amount": max(1, round(amount * _NOTCHES)),
                }
            case TypeText(text=text, at=None, clear=False):
                return {"action": "type", "text": text}
            case PressKey() | Hotkey():
                return {"action": "key", "text": "+".join(
                    spell_keys(self.name, action, _KEYS, "+")
                )}  # fmt: skip
            case Wait(duration_s=seconds):
                return {"action": "wait", "duration": round_number(seconds)}
        raise unsupported(self.name, action, "the tool has no such action")


def read_computer_call(block: JsonObject, seen: Size) -> Action:
    """The action of a call of the tool, or of its input alone; places are pixels of `seen`.

    Raises:
        BadAnswerError: it is none, or nothing that one step is.
    """
    content = block.get("content")
    if isinstance(content, list):
        return _parse_message(block, content, seen)
    given = block.get("input", block)
    if block.get("name", "computer") != "computer" or not isinstance(given, dict):
        raise bad_answer(f"a call of {shorten(block.get('name'))}; expected computer with an input")
    verb = given.get("action")
    if verb in (*_BUTTON_OF, *_MULTIPLE, "scroll", "left_click_drag") and (
        given.get("text") or given.get("key")
    ):
        raise bad_answer("keys are held while the mouse is used, which is no action of one step")
    if isinstance(verb, str) and (verb in _BUTTON_OF or verb in _MULTIPLE):
        if given.get("coordinate") is None:
            raise bad_answer("a click where the pointer is; expected a coordinate")
        at = read_place(given["coordinate"], "coordinate", seen, _SPACE)
        if verb in _MULTIPLE:
            return _MULTIPLE[verb](at=at)
        return build_action(Tap, at=at, button=_BUTTON_OF[verb])
    match verb:
        case "mouse_move":
            return Hover(at=read_place(given.get("coordinate"), "coordinate", seen, _SPACE))
        case "left_click_drag":
            return Drag(
                start=read_place(given.get("start_coordinate"), "start_coordinate", seen, _SPACE),
                end=read_place(given.get("coordinate"), "coordinate", seen, _SPACE),
            )
        case "scroll":
            where = given.get("coordinate")
            at = Point(0.5, 0.5) if where is None else read_place(where, "coordinate", seen, _SPACE)
            amount = read_number(given.get("scroll_amount"), "scroll_amount") / _NOTCHES
            return make_scroll(read_direction(given.get("scroll_direction")), at, amount)
        case "type":
            return TypeText(text=read_text(given.get("text"), "text"))
        case "key":
            if given.get("repeat") not in (None, 1):
                raise bad_answer("a key is pressed several times; expected once")
            return press_keys(_keys(read_text(given.get("text"), "text")))
        case "wait":
            seconds = given.get("duration")
            return (
                Wait()
                if seconds is None
                else build_action(Wait, duration_s=read_number(seconds, "duration"))
            )
    raise bad_answer(
        f"the action is {shorten(verb)}; expected left_click, type, scroll or the like"
    )


def _parse_message(message: JsonObject, content: list[JsonValue], seen: Size) -> Action:
    parts = [part for part in content if isinstance(part, dict)]
    made = [part for part in parts if part.get("type") == "tool_use"]
    if len(made) > 1:
        raise bad_answer(f"{len(made)} calls in one answer; expected one")
    if made:
        return read_computer_call(made[0], seen)
    if message.get("stop_reason") != "end_turn":
        raise bad_answer(
            f"a message that stopped for {shorten(message.get('stop_reason'))}, without a call"
        )
    return Finish(reason="".join(t for part in parts if isinstance(t := part.get("text"), str)))


def _keys(combination: str) -> list[str]:
    if combination.endswith("++") or combination == "+":
        return [*combination[:-2].split("+"), "+"]
    return combination.split("+")


ANTHROPIC_COMPUTER = AnthropicComputer(
    "anthropic-computer", "computer_20250124", PictureLimit(1568, 1568)
)
ANTHROPIC_COMPUTER_HIGH = AnthropicComputer(
    "anthropic-computer-high", "computer_20251124", PictureLimit(2576, 4784)
)
