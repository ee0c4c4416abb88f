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
from typing import ClassVar

from pydantic import JsonValue

from tapwright.conventions.computer_tool import (
    ComputerTool,
    Reading,
    read_names,
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
    press_keys,
    read_held,
    sole_action,
    spell_held,
    spell_keys,
    unsupported,
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
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import ToolCall

_SPACE: Space = "pixel"
_BUTTONS: Mapping[str, Button] = {
    "left": "left", "right": "right", "wheel": "middle",
}  # fmt: skip
_BUTTON_OF: Mapping[str, str] = {ours: theirs for theirs, ours in _BUTTONS.items()}
_KEYS = {
    "control": "CTRL", "shift": "SHIFT", "alt": "ALT", "meta": "META", "enter": "ENTER",
    "backspace": "BACKSPACE", "delete": "DELETE", "tab": "TAB", "escape": "ESC",
    "space": "SPACE", "up": "ARROWUP", "down": "ARROWDOWN", "left": "ARROWLEFT",
    "right": "ARROWRIGHT", "page_up": "PAGEUP", "page_down": "PAGEDOWN", "move_home": "HOME",
    "move_end": "END",
}  # fmt: skip
_MIDDLE = Point(0.5, 0.5)
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
        """The computer call: of one action for the preview, of a batch otherwise.

        Raises:
            UnsupportedByConventionError: the tool has no such action.
        """
        if self._is_preview:
            sole_action(self.name, decision)
        actions: list[JsonValue] = [self._render_action(one, size) for one in decision.actions]
        arguments = {"action": actions[0]} if self._is_preview else {"actions": actions}
        return [ToolCall("computer", arguments)]

    def _words(self, size: Size) -> str:
        return _SYSTEM.format(width=size.width, height=size.height)

    def _call(self, actions: Sequence[Action], size: Size) -> JsonObject:
        made: list[JsonValue] = [self._render_action(one, size) for one in actions]
        if len(made) == 1:
            return {"type": "computer_call", "action": made[0]}
        if self._is_preview:
            raise unsupported(self.name, actions[1], "its tool has one action in a call")
        return {"type": "computer_call", "actions": made}

    def _end(self, reason: str) -> JsonObject:
        return {"type": "message", "content": [{"type": "output_text", "text": reason}]}

    def _read(self, found: JsonObject, size: Size) -> Reading:
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

    def _render_action(self, action: Action, size: Size) -> JsonObject:
        made = self._render_alone(action, size)
        if held := getattr(action, "held", ()):
            made["keys"] = [*spell_held(self.name, action, held, _KEYS)]
        return made

    def _render_alone(self, action: Action, size: Size) -> JsonObject:
        match action:
            case Tap(at=at, button=button) if button in _BUTTON_OF:
                return {
                    "type": "click",
                    "button": _BUTTON_OF[button],
                    **render_xy(at, size, _SPACE),
                }
            case DoubleTap(at=at, button="left"):
                return {"type": "double_click", **render_xy(at, size, _SPACE)}
            case Hover(at=at):
                return {"type": "move", **render_xy(at, size, _SPACE)}
            case Drag(start=start, path=path, end=end, button="left"):
                places = (start, *path, end)
                return {"type": "drag", "path": [render_xy(at, size, _SPACE) for at in places]}
            case Scroll(at=at, dx=dx, dy=dy):
                return {
                    "type": "scroll",
                    **render_xy(at, size, _SPACE),
                    "scroll_x": round(dx * size.width),
                    "scroll_y": round(dy * size.height),
                }
            case TypeText(text=text, at=None, clear=False):
                return {"type": "type", "text": text}
            case PressKey(key="back" | "forward" as button):
                return {"type": "click", "button": button, **render_xy(_MIDDLE, size, _SPACE)}
            case PressKey() | Hotkey(duration_s=0):
                keys: list[JsonValue] = [*spell_keys(self.name, action, _KEYS, "")]
                return {"type": "keypress", "keys": keys}
            case Wait():
                return {"type": "wait"}
        raise unsupported(self.name, action, "the tool has no such action")


def _text_of(item: JsonObject) -> str:
    parts = item.get("content")
    return "".join(
        text
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and isinstance(text := part.get("text"), str)
    )


def _batch(item: JsonObject) -> list[JsonObject]:
    """The actions of a call, or an action alone."""
    if item.get("pending_safety_checks"):
        raise bad_answer("the call requires that a safety check is acknowledged first")
    batch = item.get("actions")
    made: list[JsonObject] = []
    for action in batch if isinstance(batch, list) else [item.get("action", item)]:
        if not isinstance(action, dict):
            raise bad_answer(f"the action is {shorten(action)}; expected an object")
        made.append(action)
    return made


def _parse_action(action: JsonObject, size: Size) -> Action:
    held = () if action.get("type") == "keypress" else read_held(read_names(action.get("keys")))
    match action.get("type"):
        case "click":
            button = action.get("button", "left")
            if button in ("back", "forward") and not held:
                return build_action(PressKey, key=button)
            if not isinstance(button, str) or button not in _BUTTONS:
                raise bad_answer(
                    f"the button is {shorten(button)}; expected left, right, wheel, back or forward"
                )
            return Tap(at=read_xy(action, size, _SPACE), button=_BUTTONS[button], held=held)
        case "double_click":
            return DoubleTap(at=read_xy(action, size, _SPACE), held=held)
        case "move":
            return Hover(at=read_xy(action, size, _SPACE), held=held)
        case "drag":
            path = action.get("path")
            if not isinstance(path, list) or len(path) < 2:
                raise bad_answer(f"the path is {shorten(path)}; expected two places or more")
            start, *places, end = (read_xy(one, size, _SPACE) for one in path)
            return build_action(Drag, start=start, path=tuple(places), end=end, held=held)
        case "scroll":
            return build_action(
                Scroll,
                at=read_xy(action, size, _SPACE),
                dx=read_number(action.get("scroll_x", 0), "scroll_x") / size.width,
                dy=read_number(action.get("scroll_y", 0), "scroll_y") / size.height,
                held=held,
            )
        case "type":
            return TypeText(text=read_text(action.get("text"), "text"))
        case "keypress":
            return press_keys(read_names(action.get("keys")))
        case "wait":
            return Wait()
    raise bad_answer(
        f"the action is {shorten(action.get('type'))}; expected click, type, scroll or the like"
    )


OPENAI_COMPUTER = OpenAiComputer("openai-computer", is_preview=False)
OPENAI_COMPUTER_PREVIEW = OpenAiComputer("openai-computer-preview", is_preview=True)
