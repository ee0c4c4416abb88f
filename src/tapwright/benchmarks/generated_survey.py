"""What recorded screens have together: what each may be asked about in comparison with others.

Each is looked at once, as it is read, and what is remembered of it is little.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Protocol

from tapwright.benchmarks.elements import CHECKABLE, Element
from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.benchmarks.generated_wording import SEARCH, Purpose, control_purpose, pick_wording
from tapwright.core.language import Language

__all__ = [
    "AlikeScreens", "FurnitureFinder", "LooksAtScreens", "ReadableText", "ScreenAbility",
    "ScreenSurvey", "ScreenSurveyor", "find_abilities", "list_contents",
]  # fmt: skip


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


class LooksAtScreens(Protocol):
    """What remembers something of each screen."""

    def add(self, screen: RecordedScreen) -> None:
        """Remember it of this one."""


@dataclass(frozen=True, slots=True)
class ScreenAbility:
    """Something that a screen lets a user do, in words, with what it is for where that is known."""

    words: str
    purpose: Purpose | None


@dataclass(frozen=True, slots=True)
class ScreenSurvey:
    """What the screens to ask about have: texts and abilities, sorted, by language.

    Each is there as often as screens have it, so that what is drawn from them as a wrong option is
    as common as a right one: how common an option is must not tell which it is.

    `typed` and `apps` are what is typed on them, and their apps. `readable` knows the text of all
    that was recorded.
    """

    texts: dict[Language, list[str]]
    abilities: dict[Language, list[ScreenAbility]]
    typed: list[str]
    apps: list[str]
    readable: ReadableText


@dataclass(frozen=True, slots=True)
class _ScreenFacts:
    language: Language
    texts: tuple[str, ...]
    abilities: tuple[ScreenAbility, ...]


class ScreenSurveyor:
    """Remembers of each recorded screen what a survey of some of them needs."""

    def __init__(self) -> None:
        self._facts: dict[str, _ScreenFacts] = {}
        self._texts: dict[str, str] = {}  # each once, as most are on many screens
        self._abilities: dict[ScreenAbility, ScreenAbility] = {}
        self._readable = ReadableText()

    def add(self, screen: RecordedScreen) -> None:
        """Remember a screen, also one about which there will be no question.

        Its text may be readable on another.
        """
        self._readable.add(screen)
        self._facts[screen.sha256] = _ScreenFacts(
            screen.language,
            tuple(self._texts.setdefault(text, text) for text in list_contents(screen)),
            tuple(self._abilities.setdefault(can, can) for can in find_abilities(screen)),
        )

    def survey(self, screens: Sequence[RecordedScreen]) -> ScreenSurvey:
        """What the `screens` to ask about have; they have to have been added."""
        texts: dict[Language, list[str]] = {"en": [], "zh": []}
        abilities: dict[Language, list[ScreenAbility]] = {"en": [], "zh": []}
        for screen in screens:
            facts = self._facts[screen.sha256]
            texts[facts.language] += facts.texts
            abilities[facts.language] += facts.abilities
        for every in abilities.values():
            every.sort(key=lambda ability: ability.words)
        return ScreenSurvey(
            texts={language: sorted(found) for language, found in texts.items()},
            abilities=abilities,
            typed=sorted({screen.typed for screen in screens if screen.typed}),
            apps=sorted({screen.app for screen in screens if screen.observation.app}),
            readable=self._readable,
        )


class FurnitureFinder:
    """Remembers the labels of each recorded screen, to find a system's own buttons among them."""

    def __init__(self) -> None:
        self._labels: dict[str, tuple[Language, Sequence[str]]] = {}
        self._once: dict[str, str] = {}

    def add(self, screen: RecordedScreen) -> None:
        """Remember the labels of a screen."""
        labels = {element.label for element in screen.elements}
        kept = tuple(self._once.setdefault(label, label) for label in labels)
        self._labels[screen.sha256] = screen.language, kept

    def find(self, screens: Sequence[RecordedScreen]) -> frozenset[str]:
        """The labels on more than a third of a language's screens, of those that were added."""
        counts: dict[Language, Counter[str]] = {"en": Counter(), "zh": Counter()}
        sizes = Counter[Language]()
        for screen in screens:
            language, labels = self._labels[screen.sha256]
            counts[language].update(labels)
            sizes[language] += 1
        return frozenset(
            label
            for language, numbers in counts.items()
            for label, number in numbers.items()
            if number > max(3, sizes[language] / 3)
        )


def list_contents(screen: RecordedScreen) -> list[str]:
    """The texts with content: of two letters or more, not only digits and signs."""
    return sorted(text for text in screen.texts if sum(char.isalpha() for char in text) > 1)


def find_abilities(screen: RecordedScreen) -> dict[ScreenAbility, Element]:
    """The actions that the screen offers, with the element for each."""
    found: dict[ScreenAbility, Element] = {}
    for element in screen.content:
        if not element.alone or (
            element.role == "text field" and element.label == element.node.text
        ):
            continue
        label, language = element.label, screen.language
        purpose = control_purpose(element)
        if element.role == "radio button":
            words = pick_wording(language, f'Choose "{label}"', f"选择“{label}”")
        elif element.role in CHECKABLE:
            words = pick_wording(
                language, f'Change whether "{label}" is on', f"改变“{label}”的开关状态"
            )
        elif element.role == "text field":
            words = pick_wording(language, f'Type into "{label}"', f"在“{label}”里输入文字")
        elif purpose is not None:
            words = purpose.wording(language)
            words = words[0].upper() + words[1:]
        elif element.kind == "text" and sum(char.isalpha() for char in label) > 1:
            words = pick_wording(language, f'Choose "{label}"', f"选择“{label}”")
        else:
            continue
        searches = SEARCH if SEARCH.may_serve(label) else None
        found[ScreenAbility(words, purpose or searches)] = element
    return found


_SHARE = 0.8
_Line = tuple[str, str, int]
_Lines = frozenset[_Line]


class AlikeScreens:
    """Finds screens that show nearly the same, without comparing each with each.

    Two are alike when most of what can be read on either can be read on both, wherever it stands
    and whatever is switched on: an inbox with one more mail is the same to a model that knows it by
    heart.

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
