"""The function calls that explain a recorded action: their names, parameters and other spellings.

Follows the output space of MobiAgent's annotation prompt (click, input, swipe, done, long_press,
open_app: https://github.com/IPADS-SAI/MobiAgent/tree/fd5aa72/collect), and adds a name for each
action that it has none for. The recording knows everything but the element.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from tapwright.actions import (
    Action,
    Answer,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    LongPress,
    OpenApp,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.directions import finger_direction, scroll_direction
from tapwright.geometry import Size

__all__ = ["PARAMETERS", "TARGET", "Call", "Direction", "call_of", "function_name"]

Direction: TypeAlias = Literal["UP", "DOWN", "LEFT", "RIGHT"]

TARGET = "target_element"
"""The one parameter that the model supplies; all others are known."""

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "click": (TARGET,),
    "long_press": (TARGET,),
    "double_click": (TARGET,),
    "hover": (TARGET,),
    "drag": (TARGET, "direction"),
    "scroll": (TARGET, "direction"),
    "swipe": ("direction",),
    "input": ("text",),
    "answer": ("text",),
    "open_app": ("app_name",),
    "press_key": ("key",),
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
    "longclick": "long_press",
    "longtap": "long_press",
    "pressandhold": "long_press",
    "type": "input",
    "typetext": "input",
    "inputtext": "input",
    "openapplication": "open_app",
    "launch": "open_app",
    "launchapp": "open_app",
    "finish": "done",
    "finished": "done",
    "terminate": "done",
    "complete": "done",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A function that the recording says was called, with the parameters that it knows.

    `needs_target` tells that the model has to say which element. `outcome` is that of a `done`.
    """

    name: str
    known: Mapping[str, str]
    needs_target: bool = False
    outcome: str = ""

    def with_target(self, target: str) -> dict[str, str]:
        """All parameters of the call, the target first."""
        return {TARGET: target, **self.known} if self.needs_target else dict(self.known)


def call_of(action: Action, size: Size) -> Call:
    """The call that reproduces an action on a screen of `size`."""
    match action:
        case Tap():
            return Call("click", {}, needs_target=True)
        case DoubleTap():
            return Call("double_click", {}, needs_target=True)
        case LongPress():
            return Call("long_press", {}, needs_target=True)
        case Hover():
            return Call("hover", {}, needs_target=True)
        case Drag():
            known = {"direction": _finger(action, size)}
            return Call("drag", known, needs_target=True)
        case Swipe():
            return Call("swipe", {"direction": _finger(action, size)})
        case Scroll():
            # A wheel's direction is that of the content which comes into view.
            content = scroll_direction(action, size) or "down"
            return Call("scroll", {"direction": content.upper()}, needs_target=True)
        case TypeText(text=text):
            return Call("input", {"text": text})
        case Answer(text=text):
            return Call("answer", {"text": text})
        case OpenApp(app=app):
            return Call("open_app", {"app_name": app})
        case PressKey(key=key):
            return Call("press_key", {"key": key})
        case Hotkey(keys=keys):
            return Call("press_key", {"key": "+".join(keys)})
        case Wait():
            return Call("wait", {})
        case Finish(outcome=outcome):
            return Call("done", {}, outcome=outcome)
        case _:
            assert_never(action)


def function_name(spelling: str) -> str | None:
    """The function that a spelling of any case and style means ("LONG PRESS", "longPress", "tap").

    None when it means none. "scroll" is never a swipe: it names the way of the content, which is
    the opposite of the finger's.
    """
    return _SPELLINGS.get(re.sub(r"^functions\.|[\s_-]+|\(\)$", "", spelling.strip()).lower())


def _finger(gesture: Swipe | Drag, size: Size) -> str:
    # The function needs a direction, also for a finger that stays where it is.
    return (finger_direction(gesture, size) or "down").upper()
