"""Screens that show nearly the same, found without comparing each with each.

Two are alike when most of what can be read on either can be read on both, wherever it stands and
whatever is switched on: an inbox with one more mail is the same to a model that knows it by heart.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
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

    def __init__(self, screens: Iterable[RecordedScreen]) -> None:
        """Read the screens, each once."""
        known = [_lines(screen.fresh()) for screen in screens]
        self._frequency = Counter(line for lines in known for line in lines)
        self._by_line: dict[_Line, list[_Lines]] = {}
        self._wordless = frozenset[_Line]() in known
        for lines in dict.fromkeys(known):
            for line in self._rarest(lines):
                self._by_line.setdefault(line, []).append(lines)

    def __contains__(self, screen: RecordedScreen) -> bool:
        """Whether one of the screens is like this one."""
        lines = _lines(screen.fresh())
        if not lines:
            return self._wordless
        return any(
            len(lines & other) >= _SHARE * len(lines | other)
            for line in self._rarest(lines)
            for other in self._by_line.get(line, ())
        )

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
