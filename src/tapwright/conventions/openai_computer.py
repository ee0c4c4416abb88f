"""OpenAI's computer tool: one `computer_call` item, in pixels of the screenshot.

Follows https://github.com/openai/openai-python/blob/1806456f7bbd64b0579c20f07aa03daa360390fd
/src/openai/types/responses/computer_action.py. An answer is the item as JSON, as the API gives it,
where the tool is declared, or a model that is queried in text. The tool has no words of its own to
be prompted with in text, so those are ours. The tool declared is `computer`, which takes no size;
`computer-use-preview` knows only `computer_use_preview`, which `openai-computer-preview` declares.

Rules: positive scrolls show what is below and to the right, in pixels. The middle button is
"wheel"; the buttons "back" and "forward" are the browser's, as "back" is in
openai/openai-cua-sample-app@eb2d58b computers/base_playwright.py, and so keys. `keys` beside a
place are held meanwhile, and a drag goes by every place of its path. One key is a `PressKey`,
several a `Hotkey`. In a batch of `actions`, screenshots count for nothing, as one follows each step
anyway. The end is a `message` item, which is success. A phone's swipe, long press, apps and its
home key are refused, as are addresses and tabs, buttons and keys that go down or up alone,
screenshots alone, and calls that want a safety check acknowledged. The preview's tool has one
action in a call.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from tapwright.conventions import parsing
from tapwright.conventions.arguments import MIDDLE, XY, Choice, On
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.convention import Space
from tapwright.conventions.provider_computer import (
    ComputerTool,
    Reading,
    read_names,
    read_xy,
    skip_looks,
)
from tapwright.conventions.rendering import read_held, sole_action, spell_held, unsupported
from tapwright.conventions.verbs import Grammar, keys_verb, verb
from tapwright.core.actions import Action, Drag, Finish, Hotkey, PressKey, Scroll, held_keys
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import ToolCall

_SPACE: Space = "pixel"
_BUTTONS = {"left": "left", "right": "right", "wheel": "middle", "middle": "middle"}
_BROWSERS = ("back", "forward")
_KEYS = {
    "control": "CTRL", "shift": "SHIFT", "alt": "ALT", "meta": "META", "enter": "ENTER",
    "backspace": "BACKSPACE", "delete": "DELETE", "tab": "TAB", "escape": "ESC",
    "space": "SPACE", "up": "ARROWUP", "down": "ARROWDOWN", "left": "ARROWLEFT",
    "right": "ARROWRIGHT", "page_up": "PAGEUP", "page_down": "PAGEDOWN", "move_home": "HOME",
    "move_end": "END",
}  # fmt: skip
_LOOKS = ("screenshot",)
_SYSTEM = """\
You operate a computer for a user, one action at a time, and see a screenshot of {width}x{height} \
pixels after each. x runs to the right, y down.

Say why in a sentence, then give one JSON object, {{"type": "computer_call", "action": …}}, where \
the action is one of
{{"type": "click", "button": "left" | "right" | "wheel" | "back" | "forward", "x": …, "y": …}}
{{"type": "double_click", "x": …, "y": …}}
{{"type": "move", "x": …, "y": …}}
{{"type": "drag", "path": [{{"x": …, "y": …}}, {{"x": …, "y": …}}]}}
{{"type": "scroll", "x": …, "y": …, "scroll_x": …, "scroll_y": …}} in pixels; positive scroll_y \
shows what is below
{{"type": "type", "text": …}}
{{"type": "keypress", "keys": [ … ]}} all held together
{{"type": "wait"}}
When the task is done, give \
{{"type": "message", "content": [{{"type": "output_text", "text": …}}]}}."""


def _xy(at: Point, on: On) -> parsing.JsonObject:
    x, y = on.numbers(at)
    return {"x": x, "y": y}


@dataclass(frozen=True, slots=True)
class _Path:
    """The places of a drag, its start and end among them."""

    fields: tuple[str, ...] = ("start", "path", "end")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        path = call.get("path")
        if not isinstance(path, list) or len(path) < 2:
            raise parsing.bad_answer(
                f"the path is {parsing.shorten(path)}; expected two places or more"
            )
        start, *places, end = (read_xy(one, on.size, on.space) for one in path)
        return {"start": start, "path": tuple(places), "end": end}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, Drag)
        return {"path": [_xy(at, on) for at in (action.start, *action.path, action.end)]}


@dataclass(frozen=True, slots=True)
class _Pixels:
    """How far a wheel turns, in pixels."""

    fields: tuple[str, ...] = ("dx", "dy")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        x, y = (
            parsing.read_number(call.named.get(name, 0), name) for name in ("scroll_x", "scroll_y")
        )
        return {"dx": x / on.size.width, "dy": y / on.size.height}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, Scroll)
        x, y = action.dx * on.size.width, action.dy * on.size.height
        return {"scroll_x": round(x), "scroll_y": round(y)}


_GRAMMAR = Grammar(
    (
        verb("click", "tap", button=Choice("button?", _BUTTONS), at=XY()),
        verb("double_click", "double_tap", at=XY()),
        verb("move", "hover", at=XY()),
        verb("drag", "drag", path=_Path()),
        verb("scroll", "scroll", at=XY(), pixels=_Pixels()),
        verb("type", "type_text", text="text"),
        keys_verb("keypress", "keys", _KEYS),
        verb("wait", "wait"),
    )
)


class OpenAiComputer(ComputerTool):
    """Speaks and reads `{"type": "computer_call", "action": {"type": "click", …}}`."""

    source = "openai/openai-python@1806456 src/openai/types/responses/computer_action.py"
    space: ClassVar[Space] = _SPACE
    """Pixels of the screenshot as it is sent."""
    tool_client = "openai-responses"
    tool_pictures: int | None = None  # the API truncates by itself

    def __init__(self, name: str, *, is_preview: bool) -> None:
        self.name = name
        self._is_preview = is_preview

    def tools(self, size: Size) -> list[JsonValue]:
        """The computer tool; the preview's has the size of the screen and names what it is."""
        if not self._is_preview:
            return [{"type": "computer"}]
        return [
            {
                "type": "computer_use_preview",
                "display_width": size.width,
                "display_height": size.height,
                "environment": "browser",
            }
        ]

    def tool_calls(self, decision: Decision, size: Size) -> list[ToolCall]:
        """The computer call: of one action for the preview, of a batch otherwise."""
        if self._is_preview:
            sole_action(self.name, decision)
        actions: list[JsonValue] = [self._render_action(one, size) for one in decision.actions]
        arguments = {"action": actions[0]} if self._is_preview else {"actions": actions}
        return [ToolCall("computer", arguments)]

    def _words(self, size: Size) -> str:
        return _SYSTEM.format(width=size.width, height=size.height)

    def _call(self, actions: Sequence[Action], size: Size) -> parsing.JsonObject:
        made: list[JsonValue] = [self._render_action(one, size) for one in actions]
        if len(made) == 1:
            return {"type": "computer_call", "action": made[0]}
        if self._is_preview:
            raise unsupported(self.name, actions[1], "its tool has one action in a call")
        return {"type": "computer_call", "actions": made}

    def _end(self, reason: str) -> parsing.JsonObject:
        return {"type": "message", "content": [{"type": "output_text", "text": reason}]}

    def _read(self, found: parsing.JsonObject, size: Size) -> Reading:
        output = found.get("output")
        listed = output if isinstance(output, list) else [found]
        items = [item for item in listed if isinstance(item, dict)]
        said = "".join(_text_of(item) for item in items if item.get("type") == "message")
        calls = [item for item in items if item.get("type") != "message"]
        if isinstance(output, list):
            calls = [item for item in calls if item.get("type") == "computer_call"]
        if not calls and items:
            return [Finish(reason=said)], ""
        made = skip_looks([one for call in calls for one in _batch(call)], "type", _LOOKS)
        return [_parse_action(one, size) for one in made], said

    def _render_action(self, action: Action, size: Size) -> parsing.JsonObject:
        held = held_keys(action)
        bare = action.model_copy(update={"held": ()}) if held else action
        on = On(self.name, size, _SPACE)
        if isinstance(bare, PressKey) and bare.key in _BROWSERS:
            return {"type": "click", "button": bare.key, **_xy(MIDDLE, on)}
        if isinstance(bare, Hotkey) and bare.duration_s:
            raise unsupported(self.name, action, "the tool holds no keys for a time")
        word, said = _GRAMMAR.write(bare, on)
        if held:
            said["keys"] = [*spell_held(self.name, action, held, _KEYS)]
        return {"type": word, **said}


def _text_of(item: parsing.JsonObject) -> str:
    parts = item.get("content")
    return "".join(
        text
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and isinstance(text := part.get("text"), str)
    )


def _batch(item: parsing.JsonObject) -> list[parsing.JsonObject]:
    """The actions of a call, or an action alone."""
    if item.get("pending_safety_checks"):
        raise parsing.bad_answer("the call requires that a safety check is acknowledged first")
    batch = item.get("actions")
    made: list[parsing.JsonObject] = []
    for action in batch if isinstance(batch, list) else [item.get("action", item)]:
        if not isinstance(action, dict):
            raise parsing.bad_answer(f"the action is {parsing.shorten(action)}; expected an object")
        made.append(action)
    return made


def _parse_action(found: parsing.JsonObject, size: Size) -> Action:
    word = found.get("type")
    keys = found.get("keys")
    held = () if keys is None or word == "keypress" else read_held(read_names(keys))
    button = found.get("button")
    if word == "click" and button in _BROWSERS and not held:
        return parsing.build_action(PressKey, key=button)
    action = _GRAMMAR.read_object(found, On("openai-computer", size, _SPACE), word)
    if not held or "held" not in type(action).model_fields:
        return action
    return action.model_copy(update={"held": held})


OPENAI_COMPUTER = OpenAiComputer("openai-computer", is_preview=False)
OPENAI_COMPUTER_PREVIEW = OpenAiComputer("openai-computer-preview", is_preview=True)
