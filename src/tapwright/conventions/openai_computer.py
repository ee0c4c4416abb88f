"""OpenAI's computer tool: one `computer_call` item, in pixels of the screenshot.

Follows https://github.com/openai/openai-python/blob/1806456f7bbd64b0579c20f07aa03daa360390fd
/src/openai/types/responses/computer_action.py. An answer is the item as JSON, as the API gives it,
where the tool is declared, or a model that is queried in text. The tool has no words of its own to
be prompted with in text, so those are ours. The tool declared is `computer`, which takes no size;
`computer-use-preview` knows only `computer_use_preview`, which `openai-computer-preview` declares.

Rules: positive scrolls show what is below and to the right, in pixels. The middle button is
"wheel"; the buttons "back" and "forward" are the browser's, as "back" is in
openai/openai-cua-sample-app@eb2d58b computers/base_playwright.py, and so keys. A drag has a path,
of which the ends count. One key is a `PressKey`, several a `Hotkey`. In a batch of `actions`,
screenshots count for nothing, as one follows each step anyway. The end is a `message` item, which
is success. A phone's swipe, long press, apps and its home key are refused, as are addresses and
tabs, keys that are held while the mouse is used, screenshots alone, batches of several actions, and
calls that want a safety check acknowledged.
"""

import json
from collections.abc import Mapping, Sequence

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
    press_keys,
    refuse_details,
    spell_keys,
    unsupported,
    whole_numbers,
)
from tapwright.core.actions import (
    Action,
    Button,
    DoubleTap,
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
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, ToolCall
from tapwright.core.observation import Observation

_SPACE: Space = "pixel"
_BUTTONS: Mapping[str, Button] = {
    "left": "left", "right": "right", "wheel": "middle",
}  # fmt: skip
_BUTTON_OF = {ours: theirs for theirs, ours in _BUTTONS.items()}
_KEYS = {
    "control": "CTRL", "shift": "SHIFT", "alt": "ALT", "meta": "META", "enter": "ENTER",
    "backspace": "BACKSPACE", "delete": "DELETE", "tab": "TAB", "escape": "ESC",
    "space": "SPACE", "up": "ARROWUP", "down": "ARROWDOWN", "left": "ARROWLEFT",
    "right": "ARROWRIGHT", "page_up": "PAGEUP", "page_down": "PAGEDOWN", "move_home": "HOME",
    "move_end": "END",
}  # fmt: skip
_MIDDLE = Point(0.5, 0.5)
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


class OpenAiComputer:
    """Speaks and reads `{"type": "computer_call", "action": {"type": "click", …}}`."""

    source = "openai/openai-python@1806456 src/openai/types/responses/computer_action.py"
    space: Space = _SPACE
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

    def tool_call(self, decision: Decision, size: Size) -> ToolCall:
        """The action of a computer call: alone for the preview, in a batch of one otherwise.

        Raises:
            UnsupportedByConventionError: the tool has no such action.
        """
        action = self._render_tool_action(decision.action, size)
        return ToolCall(
            "computer", {"action": action} if self._is_preview else {"actions": [action]}
        )

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The actions in the system turn; then the task, the calls so far, and the screen."""
        system = _SYSTEM.format(width=observation.size.width, height=observation.size.height)
        return build_prompt(self, system, instruction, history, observation)

    def render(self, decision: Decision, size: Size) -> str:
        """The reason, if there is one, and the item."""
        refuse_details(self.name, decision.action)
        item = json.dumps(self._render_action(decision.action, size), ensure_ascii=False)
        reasoning = decision.reasoning.strip()
        return f"{reasoning}\n{item}" if reasoning else item

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last item that can be read.

        Raises:
            BadAnswerError: there is none.
        """
        thoughts, answer = read_answer(text)
        return read_last_object(
            answer,
            # A list of items is looked into: what stands in it before this one is no reason.
            lambda item, before: make_decision(
                _parse_action(_item(item), size),
                reasoning_before(before.partition("[{")[0]) or thoughts,
            ),
        )

    def _render_action(self, action: Action, size: Size) -> JsonObject:
        if isinstance(action, Finish):
            if action.outcome != "success":
                raise unsupported(self.name, action, "a message without a call reports no failure")
            return {
                "type": "message",
                "content": [{"type": "output_text", "text": action.reason}],
            }
        return {"type": "computer_call", "action": self._render_tool_action(action, size)}

    def _render_tool_action(self, action: Action, size: Size) -> JsonObject:
        match action:
            case Tap(at=at, button=button):
                return {
                    "type": "click",
                    "button": _BUTTON_OF[button],
                    **_render_point(at, size),
                }
            case DoubleTap(at=at):
                return {"type": "double_click", **_render_point(at, size)}
            case Hover(at=at):
                return {"type": "move", **_render_point(at, size)}
            case Drag(start=start, end=end):
                return {
                    "type": "drag",
                    "path": [_render_point(start, size), _render_point(end, size)],
                }
            case Scroll(at=at, dx=dx, dy=dy):
                return {
                    "type": "scroll",
                    **_render_point(at, size),
                    "scroll_x": round(dx * size.width),
                    "scroll_y": round(dy * size.height),
                }
            case TypeText(text=text, at=None, clear=False):
                return {"type": "type", "text": text}
            case PressKey(key="back" | "forward" as button):
                return {"type": "click", "button": button, **_render_point(_MIDDLE, size)}
            case PressKey() | Hotkey():
                keys: list[JsonValue] = [*spell_keys(self.name, action, _KEYS, "")]
                return {"type": "keypress", "keys": keys}
            case Wait():
                return {"type": "wait"}
        raise unsupported(self.name, action, "the tool has no such action")


def _render_point(point: Point, size: Size) -> JsonObject:
    x, y = whole_numbers(point, size, _SPACE)
    return {"x": x, "y": y}


def _item(found: JsonObject) -> JsonObject:
    """The item with the action, of a whole output or an action alone."""
    output = found.get("output")
    if isinstance(output, list):
        items = [item for item in output if isinstance(item, dict)]
        made = [item for item in items if item.get("type") == "computer_call"]
        made = made or [item for item in items if item.get("type") == "message"]
        if len(made) != 1:
            raise bad_answer(f"{len(made)} calls in one answer; expected one")
        return made[0]
    return found


def _parse_action(item: JsonObject, size: Size) -> Action:
    if item.get("type") == "message":
        parts = item.get("content")
        words = [
            text
            for part in (parts if isinstance(parts, list) else [])
            if isinstance(part, dict) and isinstance(text := part.get("text"), str)
        ]
        return Finish(reason="".join(words))
    if item.get("pending_safety_checks"):
        raise bad_answer("the call requires that a safety check is acknowledged first")
    batch = item.get("actions")
    if isinstance(batch, list):
        batch = [one for one in batch if one != {"type": "screenshot"}] or batch
        if len(batch) != 1:
            raise bad_answer(f"{len(batch)} actions in one answer; expected one")
    action = batch[0] if isinstance(batch, list) else item.get("action", item)
    if not isinstance(action, dict):
        raise bad_answer(f"the action is {shorten(action)}; expected an object")
    if action.get("keys") and action.get("type") != "keypress":
        raise bad_answer("keys are held while the mouse is used, which is no action of one step")
    match action.get("type"):
        case "click":
            button = action.get("button", "left")
            if button in ("back", "forward"):
                return build_action(PressKey, key=button)
            if not isinstance(button, str) or button not in _BUTTONS:
                raise bad_answer(
                    f"the button is {shorten(button)}; expected left, right, wheel, back or forward"
                )
            return Tap(at=_read_point(action, size), button=_BUTTONS[button])
        case "double_click":
            return DoubleTap(at=_read_point(action, size))
        case "move":
            return Hover(at=_read_point(action, size))
        case "drag":
            path = action.get("path")
            if not isinstance(path, list) or len(path) < 2:
                raise bad_answer(f"the path is {shorten(path)}; expected two places or more")
            return Drag(start=_read_point(path[0], size), end=_read_point(path[-1], size))
        case "scroll":
            return build_action(
                Scroll,
                at=_read_point(action, size),
                dx=read_number(action.get("scroll_x", 0), "scroll_x") / size.width,
                dy=read_number(action.get("scroll_y", 0), "scroll_y") / size.height,
            )
        case "type":
            return TypeText(text=read_text(action.get("text"), "text"))
        case "keypress":
            keys = action.get("keys")
            if not isinstance(keys, list):
                raise bad_answer(f"the keys are {shorten(keys)}; expected a list of strings")
            return press_keys([read_text(key, "a key") for key in keys])
        case "wait":
            return Wait()
    if action.get("type") == "screenshot":
        raise bad_answer("a screenshot alone; one comes after each step, so an action is expected")
    raise bad_answer(
        f"the action is {shorten(action.get('type'))}; expected click, type, scroll or the like"
    )


def _read_point(found: JsonValue, size: Size) -> Point:
    if not isinstance(found, dict):
        raise bad_answer(f"a place is {shorten(found)}; expected x and y")
    at: list[JsonValue] = [read_number(found.get("x"), "x"), read_number(found.get("y"), "y")]
    return read_place(at, "x, y", size, _SPACE)


OPENAI_COMPUTER = OpenAiComputer("openai-computer", is_preview=False)
OPENAI_COMPUTER_PREVIEW = OpenAiComputer("openai-computer-preview", is_preview=True)
