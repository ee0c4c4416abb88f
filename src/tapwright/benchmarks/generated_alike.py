"""Screens that show nearly the same, found without comparing each with each.

Two are alike when most of what can be read on either can be read on both, wherever it stands and
whatever is switched on: an inbox with one more mail is the same to a model that knows it by heart.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import ceil

from tapwright.benchmarks.generated_screens import RecordedScreen

__all__ = ["AlikeScreens"]

_SHARE = 0.8
_Line = tuple[str, str, int]
_Lines = frozenset[_Line]


class AlikeScreens:
    """Looks screens up among others by their words.

    Of two sets that have a share of their words in common, one of the rarest few of each is among
    the rarest few of the other, so only sets with such a word in common are compared.
    """

    def __init__(self) -> None:
        self._once: dict[_Line, _Line] = {}
        self._known: dict[_Lines, None] = {}
        self._frequency = Counter[_Line]()

    def add(self, screen: RecordedScreen) -> None:
        """Remember the words of a screen; before the first is looked up."""
        lines = frozenset(self._once.setdefault(line, line) for line in _lines(screen))
        self._known[lines] = None
        self._frequency.update(lines)

    def __contains__(self, screen: RecordedScreen) -> bool:
        """Whether one of the screens is like this one."""
        if not self._known:
            return False
        lines = _lines(screen)
        if not lines:
            return lines in self._known
        return any(
            len(lines & other) >= _SHARE * len(lines | other)
            for line in self._rarest(lines)
            for other in self._by_line.get(line, ())
        )

    @cached_property
    def _by_line(self) -> Mapping[_Line, Sequence[_Lines]]:
        found: dict[_Line, list[_Lines]] = {}
        for lines in self._known:
            for line in self._rarest(lines):
                found.setdefault(line, []).append(lines)
        return found

    def _rarest(self, lines: _Lines) -> Sequence[_Line]:
        """The words of which two alike sets have one in common: the rarest, ties by the words."""
        ordered = sorted(lines, key=lambda line: (self._frequency[line], line))
        return ordered[: len(ordered) - ceil(_SHARE * len(ordered)) + 1]


def _lines(screen: RecordedScreen) -> _Lines:
    """What can be read in the app, with the app; keys and other single letters are left out.

    A text that stands there twice is there as a first and as a second.
    """
    met = Counter[str]()
    found = set[_Line]()
    for node in screen.tree.nodes:
        text = (node.text or node.description).strip()
        if node.box is None or len(text) < 2 or node.order in screen.system:
            continue
        found.add((screen.app, text, met[text]))
        met[text] += 1
    return frozenset(found)
