"""Gestures as commands of Android's `input` program, in pixels of the screen as it is rotated."""

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from tapwright.core.actions import DoubleTap, Drag, LongPress, Scroll, Swipe, Tap, TripleTap
from tapwright.core.geometry import Point, Size, to_pixel

__all__ = ["Gesture", "input_commands", "total_duration_s"]

Gesture: TypeAlias = Tap | DoubleTap | TripleTap | LongPress | Swipe | Drag | Scroll

_STROKE = 0.5
_EDGE = 0.05  # from a phone's edge a swipe means "back"
_STROKE_S = 0.6


def input_commands(gesture: Gesture, size: Size) -> list[tuple[str, ...]]:
    """The commands of a gesture, in order; none for a scroll by nothing.

    A scroll is made of swipes of at most half a screen, each of them around its place.
    """
    match gesture:
        case Tap(at=at):
            return [("input", "tap", *_pixel(at, size))]
        case DoubleTap(at=at):
            return [("input", "tap", *_pixel(at, size))] * 2
        case TripleTap(at=at):
            return [("input", "tap", *_pixel(at, size))] * 3
        case LongPress(at=at, duration_s=duration_s):
            return [_stroke("swipe", at, at, duration_s, size)]
        case Swipe(start=start, end=end, duration_s=duration_s):
            return [_stroke("swipe", start, end, duration_s, size)]
        case Drag(start=start, end=end, duration_s=duration_s):
            return [_stroke("draganddrop", start, end, duration_s, size)]
        case Scroll(at=at, dx=dx, dy=dy):
            across = [(Point(a, at.y), Point(b, at.y)) for a, b in _strokes(at.x, dx)]
            along = [(Point(at.x, a), Point(at.x, b)) for a, b in _strokes(at.y, dy)]
            return [_stroke("swipe", start, end, _STROKE_S, size) for start, end in across + along]
        case _:
            assert_never(gesture)


def total_duration_s(commands: Sequence[tuple[str, ...]]) -> float:
    """The shortest time that such commands take together."""
    durations = [words[-1] for words in commands if words[1] in ("swipe", "draganddrop")]
    return sum(int(milliseconds) for milliseconds in durations) / 1000


def _strokes(middle: float, distance: float) -> list[tuple[float, float]]:
    """The start and end of each stroke along one axis."""
    count = -int(-abs(distance) // _STROKE)
    half = distance / count / 2 if count else 0.0
    reach = abs(half) + _EDGE
    middle = min(max(middle, reach), 1 - reach)
    return [(middle + half, middle - half)] * count


def _stroke(
    program: str, start: Point, end: Point, duration_s: float, size: Size
) -> tuple[str, ...]:
    milliseconds = max(1, round(duration_s * 1000))
    return "input", program, *_pixel(start, size), *_pixel(end, size), str(milliseconds)


def _pixel(point: Point, size: Size) -> tuple[str, str]:
    x, y = to_pixel(point, size)
    return str(x), str(y)
