"""What recordings of desktops share: a pointer with a position, keys by name, a wheel.

A drag starts where the pointer is, and a turn of the wheel may too, so the pointer is tracked
through an episode. How far a click of the wheel scrolls is never recorded: it counts as a tenth of
the screen, and the step's log has the number of clicks.
"""

from collections.abc import Sequence
from typing import Final

from pydantic import ValidationError

from tapwright.conventions import rendering
from tapwright.core.actions import Action, Drag, Scroll
from tapwright.core.geometry import Point
from tapwright.errors import first_problem
from tapwright.formats.errors import ForeignDataError

_SCREENS_PER_CLICK: Final = 0.1
_CENTER = Point(0.5, 0.5)


class Pointer:
    """Tracks the pointer of a desktop; its place is unknown until it is first moved."""

    def __init__(self) -> None:
        self._at: Point | None = None

    def move(self, at: Point | None, where: str) -> Point:
        """Move to a place, or stay at None; returns where it then is.

        Raises:
            ForeignDataError: it stays, and its place is still unknown.
        """
        self._at = at or self._at
        if self._at is None:
            raise ForeignDataError(f"{where}: acts at the pointer, whose place is still unknown")
        return self._at

    def drag(self, end: Point, where: str) -> Drag:
        """Drag from the pointer, whose place must be known, to a place."""
        start = self.move(None, where)
        return Drag(start=start, end=self.move(end, where))

    def scroll(self, at: Point | None, where: str, *, right: float = 0, down: float = 0) -> Scroll:
        """Turn the wheel by clicks, at the pointer or, if its place is unknown, in the middle.

        Raises:
            ForeignDataError: they are more than a thousand, or not a number.
        """
        place = at or self._at or _CENTER
        dx, dy = right * _SCREENS_PER_CLICK, down * _SCREENS_PER_CLICK
        try:
            return Scroll(at=place, dx=dx, dy=dy)
        except ValidationError as error:
            raise ForeignDataError(f"{where}: {first_problem(error)}") from error


def press_keys(names: Sequence[str], where: str) -> Action:
    """Returns keys pressed together: one of our named keys as a key press, all else as a hotkey.

    Raises:
        ForeignDataError: no key is given.
    """
    if not names or not all(names):
        raise ForeignDataError(f"{where}: presses no key")
    return rendering.press_keys([*names])
