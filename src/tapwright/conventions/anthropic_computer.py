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
Keys have xdotool's names. `text` beside a click or a scroll is the keys that are held meanwhile (of
a click the reference also has `key`), `hold_key` keys that stay down for a while. Several calls in
one answer are done in their order, as the reference does them; there a click without a coordinate,
as computer_20241022 has it, is where the call before left the pointer. Screenshots, zooms and
questions for the pointer count for nothing beside others. A key that is repeated is so many
actions, and so are keys with blanks between them, which xdotool presses one after another. A scroll
without an amount is three notches, and keys without a time are held for a second, as in
computer-use-best-practices/computer_use/tools/computer.py. The end is a message with `end_turn`,
which is success. A phone's swipe, long press, apps, and its back and home keys are refused, as are
screenshots alone, and buttons that go down or up at a place: `left_mouse_down` takes none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import JsonValue

from tapwright.conventions import parsing, rendering
from tapwright.conventions.arguments import MIDDLE, Is, Number, On, Place, Turn
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.convention import Space
from tapwright.conventions.provider_computer import ComputerTool, Reading, skip_looks
from tapwright.conventions.pyautogui import pointer_after
from tapwright.conventions.verbs import Grammar, keys_verb, verb
from tapwright.core.actions import Action, Finish, Hotkey, held_keys
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import ToolCall

_SPACE: Space = "pixel"
_TILE_PX = 28
_SCREENS = 3  # claude-quickstarts@370e18d computer-use-demo/computer_use_demo/streamlit.py
_NOTCHES = 10
_LONGEST_S = 100  # as the reference refuses more
_MOST_REPEATS = 100
_LOOKS = ("screenshot", "zoom", "cursor_position")
_KEYS = {
    "control": "ctrl", "meta": "super", "enter": "Return", "backspace": "BackSpace",
    "delete": "Delete", "tab": "Tab", "escape": "Escape", "up": "Up", "down": "Down",
    "left": "Left", "right": "Right", "page_up": "Page_Up", "page_down": "Page_Down",
    "move_home": "Home", "move_end": "End",
}  # fmt: skip
_HOLD_NONE = ("mouse_move", "left_click_drag")
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
class _HeldDown:
    """Keys that are held for a time."""

    fields: tuple[str, ...] = ("keys",)

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        names = rendering.split_keys(parsing.read_text(call.get("text"), "text"))
        return {"keys": rendering.read_held(names)}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, Hotkey)
        if not action.duration_s:
            return None
        if action.duration_s > _LONGEST_S:
            raise rendering.unsupported(on.convention, action, f"{_LONGEST_S} s at the most")
        spelled = rendering.spell_held(on.convention, action, action.keys, _KEYS, "+")
        return {"text": "+".join(spelled)}


def _pointed(name: str = "coordinate", unset: Point | None = None) -> Place:
    return Place(name, pointer=True, unset=unset)


_GRAMMAR = Grammar(
    (
        verb("left_click", "tap", at=_pointed()),
        verb("right_click", "tap", at=_pointed(), button=Is("right")),
        verb("middle_click", "tap", at=_pointed(), button=Is("middle")),
        verb("double_click", "double_tap", at=_pointed()),
        verb("triple_click", "triple_tap", at=_pointed()),
        verb("mouse_move", "hover", at="coordinate"),
        verb("left_click_drag", "drag", start=_pointed("start_coordinate"), end="coordinate"),
        verb("left_mouse_down", "button_down"),
        verb("left_mouse_up", "button_up"),
        verb(
            "scroll",
            "scroll",
            at=_pointed(unset=MIDDLE),
            turn=Turn("scroll_direction", "scroll_amount", steps=_NOTCHES, usual_steps=3),
        ),
        verb("type", "type_text", text="text"),
        verb("hold_key", "hotkey", keys=_HeldDown(), duration_s=Number("duration?", unset=1.0)),
        keys_verb("key", "text", _KEYS, "+"),
        verb("wait", "wait", duration_s=Number("duration?", unset=1.0)),
    )
)


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


class AnthropicComputer(ComputerTool):
    """Speaks and reads `{"type": "tool_use", "name": "computer", "input": {"action": …}}`."""

    source = (
        "anthropics/claude-quickstarts@370e18d "
        "computer-use-demo/computer_use_demo/tools/computer.py"
    )
    space: ClassVar[Space] = _SPACE
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

    def tool_calls(self, decision: Decision, size: Size) -> list[ToolCall]:
        """The inputs of the tool for a decision, a call for each action."""
        seen = self.model_size(size)
        return [ToolCall("computer", self._input(action, seen)) for action in decision.actions]

    def _words(self, size: Size) -> str:
        seen = self.model_size(size)
        return _SYSTEM.format(width=seen.width, height=seen.height)

    def _call(self, actions: Sequence[Action], size: Size) -> parsing.JsonObject:
        seen = self.model_size(size)
        blocks: list[JsonValue] = [
            {"type": "tool_use", "name": "computer", "input": self._input(action, seen)}
            for action in actions
        ]
        if len(blocks) == 1 and isinstance(blocks[0], dict):
            return blocks[0]
        return {"type": "message", "stop_reason": "tool_use", "content": blocks}

    def _end(self, reason: str) -> parsing.JsonObject:
        text: JsonValue = {"type": "text", "text": reason}
        return {"type": "message", "stop_reason": "end_turn", "content": [text]}

    def _read(self, found: parsing.JsonObject, size: Size) -> Reading:
        content = found.get("content")
        if not isinstance(content, list):
            return read_computer_calls([found], self.model_size(size)), ""
        parts = [part for part in content if isinstance(part, dict)]
        said = "".join(text for part in parts if isinstance(text := part.get("text"), str))
        calls = [part for part in parts if part.get("type") == "tool_use"]
        if calls:
            return read_computer_calls(calls, self.model_size(size)), said
        reason = found.get("stop_reason")
        if reason != "end_turn":
            raise parsing.bad_answer(
                f"a message that stopped for {parsing.shorten(reason)}, without a call"
            )
        return [Finish(reason=said)], ""

    def _input(self, action: Action, seen: Size) -> parsing.JsonObject:
        held = held_keys(action)
        bare = action.model_copy(update={"held": ()}) if held else action
        word, said = _GRAMMAR.write(bare, On(self.name, seen, _SPACE))
        if held:
            if word in _HOLD_NONE:
                raise rendering.unsupported(
                    self.name, action, "it holds no keys while the pointer moves"
                )
            said["text"] = "+".join(rendering.spell_held(self.name, action, held, _KEYS, "+"))
        return {"action": word, **said}


def read_computer_calls(blocks: Sequence[parsing.JsonObject], seen: Size) -> list[Action]:
    """The actions of calls of the tool, or of its inputs alone; places are pixels of `seen`.

    Raises:
        BadAnswerError: one is none, or none of them acts.
    """
    pointer: Point | None = None
    actions: list[Action] = []
    for given in skip_looks([_input_of(block) for block in blocks], "action", _LOOKS):
        found = _parse_input(given, seen, pointer)
        actions += found
        pointer = pointer_after(found[-1]) or pointer
    return actions


def _input_of(block: parsing.JsonObject) -> parsing.JsonObject:
    given = block.get("input", block)
    if block.get("name", "computer") != "computer" or not isinstance(given, dict):
        raise parsing.bad_answer(
            f"a call of {parsing.shorten(block.get('name'))}; expected computer with an input"
        )
    return given


def _parse_input(given: parsing.JsonObject, seen: Size, pointer: Point | None) -> Sequence[Action]:
    """The actions of one input; `pointer` is where it is known to be."""
    word = given.get("action")
    if word == "key":
        times = parsing.read_number(given.get("repeat") or 1, "repeat")
        if not 1 <= times <= _MOST_REPEATS:
            raise parsing.bad_answer(
                f"a key is pressed {times:g} times; expected 1 to {_MOST_REPEATS}"
            )
        text = parsing.read_text(given.get("text"), "text")
        return [
            rendering.press_keys(rendering.split_keys(one)) for one in text.split() or [text]
        ] * int(times)
    on = On("anthropic-computer", seen, _SPACE, pointer=pointer)
    action = _GRAMMAR.read_object(given, on, word)
    takes_keys = word != "mouse_move" and "held" in type(action).model_fields
    if not takes_keys or not (held := _read_held(given)):
        return [action]
    if word == "left_click_drag":
        raise parsing.bad_answer("left_click_drag takes no keys")
    return [action.model_copy(update={"held": held})]


def _read_held(given: parsing.JsonObject) -> tuple[str, ...]:
    """The keys that are held, `text` in the API and `key` of a click in the reference."""
    keys = given.get("text") or given.get("key")
    return (
        rendering.read_held(rendering.split_keys(parsing.read_text(keys, "text"))) if keys else ()
    )


ANTHROPIC_COMPUTER = AnthropicComputer(
    "anthropic-computer", "computer_20250124", PictureLimit(1568, 1568)
)
ANTHROPIC_COMPUTER_HIGH = AnthropicComputer(
    "anthropic-computer-high", "computer_20251124", PictureLimit(2576, 4784)
)
