"""Actions of BrowserGym, `click('a51')`: read with the elements that they name, never run.

https://github.com/ServiceNow/BrowserGym/blob/9e779f087de9a65668b6974d11f9ce9816026e96
/browsergym/core/src/browsergym/core/action/functions.py: an element is named by its `bid`, places
are pixels of the page as it is shown, keys are those of Playwright joined by "+".
"""

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from pydantic import JsonValue

from tapwright.conventions.call_syntax import ParsedCall, find_calls
from tapwright.conventions.parsing import bad_answer, build_action, read_number, read_text, shorten
from tapwright.conventions.rendering import press_keys, read_held
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point, Size

__all__ = ["read_browsergym_actions"]

_NAMES = frozenset(
    {
        "send_msg_to_user", "report_infeasible", "noop", "fill", "check", "uncheck",
        "select_option", "click", "dblclick", "hover", "press", "focus", "clear", "drag_and_drop",
        "scroll", "scroll_at", "mouse_move", "mouse_up", "mouse_down", "mouse_click",
        "mouse_dblclick", "mouse_drag_and_drop", "keyboard_press", "keyboard_up", "keyboard_down",
        "keyboard_type", "keyboard_insert_text", "goto", "go_back", "go_forward", "new_tab",
        "tab_close", "tab_focus", "upload_file", "mouse_upload_file",
    }
)  # fmt: skip
_CENTER = Point(0.5, 0.5)


def read_browsergym_actions(
    text: str, size: Size, centers: Mapping[str, Point]
) -> Sequence[Action]:
    """The actions in an agent's answer, in order; `centers` has the place of each element's `bid`.

    Raises:
        BadAnswerError: there is none, or one of them is nothing that an action stands for.
    """
    calls = find_calls(text, _NAMES)
    if not calls:
        raise bad_answer(f"no action of BrowserGym in {shorten(text)}")
    reader = _Reader(size, centers)
    return [reader.read(call) for call in calls]


class _Reader:
    def __init__(self, size: Size, centers: Mapping[str, Point]) -> None:
        self._size, self._centers = size, centers

    def read(self, call: ParsedCall) -> Action:
        """The action of one call."""
        match call.name:
            case "click" | "mouse_click":
                return build_action(actions.Tap, at=self._place(call), **_how(call))
            case "dblclick" | "mouse_dblclick":
                return build_action(actions.DoubleTap, at=self._place(call), **_how(call))
            case "mouse_down":
                return build_action(actions.ButtonDown, at=self._place(call), **_how(call))
            case "mouse_up":
                return build_action(actions.ButtonUp, at=self._place(call), **_how(call))
            case "check" | "uncheck":
                return actions.Tap(at=self._place(call))
            case "hover" | "mouse_move":
                return actions.Hover(at=self._place(call))
            case "fill" | "clear":
                text = "" if call.name == "clear" else read_text(call.get("value", at=1), "value")
                return actions.TypeText(text=text, at=self._place(call), clear=True)
            case "drag_and_drop":
                ends = (self._element(call, name, at) for at, name in _DRAGGED)
                return actions.Drag(start=next(ends), end=next(ends))
            case "mouse_drag_and_drop":
                start, end = self._pixel(call, 0, "from_"), self._pixel(call, 2, "to_")
                return actions.Drag(start=start, end=end)
            case "scroll":
                return self._scroll(_CENTER, call.get("delta_x", at=0), call.get("delta_y", at=1))
            case "scroll_at":
                at = self._pixel(call, 0)
                return self._scroll(at, call.get("dx", at=2), call.get("dy", at=3))
            case _:
                return _without_place(call)

    def _scroll(self, at: Point, dx: JsonValue, dy: JsonValue) -> actions.Scroll:
        right, down = read_number(dx, "dx"), read_number(dy, "dy")
        return build_action(
            actions.Scroll, at=at, dx=right / self._size.width, dy=down / self._size.height
        )

    def _place(self, call: ParsedCall) -> Point:
        return self._pixel(call, 0) if call.name.startswith("mouse") else self._element(call)

    def _element(self, call: ParsedCall, name: str = "bid", at: int = 0) -> Point:
        bid = call.get(name, at=at)
        center = self._centers.get(str(bid))
        if center is None:
            raise bad_answer(f"{call.name} names the element {shorten(bid)}, which is not shown")
        return center

    def _pixel(self, call: ParsedCall, at: int, prefix: str = "") -> Point:
        x = read_number(call.get(f"{prefix}x", at=at), f"{prefix}x")
        y = read_number(call.get(f"{prefix}y", at=at + 1), f"{prefix}y")
        if not (0 <= x <= self._size.width and 0 <= y <= self._size.height):
            raise bad_answer(f"({x:g}, {y:g}) is off a page of {self._size}")
        return Point(x / self._size.width, y / self._size.height)


_DRAGGED = ((0, "from_bid"), (1, "to_bid"))


def _how(call: ParsedCall) -> dict[str, object]:
    """The button of a call, and the keys that an element is clicked with."""
    on_element = not call.name.startswith("mouse")
    button = call.get("button", at=1 if on_element else 2) or "left"
    modifiers = call.get("modifiers", at=2) if on_element else None
    if not modifiers:
        return {"button": button}
    if not isinstance(modifiers, list):
        raise bad_answer(f"the modifiers are {shorten(modifiers)}; expected a list of keys")
    names = [read_text(key, "a modifier").removesuffix("OrMeta") for key in modifiers]
    return {"button": button, "held": read_held(names)}


def _without_place(call: ParsedCall) -> Action:
    match call.name:
        case "send_msg_to_user":
            return actions.Answer(text=read_text(call.get("text", at=0), "text"))
        case "report_infeasible":
            reason = read_text(call.get("reason", at=0), "reason")
            return actions.Finish(outcome="infeasible", reason=reason)
        case "noop":
            waited = call.get("wait_ms", at=0)
            wait_ms = 1000 if waited is None else read_number(waited, "wait_ms")
            return build_action(actions.Wait, duration_s=wait_ms / 1000)
        case "press" | "keyboard_press":
            comb = call.get("key_comb", "key", at=1 if call.name == "press" else 0)
            keys = _split_keys(read_text(comb, "key_comb"))
            return press_keys([key.removesuffix("OrMeta") for key in keys])
        case "keyboard_down" | "keyboard_up":
            (key,) = read_held([read_text(call.get("key", at=0), "key")])
            return (
                actions.KeyDown(key=key) if call.name == "keyboard_down" else actions.KeyUp(key=key)
            )
        case "keyboard_type" | "keyboard_insert_text":
            return actions.TypeText(text=read_text(call.get("text", at=0), "text"))
        case "goto":
            return build_action(actions.Goto, url=call.get("url", at=0))
        case "go_back" | "go_forward":
            return actions.PressKey(
                key=cast(Literal["back", "forward"], call.name.removeprefix("go_"))
            )
        case "new_tab":
            return actions.NewTab()
        case "tab_close":
            return actions.CloseTab()
        case "tab_focus":
            return build_action(actions.SwitchTab, tab=call.get("index", at=0))
    raise bad_answer(f"{call.name} is nothing that an action stands for")


def _split_keys(text: str) -> list[str]:
    """The keys of "Control+a"; a "+" at the end is a key."""
    return [part or "+" for part in text.removesuffix("++").split("+")] + (
        ["+"] if text.endswith("++") else []
    )
