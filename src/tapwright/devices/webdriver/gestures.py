"""Steps of the W3C's actions, for a finger or a mouse, in the driver's units.

Each kind of pointer has one id, as drivers refuse a second pointer of a kind that they know.
https://www.w3.org/TR/webdriver2/#actions
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import hypot
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.core import actions
from tapwright.core.actions import Button
from tapwright.core.geometry import Point

__all__ = [
    "BUTTONS", "Place", "Pointer", "Touched", "as_swipe", "click_steps", "drag_steps",
    "key_actions", "move_step", "pause_step", "pointer_source", "press_step", "touch_duration_s",
    "touch_steps", "wheel_source",
]  # fmt: skip

Pointer: TypeAlias = Literal["touch", "mouse"]
Touched: TypeAlias = (
    actions.Tap
    | actions.DoubleTap
    | actions.TripleTap
    | actions.LongPress
    | actions.Swipe
    | actions.Drag
)
"""What a finger does in one go."""
Place: TypeAlias = Callable[[Point], tuple[float, float]]
"""From a point of the screen to x and y as the driver counts."""

BUTTONS: Mapping[Button, int] = {"left": 0, "middle": 1, "right": 2, "back": 3, "forward": 4}
"""The numbers of UI Events: https://www.w3.org/TR/uievents/#dom-mouseevent-button"""
_HOLD_MS = 50
_BETWEEN_MS = 80
_REST_MS = 200  # at the end of a swipe, so that nothing is flung
_GRAB_MS = 800  # what a finger holds still until an icon or a row is grabbed
_LONGEST_SWIPE = 0.6  # of the screen


def touch_steps(action: Touched, place: Place) -> list[JsonValue]:
    """The steps of a gesture with a finger."""
    match action:
        case actions.Tap(at=at):
            return click_steps(place(at), 1)
        case actions.DoubleTap(at=at):
            return click_steps(place(at), 2)
        case actions.TripleTap(at=at):
            return click_steps(place(at), 3)
        case actions.LongPress(at=at, duration_s=duration_s):
            return [
                move_step(place(at)), press_step(down=True), pause_step(duration_s * 1000),
                press_step(down=False),
            ]  # fmt: skip
        case actions.Swipe(start=start, end=end, duration_s=duration_s):
            return [
                move_step(place(start)), press_step(down=True), move_step(place(end), duration_s),
                pause_step(_REST_MS), press_step(down=False),
            ]  # fmt: skip
        case actions.Drag(start=start, end=end, duration_s=duration_s):
            return drag_steps([place(start), place(end)], duration_s, grab_ms=_GRAB_MS)


def touch_duration_s(action: Touched) -> float:
    """The seconds that a gesture takes by itself, at most."""
    match action:
        case actions.LongPress(duration_s=duration_s):
            return duration_s
        case actions.Swipe(duration_s=duration_s) | actions.Drag(duration_s=duration_s):
            return duration_s + (_REST_MS + _GRAB_MS) / 1000
        case _:
            return (3 * _HOLD_MS + 2 * _BETWEEN_MS) / 1000


def click_steps(at: tuple[float, float], times: int, button: int = 0) -> list[JsonValue]:
    """Move there, in pixels of the page, and press and release so many times."""
    steps: list[JsonValue] = [move_step(at)]
    for number in range(times):
        if number:
            steps.append(pause_step(_BETWEEN_MS))
        steps += [
            press_step(button, down=True), pause_step(_HOLD_MS), press_step(button, down=False),
        ]  # fmt: skip
    return steps


def drag_steps(
    places: Sequence[tuple[float, float]],
    duration_s: float,
    button: int = 0,
    *,
    grab_ms: int = _HOLD_MS,
) -> list[JsonValue]:
    """Press at the first place, hold, move through the others in `duration_s`, release."""
    lengths = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(places)]
    whole = sum(lengths) or 1.0
    moves = [
        move_step(to, duration_s * length / whole)
        for to, length in zip(places[1:], lengths, strict=True)
    ]
    return [
        move_step(places[0]), press_step(button, down=True), pause_step(grab_ms), *moves,
        pause_step(_REST_MS), press_step(button, down=False),
    ]  # fmt: skip


def pointer_source(pointer: Pointer, steps: Sequence[JsonValue]) -> JsonValue:
    """A finger's or a mouse's part of the actions."""
    id_ = "finger" if pointer == "touch" else "mouse"
    return {
        "type": "pointer", "id": id_, "parameters": {"pointerType": pointer}, "actions": [*steps],
    }  # fmt: skip


def key_actions(strokes: Sequence[Sequence[str]]) -> list[JsonValue]:
    """The `actions` that press keys: those of each stroke go down in order and up in reverse."""
    steps: list[JsonValue] = []
    for keys in strokes:
        steps += ({"type": "keyDown", "value": key} for key in keys)
        steps += ({"type": "keyUp", "value": key} for key in reversed(keys))
    return [{"type": "key", "id": "keyboard", "actions": steps}]


def as_swipe(action: actions.Scroll) -> list[actions.Swipe]:
    """The swipes of a finger that scroll as far as a wheel would; none for no distance."""
    longest = max(abs(action.dx), abs(action.dy))
    times = -int(-longest // _LONGEST_SWIPE)
    swipes: list[actions.Swipe] = []
    for _ in range(times):
        x, y = action.dx / times, action.dy / times
        start = Point(_start(action.at.x, x), _start(action.at.y, y))
        swipes.append(actions.Swipe(start=start, end=Point(start.x - x, start.y - y)))
    return swipes


def _start(at: float, distance: float) -> float:
    """Where a finger goes down, nearest to `at`, so that it can move by -`distance`."""
    margin = 0.05
    low, high = margin + max(distance, 0.0), 1 - margin + min(distance, 0.0)
    return min(max(at, low), high)


def move_step(to: tuple[float, float], duration_s: float = 0.0) -> JsonValue:
    """Move there, in pixels of the page."""
    return {
        "type": "pointerMove", "duration": round(duration_s * 1000), "origin": "viewport",
        "x": _whole(to[0]), "y": _whole(to[1]),
    }  # fmt: skip


def press_step(button: int = 0, *, down: bool) -> JsonValue:
    """Press a button, or release it."""
    return {"type": "pointerDown" if down else "pointerUp", "button": button}


def pause_step(duration_ms: float) -> JsonValue:
    """Wait."""
    return {"type": "pause", "duration": round(duration_ms)}


def wheel_source(
    at: tuple[float, float],
    first: tuple[float, float],
    last: tuple[float, float],
    dx: float,
    dy: float,
) -> JsonValue:
    """The wheel's part of the actions: `dx`, `dy` are shares of what is from `first` to `last`."""
    step: JsonValue = {
        "type": "scroll", "duration": 0, "origin": "viewport",
        "x": int(at[0]), "y": int(at[1]),
        "deltaX": round(dx * (last[0] - first[0])), "deltaY": round(dy * (last[1] - first[1])),
    }  # fmt: skip
    return {"type": "wheel", "id": "wheel", "actions": [step]}


def _whole(value: float) -> float:
    """As a whole number where it is one: older drivers take no others."""
    rounded = round(value, 3)
    return int(rounded) if rounded == int(rounded) else rounded
