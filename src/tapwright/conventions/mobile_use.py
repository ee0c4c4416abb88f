"""The tool `mobile_use`, which Qwen's models and those built on them call to act on a phone.

Follows https://github.com/QwenLM/Qwen3-VL/blob/8cdcb85d224a71da4a999e73877fd5c686db5237
/cookbooks/mobile_agent.ipynb: `<tool_call>` around `{"name": "mobile_use", "arguments": {"action":
…}}`. The families differ in the verbs that they have, in their unit, and in the lines before it.

Rules: system_button Menu, which the tool's description calls the background menu, is our key
"recents"; `key` takes adb's names, so our "backspace" is "del". The tool ends as success or failure
and no other way; without a status it ends as success, and `tap`, `scroll` and `open_app` are read
as `click`, `swipe` and `open`, as https://github.com/X-PLUG/MobileAgent/blob/
11cea575561fb7800b5fb6b6cafa56f7a91de11f/Mobile-Agent-v3.5 reads them (mobile_use/
run_gui_owl_1_5_for_mobile.py, android_world_v3.5/android_world/agents/gui_owl.py). The duration of
a swipe is not written. Verbs of two steps, and `interact`, which calls the user, are refused.
"""

from collections.abc import Mapping

from pydantic import JsonValue

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
from tapwright.conventions.rendering import round_number, unsupported, whole_numbers
from tapwright.conventions.tool_call import (
    read_finish,
    read_tool_call,
    read_wait,
    wrap_tool_call,
)
from tapwright.core.actions import (
    Action,
    Answer,
    Finish,
    Key,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.geometry import Size

__all__ = ["MOBILE_USE", "parse_mobile_use", "render_mobile_use"]

_TOOL = "mobile_use"
_ALIASES = {"tap": "click", "scroll": "swipe", "open_app": "open"}

MOBILE_USE = frozenset(
    {
        "key", "click", "long_press", "swipe", "type", "system_button", "open", "wait", "answer",
        "terminate",
    }
)  # fmt: skip
"""Every verb that some family has."""

_BUTTONS: Mapping[str, Key] = {
    "Back": "back", "Home": "home", "Menu": "recents", "Enter": "enter",
}  # fmt: skip
_BUTTON_OF = {key: button for button, key in _BUTTONS.items()}
_KEY_EVENTS: Mapping[Key, str] = {
    "menu": "menu", "power": "power", "volume_up": "volume_up", "volume_down": "volume_down",
    "camera": "camera", "clear": "clear", "backspace": "del", "delete": "forward_del",
    "tab": "tab", "escape": "escape", "space": "space", "up": "dpad_up", "down": "dpad_down",
    "left": "dpad_left", "right": "dpad_right", "page_up": "page_up", "page_down": "page_down",
    "move_home": "move_home", "move_end": "move_end",
}  # fmt: skip
_KEY_OF: Mapping[str, Key] = {
    **{event: key for key, event in _KEY_EVENTS.items()},
    "back": "back", "home": "home", "app_switch": "recents", "enter": "enter",
}  # fmt: skip


def render_mobile_use(
    convention: str, verbs: frozenset[str], action: Action, size: Size, space: Space
) -> str:
    """The call for `action`, in its tags.

    Raises:
        UnsupportedByConventionError: none of `verbs` does.
    """
    arguments = _render_action(convention, verbs, action, size, space)
    if arguments["action"] not in verbs:
        raise unsupported(convention, action, f"its tool has no verb {arguments['action']!r}")
    return wrap_tool_call(_TOOL, arguments)


def _render_action(
    convention: str, verbs: frozenset[str], action: Action, size: Size, space: Space
) -> JsonObject:
    match action:
        case Tap(at=at, button="left"):
            return {"action": "click", "coordinate": whole_numbers(at, size, space)}
        case LongPress(at=at, duration_s=seconds):
            place = whole_numbers(at, size, space)
            return {"action": "long_press", "coordinate": place, "time": round_number(seconds)}
        case Swipe(start=start, end=end):
            return {
                "action": "swipe",
                "coordinate": whole_numbers(start, size, space),
                "coordinate2": whole_numbers(end, size, space),
            }
        case TypeText(text=text, at=None, clear=False):
            return {"action": "type", "text": text}
        case Answer(text=text):
            return {"action": "answer", "text": text}
        case OpenApp(app=app):
            return {"action": "open", "text": app}
        case PressKey(key=key) if key in _BUTTON_OF:
            return {"action": "system_button", "button": _BUTTON_OF[key]}
        case PressKey(key=key) if key in _KEY_EVENTS:
            return {"action": "key", "text": _KEY_EVENTS[key]}
        case Wait(duration_s=seconds):
            return {"action": "wait", "time": round_number(seconds)}
        case Finish(outcome=("success" | "failure") as outcome):
            return {"action": "terminate", "status": outcome}
        case Finish():
            raise unsupported(convention, action, "it ends as success or failure only")
    raise unsupported(convention, action, f"its verbs are {', '.join(sorted(verbs))}")


def parse_mobile_use(call: JsonObject, verbs: frozenset[str], size: Size, space: Space) -> Action:
    """The action of a call, or of its arguments alone.

    Raises:
        BadAnswerError: it is not a call of the tool.
    """
    verb, given = read_tool_call(call, _TOOL, verbs, _ALIASES)
    match verb:
        case "click":
            return Tap(at=read_place(given.get("coordinate"), "coordinate", size, space))
        case "long_press":
            at = read_place(given.get("coordinate"), "coordinate", size, space)
            return (
                LongPress(at=at) if "time" not in given else _read_timed_press(given, size, space)
            )
        case "swipe":
            return Swipe(
                start=read_place(given.get("coordinate"), "coordinate", size, space),
                end=read_place(given.get("coordinate2"), "coordinate2", size, space),
            )
        case "type":
            return TypeText(text=read_text(given.get("text"), "text"))
        case "answer":
            return Answer(text=read_text(given.get("text"), "text"))
        case "open":
            return OpenApp(app=read_text(given.get("text"), "text"))
        case "system_button":
            return PressKey(key=_read_button(given.get("button")))
        case "key":
            return PressKey(key=_read_key(given.get("text")))
        case "wait":
            return read_wait(given)
        case _:
            return read_finish(given)


def _read_button(button: JsonValue) -> Key:
    if not isinstance(button, str) or button.capitalize() not in _BUTTONS:
        raise bad_answer(f"the button is {shorten(button)}; expected one of {', '.join(_BUTTONS)}")
    return _BUTTONS[button.capitalize()]


def _read_key(event: JsonValue) -> Key:
    key = event.lower().removeprefix("keycode_") if isinstance(event, str) else ""
    if key not in _KEY_OF:
        raise bad_answer(f"the key is {shorten(event)}; expected one of {', '.join(_KEY_OF)}")
    return _KEY_OF[key]


def _read_timed_press(given: JsonObject, size: Size, space: Space) -> LongPress:
    at = read_place(given.get("coordinate"), "coordinate", size, space)
    return build_action(LongPress, at=at, duration_s=read_number(given["time"], "time"))
