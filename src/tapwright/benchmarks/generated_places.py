"""Whether the words for an element tell its place: whether they mean that place elsewhere, too.

A tab or a button of a bar stands where it stands on every screen, so a model that knows its
training by heart finds it without looking. What stands where the data has put it has to be seen.
"""

from collections import Counter

from tapwright.benchmarks.elements import Element
from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.core.geometry import Point
from tapwright.core.observation import UiRole

__all__ = ["KnownPlaces"]

_GRID = 200
_SHARE = 1 / 3


class KnownPlaces:
    """Where elements of a label and a role stand, on the screens that were added.

    With `own` the screens that are asked about are among them; what one shows tells nothing there.
    """

    def __init__(self, *, own: bool) -> None:
        self._own = int(own)
        self._places: dict[tuple[str, UiRole], Counter[tuple[int, int]]] = {}

    def add(self, screen: RecordedScreen) -> None:
        """Remember where the elements of a screen stand."""
        for element in screen.elements:
            center = element.box.center
            place = round(center.x * _GRID), round(center.y * _GRID)
            self._places.setdefault(_key(element), Counter())[place] += 1

    def tell(self, element: Element) -> bool:
        """Whether a third of the elements of this name, or more, are where this one is."""
        places = self._places.get(_key(element), Counter[tuple[int, int]]())
        box = element.box
        here = sum(
            count
            for (x, y), count in places.items()
            if box.contains(Point(min(x / _GRID, 1.0), min(y / _GRID, 1.0)))
        )
        others = places.total() - self._own
        return others > 0 and here - self._own >= _SHARE * others


def _key(element: Element) -> tuple[str, UiRole]:
    return element.label.casefold(), element.role
