"""What recorders of desktops have in common: a pointer that stays, keys by name, a wheel.

A drag begins where the pointer was left, and so may a turn of the wheel; so the pointer is followed
through an episode. How far a click of the wheel scrolls, nobody records: it is taken for a tenth of
the screen, and the step's log tells the clicks.
"""

from collections.abc import Sequence
from typing import Final

from pydantic import ValidationError

from tapwright.actions import Action, Drag, Scroll
from tapwright.conventions.rendering import key_action
from tapwright.errors import first_problem
from tapwright.formats.errors import ForeignDataError
from tapwright.geometry import Point

_SCREENS_PER_CLICK: Final = 0.1
_CENTER = Point(0.5, 0.5)


class Pointer:
    """Where the pointer of a desktop is; nowhere known before it was first moved."""

    def __init__(self) -> None:
        self._at: Point | None = None

    def to(self, at: Point | None, where: str) -> Point:
        """Go to a place, or stay where None is given; where it then is.

        Raises:
            ForeignDataError: it stays, and where it was has not been told yet.
        """
        self._at = at or self._at
        if self._at is None:
            raise ForeignDataError(f"{where}: acts at the pointer, whose place is not told before")
        return self._at

    def drag(self, end: Point, where: str) -> Drag:
        """Drag what is under the pointer, which must have been somewhere, to a place."""
        start = self.to(None, where)
        return Drag(start=start, end=self.to(end, where))

    def wheel(self, at: Point | None, where: str, *, right: float = 0, down: float = 0) -> Scroll:
        """Turn the wheel by clicks, where the pointer is or, not knowing that, in the middle.

        Raises:
            ForeignDataError: they are more than a thousand, or no number.
        """
        place = at or self._at or _CENTER
        dx, dy = right * _SCREENS_PER_CLICK, down * _SCREENS_PER_CLICK
        try:
            return Scroll(at=place, dx=dx, dy=dy)
        except ValidationError as error:
            raise ForeignDataError(f"{where}: {first_problem(error)}") from error


def press_keys(names: Sequence[str], where: str) -> Action:
    """Keys pressed together: one that has a name of ours as that, all others as a hotkey.

    Raises:
        ForeignDataError: there is none.
    """
    if not names or not all(names):
        raise ForeignDataError(f"{where}: presses no key")
    return key_action([*names])
