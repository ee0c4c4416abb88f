"""Gestures as the W3C's actions, for a finger or a mouse, in the driver's units.

Each kind of pointer has one id, as drivers refuse a second pointer of a kind that they know.
https://www.w3.org/TR/webdriver2/#actions
"""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.core.actions import (
    DoubleTap,
    Drag,
    Hover,
    LongPress,
    Scroll,
    Swipe,
    Tap,
    TripleTap,
)
from tapwright.core.geometry import Point

__all__ = ["Gesture", "Pointer", "as_swipe", "gesture_actions", "gesture_duration_s", "key_actions"]

Pointer: TypeAlias = Literal["touch", "mouse"]
Gesture: TypeAlias = Tap | DoubleTap | TripleTap | LongPress | Swipe | Drag | Scroll | Hover
Place: TypeAlias = Callable[[Point], tuple[float, float]]
"""From a point of the screen to x and y as the driver counts."""

_BUTTONS = {"left": 0, "middle": 1, "right": 2}
_HOLD_MS = 50
_BETWEEN_MS = 80
_REST_MS = 200  # at the end of a swipe, so that nothing is flung
_GRAB_MS = 800  # what a finger holds still until an icon or a row is grabbed
_LONGEST_SWIPE = 0.6  # of the screen


def gesture_actions(action: Gesture, pointer: Pointer, place: Place) -> list[JsonValue]:
    """The `actions` that perform a gesture with a finger or a mouse.

    With a mouse, a swipe drags what is under it: turn it into a scroll where that is meant.
    """
    match action:
        case Tap(at=at, button=button):
            steps = _clicks(place(at), 1, _BUTTONS[button])
        case DoubleTap(at=at):
            steps = _clicks(place(at), 2, 0)
        case TripleTap(at=at):
            steps = _clicks(place(at), 3, 0)
        case LongPress(at=at, duration_s=duration_s):
            steps = [_move(place(at)), _down(), _pause(duration_s * 1000), _up()]
        case Hover(at=at):
            steps = [_move(place(at))]
        case Swipe(start=start, end=end, duration_s=duration_s):
            steps = [
                _move(place(start)), _down(), _move(place(end), duration_s),
                _pause(_REST_MS), _up(),
            ]  # fmt: skip
        case Drag(start=start, end=end, duration_s=duration_s):
            steps = [
                _move(place(start)), _down(), _pause(_GRAB_MS if pointer == "touch" else _HOLD_MS),
                _move(place(end), duration_s), _pause(_REST_MS), _up(),
            ]  # fmt: skip
        case Scroll(at=at, dx=dx, dy=dy):
            return [_wheel(place(at), place(Point(0, 0)), place(Point(1, 1)), dx, dy)]
    id_ = "finger" if pointer == "touch" else "mouse"
    return [
        {"type": "pointer", "id": id_, "parameters": {"pointerType": pointer}, "actions": steps}
    ]


def key_actions(strokes: Sequence[Sequence[str]]) -> list[JsonValue]:
    """The `actions` that press keys: those of each stroke go down in order and up in reverse."""
    steps: list[JsonValue] = []
    for keys in strokes:
        steps += ({"type": "keyDown", "value": key} for key in keys)
        steps += ({"type": "keyUp", "value": key} for key in reversed(keys))
    return [{"type": "key", "id": "keyboard", "actions": steps}]


def gesture_duration_s(action: Gesture) -> float:
    """The seconds that a gesture takes by itself, at most."""
    match action:
        case LongPress(duration_s=duration_s):
            return duration_s
        case Swipe(duration_s=duration_s) | Drag(duration_s=duration_s):
            return duration_s + (_REST_MS + _GRAB_MS) / 1000
        case _:
            return (3 * _HOLD_MS + 2 * _BETWEEN_MS) / 1000


def as_swipe(action: Scroll) -> list[Swipe]:
    """The swipes of a finger that scroll as far as a wheel would; none for no distance."""
    longest = max(abs(action.dx), abs(action.dy))
    times = -int(-longest // _LONGEST_SWIPE)
    swipes: list[Swipe] = []
    for _ in range(times):
        x, y = action.dx / times, action.dy / times
        start = Point(_start(action.at.x, x), _start(action.at.y, y))
        swipes.append(Swipe(start=start, end=Point(start.x - x, start.y - y)))
    return swipes


def _start(at: float, distance: float) -> float:
    """Where a finger goes down, nearest to `at`, so that it can move by -`distance`."""
    margin = 0.05
    low, high = margin + max(distance, 0.0), 1 - margin + min(distance, 0.0)
    return min(max(at, low), high)


def _clicks(at: tuple[float, float], times: int, button: int) -> list[JsonValue]:
    steps: list[JsonValue] = [_move(at)]
    for number in range(times):
        if number:
            steps.append(_pause(_BETWEEN_MS))
        steps += [_down(button), _pause(_HOLD_MS), _up(button)]
    return steps


def _move(to: tuple[float, float], duration_s: float = 0.0) -> JsonValue:
    return {
        "type": "pointerMove", "duration": round(duration_s * 1000), "origin": "viewport",
        "x": _whole(to[0]), "y": _whole(to[1]),
    }  # fmt: skip


def _down(button: int = 0) -> JsonValue:
    return {"type": "pointerDown", "button": button}


def _up(button: int = 0) -> JsonValue:
    return {"type": "pointerUp", "button": button}


def _pause(duration_ms: float) -> JsonValue:
    return {"type": "pause", "duration": round(duration_ms)}


def _wheel(
    at: tuple[float, float],
    first: tuple[float, float],
    last: tuple[float, float],
    dx: float,
    dy: float,
) -> JsonValue:
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
