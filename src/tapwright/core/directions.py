"""The direction of a gesture in one word, by one rule for every format, convention and score.

A swipe goes along the longer of its two parts, measured in pixels of the screen that it was made
on: on a 1080x2400 phone a finger that goes 0.3 of the width and 0.2 of the height goes down. Half
of the foreign formats name a swipe by the finger and half by the content that comes into view; here
it is the finger, and a finger that goes up brings what is below into view.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from tapwright.core.actions import Drag, Scroll, Swipe
from tapwright.core.geometry import Point, Size, to_pixel

__all__ = [
    "OPPOSITE", "Direction", "finger_direction", "main_direction", "scroll_direction",
    "swipe_toward",
]  # fmt: skip

Direction: TypeAlias = Literal["up", "down", "left", "right"]

OPPOSITE: Mapping[Direction, Direction] = {
    "up": "down", "down": "up", "left": "right", "right": "left",
}  # fmt: skip
"""What comes into view for each direction of the finger, and back: its own inverse."""

_ENDS: Mapping[Direction, tuple[Point, Point]] = {
    # MobiAgent's runner draws every swipe between 0.7 and 0.3 of the screen.
    "up": (Point(0.5, 0.7), Point(0.5, 0.3)),
    "down": (Point(0.5, 0.3), Point(0.5, 0.7)),
    "left": (Point(0.7, 0.5), Point(0.3, 0.5)),
    "right": (Point(0.3, 0.5), Point(0.7, 0.5)),
}


def main_direction(right: float, down: float) -> Direction | None:
    """The direction of the longer part of a movement; a tie is vertical, no movement None.

    Both parts are in the same unit; negative ones go left and up.
    """
    if abs(right) > abs(down):
        return "right" if right > 0 else "left"
    if down:
        return "down" if down > 0 else "up"
    return None


def finger_direction(gesture: Swipe | Drag, size: Size) -> Direction | None:
    """The direction in which the finger goes on a screen of `size`; None where it stays.

    Compares whole pixels, as recorders do, so a gesture keeps its direction when its places are
    written as pixels; a gesture within one pixel goes by the parts of that pixel.
    """
    (left, top), (right, bottom) = to_pixel(gesture.start, size), to_pixel(gesture.end, size)
    if (left, top) != (right, bottom):
        return main_direction(right - left, bottom - top)
    start, end = gesture.start, gesture.end
    return main_direction((end.x - start.x) * size.width, (end.y - start.y) * size.height)


def scroll_direction(scroll: Scroll, size: Size) -> Direction | None:
    """The direction of the content that a wheel brings into view; None where it turns by nothing.

    The amounts of a scroll are in screens of `size`.
    """
    return main_direction(scroll.dx * size.width, scroll.dy * size.height)


def swipe_toward(finger: Direction) -> Swipe:
    """The swipe for a direction without places: two fifths of the screen, through its middle."""
    start, end = _ENDS[finger]
    return Swipe(start=start, end=end)
