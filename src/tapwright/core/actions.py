"""What a user does to a phone, a web page or a desktop: one closed union, tagged by `type`.

Places are fractions of the screen. Foreign spellings (pixels, permille, "click", direction words)
live in conventions and formats only. The raw events at the end are what touch-level recorders
write; a step keeps them beside the action that they were folded into.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter

from tapwright.core.geometry import Point
from tapwright.core.keys import find_key

__all__ = [
    "MAX_HELD", "MAX_PATH", "MAX_URL", "Action", "ActionAdapter", "Answer", "AskUser", "Button",
    "ButtonDown", "ButtonUp", "CloseTab", "DoubleTap", "Drag", "Finish", "Goto", "Hotkey", "Hover",
    "Key", "KeyDown", "KeyUp", "Lift", "LongPress", "NewTab", "OpenApp", "Outcome", "PointAction",
    "PressKey", "RawEvent", "Repeat", "Scroll", "Seconds", "Swipe", "SwitchTab", "Tap", "Token",
    "Touch", "TripleTap", "TypeText", "Wait", "describe", "duration_s", "mouse_details",
    "typing_steps",
]  # fmt: skip

Key: TypeAlias = Literal[
    "back", "forward", "home", "recents", "menu", "power", "volume_up", "volume_down",
    "camera", "clear", "rotate", "enter", "backspace", "delete", "tab", "escape", "space",
    "up", "down", "left", "right", "page_up", "page_down", "move_home", "move_end",
]  # fmt: skip
MAX_URL = 100_000
"""Characters of an address that a browser is sent to."""
MAX_PATH = 4096
"""Places that a drag goes through between its start and its end."""
MAX_HELD = 8
"""Keys that are down during an action."""
Button: TypeAlias = Literal["left", "right", "middle", "back", "forward"]
Address: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_URL)]
Outcome: TypeAlias = Literal["success", "failure", "infeasible"]
Seconds: TypeAlias = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]


def _is_unset(value: Point | bool | tuple[object, ...] | float | None) -> bool:
    """Whether it is left out of the JSON, which has only what is done besides the action's own."""
    return not value and not isinstance(value, Point)


def _check_key(name: str) -> str:
    key = find_key(name)
    if key is None:
        raise ValueError(
            f"a keyboard has no key {name[:40]!r}; expected a character, or one of "
            "`tapwright.core.keys.KEY_NAMES` such as control, page_up, f13 and keypad_add"
        )
    return key


KeyName: TypeAlias = Annotated[str, AfterValidator(_check_key)]
"""A key of a keyboard: one of `KEY_NAMES`, or the character that it types."""
Held: TypeAlias = Annotated[tuple[KeyName, ...], Field(max_length=MAX_HELD, exclude_if=_is_unset)]
"""Keys that go down before the action, in their order, and up after it, in reverse."""
AnyButton: TypeAlias = Annotated[Button, Field(exclude_if=lambda button: button == "left")]
"""A mouse's button; where the JSON has none it is the left one."""
Path: TypeAlias = Annotated[tuple[Point, ...], Field(max_length=MAX_PATH, exclude_if=_is_unset)]


class _ActionModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PointAction(_ActionModel):
    """An action at one place, whose target is the element there."""

    type: str
    at: Point


class Tap(PointAction):
    """Press and release at one place; on a desktop or a web page a click of `button`.

    The keys `held` ("control", "shift") are down meanwhile.
    """

    type: Literal["tap"] = "tap"
    button: Button = "left"
    held: Held = ()


class DoubleTap(PointAction):
    """Two taps at one place, quick enough to count as one gesture."""

    type: Literal["double_tap"] = "double_tap"
    button: AnyButton = "left"
    held: Held = ()


class TripleTap(PointAction):
    """Three clicks at one place, quick enough to count as one gesture: it selects a paragraph."""

    type: Literal["triple_tap"] = "triple_tap"
    button: AnyButton = "left"
    held: Held = ()


class LongPress(PointAction):
    """Press, hold for `duration_s` seconds, release."""

    type: Literal["long_press"] = "long_press"
    duration_s: Seconds = 0.8
    button: AnyButton = "left"
    held: Held = ()


class Swipe(_ActionModel):
    """A finger goes from `start` to `end` in `duration_s` and is lifted without a fling.

    A finger that moves up (end above start) brings what is below into view.
    """

    type: Literal["swipe"] = "swipe"
    start: Point
    end: Point
    duration_s: Seconds = 0.3


class TypeText(_ActionModel):
    """Text of any language into the field that has the focus, after what stands there.

    A line break at the end presses Enter. With `at` the field is touched there before, with `clear`
    it is emptied.
    """

    type: Literal["type_text"] = "type_text"
    text: str
    at: Annotated[Point | None, Field(exclude_if=_is_unset)] = None
    clear: Annotated[bool, Field(exclude_if=_is_unset)] = False


class PressKey(_ActionModel):
    """One key: a phone's system keys (back, home, recents) and a keyboard's editing keys.

    In a browser "back" and "forward" go through the history of the active tab. "rotate" turns the
    screen by a quarter, as the button for it in a phone's corner does.
    """

    type: Literal["press_key"] = "press_key"
    key: Key


class OpenApp(_ActionModel):
    """Bring an app to the front, by the name that the launcher shows or by its package."""

    type: Literal["open_app"] = "open_app"
    app: str


class Wait(_ActionModel):
    """Do nothing for `duration_s` seconds."""

    type: Literal["wait"] = "wait"
    duration_s: Seconds = 1.0


class Answer(_ActionModel):
    """Tell the user something, as tasks that ask a question want it."""

    type: Literal["answer"] = "answer"
    text: str


class Finish(_ActionModel):
    """End the attempt, claiming an `outcome`; `reason` is for people."""

    type: Literal["finish"] = "finish"
    outcome: Outcome = "success"
    reason: str = ""


class Hover(PointAction):
    """Move the pointer to a place without pressing."""

    type: Literal["hover"] = "hover"
    held: Held = ()


class Drag(_ActionModel):
    """Press at `start`, hold until the thing there is grabbed, move to `end`, release.

    On its way it goes in straight lines through the places of `path`, in their order.
    """

    type: Literal["drag"] = "drag"
    start: Point
    end: Point
    duration_s: Seconds = 0.8
    path: Path = ()
    button: AnyButton = "left"
    held: Held = ()


class Scroll(_ActionModel):
    """Turn the wheel at a place. `dx`, `dy` are screens of content, signed.

    Positive `dy` brings what is below into view, positive `dx` what is to the right.
    """

    type: Literal["scroll"] = "scroll"
    at: Point
    dx: Annotated[float, Field(ge=-100, le=100, allow_inf_nan=False)] = 0.0
    dy: Annotated[float, Field(ge=-100, le=100, allow_inf_nan=False)] = 0.0
    held: Held = ()


class Hotkey(_ActionModel):
    """Keys held down together, in the order in which they go down: ("control", "c").

    All of them stay down for `duration_s` seconds.
    """

    type: Literal["hotkey"] = "hotkey"
    keys: Annotated[tuple[str, ...], Field(min_length=1)]
    duration_s: Annotated[Seconds, Field(exclude_if=_is_unset)] = 0.0


class ButtonDown(_ActionModel):
    """A mouse's button goes down and stays down, where the pointer is without `at`."""

    type: Literal["button_down"] = "button_down"
    at: Annotated[Point | None, Field(exclude_if=_is_unset)] = None
    button: AnyButton = "left"


class ButtonUp(_ActionModel):
    """A mouse's button that is down goes up, where the pointer is without `at`."""

    type: Literal["button_up"] = "button_up"
    at: Annotated[Point | None, Field(exclude_if=_is_unset)] = None
    button: AnyButton = "left"


class KeyDown(_ActionModel):
    """A key goes down and stays down."""

    type: Literal["key_down"] = "key_down"
    key: KeyName


class KeyUp(_ActionModel):
    """A key that is down goes up."""

    type: Literal["key_up"] = "key_up"
    key: KeyName


class AskUser(_ActionModel):
    """Ask the user something; the answer is the `message` of the next observation."""

    type: Literal["ask_user"] = "ask_user"
    text: str


class Goto(_ActionModel):
    """Load `url` in the browser's active tab, as its address field does."""

    type: Literal["goto"] = "goto"
    url: Address


class NewTab(_ActionModel):
    """Open a tab at the end of the browser's tabs and make it the active one.

    It loads `url`, or is empty without one.
    """

    type: Literal["new_tab"] = "new_tab"
    url: Annotated[str, Field(max_length=MAX_URL)] = ""


class CloseTab(_ActionModel):
    """Close the browser's active tab; its neighbour becomes the active one."""

    type: Literal["close_tab"] = "close_tab"


class SwitchTab(_ActionModel):
    """Make another of the browser's tabs the active one; `tab` counts them from 0."""

    type: Literal["switch_tab"] = "switch_tab"
    tab: Annotated[int, Field(ge=0, le=9999)]


Action: TypeAlias = Annotated[
    Tap | DoubleTap | LongPress | Swipe | TypeText | PressKey | OpenApp | Wait | Answer | Finish
    | Hover | Drag | Scroll | Hotkey | TripleTap | Goto | NewTab | CloseTab | SwitchTab
    | ButtonDown | ButtonUp | KeyDown | KeyUp | AskUser,
    Field(discriminator="type"),
]  # fmt: skip
ActionAdapter: TypeAdapter[Action] = TypeAdapter(Action)
"""Reads and writes any action as JSON, by its `type`."""


class _Event(_ActionModel):
    """`reward` and `instructions` are what the task returned right after the event."""

    reward: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    instructions: tuple[str, ...] = ()


class Touch(_Event):
    """A finger is down at a place; several in a row are one gesture."""

    type: Literal["touch"] = "touch"
    at: Point


class Lift(_Event):
    """The finger goes up; some recorders keep the place that came with it."""

    type: Literal["lift"] = "lift"
    at: Point | None = None


class Repeat(_Event):
    """Nothing happens; touch-level environments send it to let time pass."""

    type: Literal["repeat"] = "repeat"


class Token(_Event):
    """A word typed by its place in a task's vocabulary, or by its text once that is known."""

    type: Literal["token"] = "token"
    text: str | None = None
    index: int | None = None


RawEvent: TypeAlias = Annotated[Touch | Lift | Repeat | Token, Field(discriminator="type")]


def typing_steps(action: TypeText) -> tuple[Action, ...]:
    """The actions of which typing consists, in order, for devices that do one thing at a time.

    A tap, select all and backspace, the text, Enter; those of them that `action` has. Just the
    action for text into the field that has the focus.
    """
    steps: list[Action] = []
    if action.at is not None:
        steps.append(Tap(at=action.at))
    if action.clear:
        steps += [Hotkey(keys=("control", "a")), PressKey(key="backspace")]
    text = action.text.removesuffix("\n")
    if text or action.text == "":
        steps.append(TypeText(text=text))
    if text != action.text:
        steps.append(PressKey(key="enter"))
    return tuple(steps)


def duration_s(action: Action) -> float:
    """How long an action takes by itself, which is added to the time limit of a call for it."""
    match action:
        case LongPress() | Swipe() | Drag() | Wait() | Hotkey():
            return action.duration_s
        case _:
            return 0.0


def mouse_details(action: Action) -> str:
    """What of an action takes a mouse and a keyboard, in words: "control held", "the right button".

    It is "" where there is nothing that a finger does not do, and for what is the action itself: a
    click of the right button, or a turn of the wheel.
    """
    details: list[str] = []
    match action:
        case Tap(button="back" | "forward" as button):
            details.append(f"the {button} button")
        case DoubleTap() | TripleTap() | LongPress() | Drag() if action.button != "left":
            details.append(f"the {action.button} button")
        case Hotkey(duration_s=duration_s) if duration_s:
            details.append(f"keys held for {duration_s:g} s")
        case _:
            pass
    if isinstance(action, Drag) and action.path:
        details.append("a path")
    if isinstance(action, Tap | DoubleTap | TripleTap | LongPress | Drag | Hover | Scroll):
        details += [f"{'+'.join(action.held)} held"] if action.held else []
    return " and ".join(details)


def describe(action: Action) -> str:
    """One short line for people, places in whole percent of the screen."""
    match action:
        case Tap(at=at, button=button, held=held):
            return f"tap at {_percent(at)}{_how(button, held)}"
        case DoubleTap(at=at, button=button, held=held):
            return f"double tap at {_percent(at)}{_how(button, held)}"
        case TripleTap(at=at, button=button, held=held):
            return f"triple tap at {_percent(at)}{_how(button, held)}"
        case LongPress(at=at, button=button, held=held):
            return f"long press at {_percent(at)}{_how(button, held)}"
        case Hover(at=at, held=held):
            return f"hover at {_percent(at)}{_how('left', held)}"
        case Swipe(start=start, end=end):
            return f"swipe from {_percent(start)} to {_percent(end)}"
        case Drag(start=start, end=end, path=path, button=button, held=held):
            places = "a place" if len(path) == 1 else f"{len(path)} places"
            by = f" through {places}" if path else ""
            return f"drag from {_percent(start)} to {_percent(end)}{by}{_how(button, held)}"
        case Scroll(at=at, dx=dx, dy=dy, held=held):
            how = _how("left", held)
            return f"scroll by ({dx:g}, {dy:g}) screens at {_percent(at)}{how}"
        case ButtonDown(at=at, button=button):
            return f"press the {button} button down" + ("" if at is None else f" at {_percent(at)}")
        case ButtonUp(at=at, button=button):
            return f"let the {button} button go" + ("" if at is None else f" at {_percent(at)}")
        case KeyDown(key=key):
            return f"press {key} down"
        case KeyUp(key=key):
            return f"let {key} go"
        case TypeText(text=text, at=at, clear=clear):
            where = f" at {_percent(at)}" if at is not None else ""
            return f"type {text!r}{where}" + (" in place of what is there" if clear else "")
        case PressKey(key=key):
            return f"press {key}"
        case Hotkey(keys=keys, duration_s=duration_s):
            long = f" for {duration_s:g} s" if duration_s else ""
            return f"press {_join_lines('+'.join(keys))}{long}"
        case OpenApp(app=app):
            return f"open {_join_lines(app)}"
        case Goto(url=url):
            return f"go to {_join_lines(url)}"
        case NewTab(url=url):
            return f"open a new tab at {_join_lines(url)}" if url else "open a new tab"
        case CloseTab():
            return "close the tab"
        case SwitchTab(tab=tab):
            return f"switch to tab {tab}"
        case Wait(duration_s=duration_s):
            return f"wait {duration_s:g} s"
        case Answer(text=text):
            return f"answer {text!r}"
        case AskUser(text=text):
            return f"ask {text!r}"
        case Finish(outcome=outcome):
            return f"finish: {outcome}"


def _how(button: Button, held: Sequence[str]) -> str:
    """What is said of a button that is not the left one, and of keys that are held."""
    keys = f" with {'+'.join(held)} held" if held else ""
    return ("" if button == "left" else f" ({button} button)") + keys


def _percent(point: Point) -> str:
    return f"({100 * point.x:.0f} %, {100 * point.y:.0f} %)"


def _join_lines(text: str) -> str:
    return " ".join(text.split())
