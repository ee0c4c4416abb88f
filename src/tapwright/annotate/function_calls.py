"""The function calls that explain a recorded action: their names, parameters and other spellings.

Follows the output space of MobiAgent's annotation prompt (click, input, swipe, done, long_press,
open_app: https://github.com/IPADS-SAI/MobiAgent/tree/fd5aa72/collect), and adds a name for each
action that it has none for. The recording knows everything but the element.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.directions import finger_direction, scroll_direction
from tapwright.core.geometry import Size

__all__ = ["PARAMETERS", "TARGET", "Direction", "FunctionCall", "function_call", "function_name"]

Direction: TypeAlias = Literal["UP", "DOWN", "LEFT", "RIGHT"]

TARGET = "target_element"
"""The one parameter that the model supplies; all others are known."""

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "click": (TARGET,),
    "long_press": (TARGET,),
    "double_click": (TARGET,),
    "triple_click": (TARGET,),
    "hover": (TARGET,),
    "drag": (TARGET, "direction"),
    "scroll": (TARGET, "direction"),
    "swipe": ("direction",),
    "input": ("text",),
    "answer": ("text",),
    "ask_user": ("text",),
    "open_app": ("app_name",),
    "press_key": ("key",),
    "key_down": ("key",),
    "key_up": ("key",),
    "button_down": ("button",),
    "button_up": ("button",),
    "goto": ("url",),
    "new_tab": ("url",),
    "close_tab": (),
    "switch_tab": ("tab",),
    "wait": (),
    "done": (),
}
"""The required parameters of each function; there are no others."""

_SPELLINGS: Mapping[str, str] = {
    **{name.replace("_", ""): name for name in PARAMETERS},
    "tap": "click",
    "点击": "click",
    "长按": "long_press",
    "输入": "input",
    "滑动": "swipe",
    "等待": "wait",
    "完成": "done",
    "doubletap": "double_click",
    "tripletap": "triple_click",
    "longclick": "long_press",
    "longtap": "long_press",
    "pressandhold": "long_press",
    "type": "input",
    "typetext": "input",
    "inputtext": "input",
    "openapplication": "open_app",
    "launch": "open_app",
    "launchapp": "open_app",
    "navigate": "goto",
    "openurl": "goto",
    "tabclose": "close_tab",
    "tabfocus": "switch_tab",
    "finish": "done",
    "finished": "done",
    "terminate": "done",
    "complete": "done",
}


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A recorded action as a function call, with the parameters that the recording has.

    With `needs_target` the model has to name the element. `outcome` is that of a `done`.
    """

    name: str
    known: Mapping[str, str]
    needs_target: bool = False
    outcome: str = ""

    def with_target(self, target: str) -> dict[str, str]:
        """All parameters of the call, the target first."""
        return {TARGET: target, **self.known} if self.needs_target else dict(self.known)


def function_call(action: Action, size: Size) -> FunctionCall:
    """Returns the call that reproduces an action on a screen of `size`."""
    match action:
        case actions.Tap():
            return FunctionCall("click", {}, needs_target=True)
        case actions.DoubleTap():
            return FunctionCall("double_click", {}, needs_target=True)
        case actions.TripleTap():
            return FunctionCall("triple_click", {}, needs_target=True)
        case actions.LongPress():
            return FunctionCall("long_press", {}, needs_target=True)
        case actions.Hover():
            return FunctionCall("hover", {}, needs_target=True)
        case actions.Drag():
            known = {"direction": _finger(action, size)}
            return FunctionCall("drag", known, needs_target=True)
        case actions.Swipe():
            return FunctionCall("swipe", {"direction": _finger(action, size)})
        case actions.Scroll():
            # A wheel's direction is that of the content which comes into view.
            content = scroll_direction(action, size) or "down"
            return FunctionCall("scroll", {"direction": content.upper()}, needs_target=True)
        case actions.TypeText(text=text):
            return FunctionCall("input", {"text": text})
        case actions.Answer(text=text):
            return FunctionCall("answer", {"text": text})
        case actions.AskUser(text=text):
            return FunctionCall("ask_user", {"text": text})
        case actions.KeyDown(key=key) | actions.KeyUp(key=key):
            return FunctionCall(action.type, {"key": key})
        case actions.ButtonDown(button=button) | actions.ButtonUp(button=button):
            return FunctionCall(action.type, {"button": button})
        case actions.OpenApp(app=app):
            return FunctionCall("open_app", {"app_name": app})
        case actions.PressKey(key=key):
            return FunctionCall("press_key", {"key": key})
        case actions.Hotkey(keys=keys):
            return FunctionCall("press_key", {"key": "+".join(keys)})
        case actions.Goto(url=url):
            return FunctionCall("goto", {"url": url})
        case actions.NewTab(url=url):
            return FunctionCall("new_tab", {"url": url})
        case actions.CloseTab():
            return FunctionCall("close_tab", {})
        case actions.SwitchTab(tab=tab):
            return FunctionCall("switch_tab", {"tab": str(tab)})
        case actions.Wait():
            return FunctionCall("wait", {})
        case actions.Finish(outcome=outcome):
            return FunctionCall("done", {}, outcome=outcome)
        case _:
            assert_never(action)


def function_name(spelling: str) -> str | None:
    """Returns the function of a spelling of any case and style ("LONG PRESS", "longPress", "tap").

    None when it is the spelling of none. "scroll" is never a swipe: it names the direction of the
    content, which is the opposite of the finger's.
    """
    return _SPELLINGS.get(re.sub(r"^functions\.|[\s_-]+|\(\)$", "", spelling.strip()).lower())


def _finger(gesture: actions.Swipe | actions.Drag, size: Size) -> str:
    # The function needs a direction, also for a finger that stays where it is.
    return (finger_direction(gesture, size) or "down").upper()
