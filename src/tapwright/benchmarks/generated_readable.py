"""What may be read on a screen by an eye that sees more than the tree tells.

A dialog dims what lies under it: the tree leaves that out, the eye may still read it. So nothing
that another screen of the same app or of the same recording has is a safe wrong answer, in whatever
language: a dialog may have one of its own, and be another app's.
"""

from collections.abc import Iterator

from tapwright.benchmarks.generated_screens import RecordedScreen

__all__ = ["ReadableText"]


class ReadableText:
    """The lines of text of all screens, by the apps that show them."""

    def __init__(self) -> None:
        self._lines: set[str] = set()
        self._text = ""  # all lines, for a search through them at once
        self._of_app: dict[str, set[str]] = {}
        self._holding: dict[str, frozenset[str]] = {}

    def add(self, screen: RecordedScreen) -> None:
        """Remember what can be read on a screen, and in its recording."""
        lines = screen.words.splitlines()
        self._of_app.setdefault(screen.app, set()).update(lines)
        self._lines.update(lines, screen.around)
        self._text = ""
        self._holding.clear()

    def may_show(self, screen: RecordedScreen, text: str) -> bool:
        """Whether the text, or something that it is only more of, may be read on the screen."""
        known = text.casefold()
        if any(one.casefold() in known for one in screen.texts):
            return True
        holding = self._find_holding(known)
        if not holding:
            return False
        of_app = self._of_app.get(screen.app, set())
        return not (holding.isdisjoint(of_app) and holding.isdisjoint(screen.around))

    def _find_holding(self, known: str) -> frozenset[str]:
        """The lines that hold a text; it has to have been casefolded."""
        if known not in self._holding:
            self._text = self._text or "\n".join(("", *sorted(self._lines), ""))
            self._holding[known] = frozenset(_lines_with(self._text, known))
        return self._holding[known]


def _lines_with(text: str, part: str) -> Iterator[str]:
    """The lines of a text that have a part; the text begins and ends with a line's end."""
    at = text.find(part)
    while at >= 0:
        end = text.index("\n", at)
        yield text[text.rindex("\n", 0, at) + 1 : end]
        at = text.find(part, end)
