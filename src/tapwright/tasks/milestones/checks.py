"""What a milestone looks for in a frame: yes, no, or not to be told.

Kinds and parameters are those of MobiFlow's conditions
(https://github.com/IPADS-SAI/MobiAgent/blob/e2edd7a6/MobiFlow/avdag/conditions.py). Other than
there, what cannot be looked at (no hierarchy, no reader, no model) is unknown and not false.
"""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from pydantic import JsonValue
from rapidfuzz import fuzz

from tapwright.errors import MissingExtraError
from tapwright.geometry import Box
from tapwright.observation import Observation
from tapwright.tasks.errors import EventSourceUnavailableError
from tapwright.tasks.events.icons import shows_icon
from tapwright.tasks.milestones.frames import Cost, Frame, Question, Truth, Watch
from tapwright.tasks.patterns import compile_pattern

__all__ = [
    "ActionIs",
    "AllOf",
    "Always",
    "AnyOf",
    "Asked",
    "Flag",
    "Icons",
    "MilestoneCheck",
    "Pattern",
    "Read",
    "Said",
    "Seen",
    "Topic",
    "Words",
    "Xml",
]

_SCREEN = Box(0, 0, 1, 1)
_FUZZY = 80.0
_FUZZY_FROM = 4


class MilestoneCheck(Protocol):
    """Looks for something in a frame."""

    @property
    def costs(self) -> frozenset[Cost]:
        """What it may cost to find out."""

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether frame `number` shows it, spending no more than `cost`."""

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """Of a frame that shows it: the kind of check, and what it found."""


@dataclass(frozen=True, slots=True)
class Words:
    """Some of `any_of`, and each of `all_of`; none of them is no wish at all, and never holds."""

    any_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()

    def among(self, words: frozenset[str]) -> bool:
        """Whether they are among whole words; a phrase is when all of its words are."""
        return self._met(lambda wanted: wanted in words or words.issuperset(wanted.split()))

    def within(self, *texts: str) -> bool:
        """Whether they are parts of texts."""
        return self._met(lambda wanted: any(wanted in text for text in texts))

    def _met(self, has: Callable[[str], bool]) -> bool:
        if self.any_of and not any(map(has, self.any_of)):
            return False
        return bool(self.any_of or self.all_of) and all(map(has, self.all_of))

    def found(self, *texts: str) -> str:
        """Those that the texts have, in words."""
        there = [one for one in (*self.any_of, *self.all_of) if any(one in text for text in texts)]
        return ", ".join(map(repr, there))


@dataclass(frozen=True, slots=True)
class Always:
    """What every frame shows: a milestone that only its parents decide."""

    costs: ClassVar[frozenset[Cost]] = frozenset()

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """True."""
        return True

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """That nothing was asked for."""
        return "none", "no condition"


@dataclass(frozen=True, slots=True)
class Seen:
    """Words to be seen on the screen: in its hierarchy, or where it has none on its picture."""

    words: Words
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.WORDS, Cost.TREE, Cost.READING})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether they are there."""
        frame = frames[number]
        if frame.words is not None:
            return self.words.among(frame.words)
        if frame.screen is None:
            return False
        if (shown := frame.shown) is not None:
            return self.words.within(*shown) if cost >= Cost.TREE else None
        read = watch.texts(frame) if cost >= Cost.READING else None
        return None if read is None else _reads(self.words, read)

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """The words that are there."""
        frame = frames[number]
        texts = frame.words if frame.words is not None else frame.shown
        return "seen", self.words.found(*(texts if texts is not None else watch.texts(frame) or ()))


@dataclass(frozen=True, slots=True)
class Said:
    """Words in what the agent said or typed (`text_match`)."""

    words: Words
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.WORDS})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether they are in it."""
        frame = frames[number]
        return (
            self.words.within(frame.said) if frame.words is None else self.words.among(frame.words)
        )

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """The words that are in it."""
        frame = frames[number]
        return "text", self.words.found(frame.said, *(frame.words or ()))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression in what the agent said or typed (`regex_match`)."""

    pattern: str
    ignore_case: bool = False
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.WORDS})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether it matches."""
        frame = frames[number]
        text = frame.said if frame.words is None else " ".join(sorted(frame.words))
        return _matches(self.pattern, text, ignore_case=self.ignore_case)

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """The pattern."""
        return "regex", self.pattern


@dataclass(frozen=True, slots=True)
class Flag:
    """What is known of the screen (`ui_flag`): of its keys only "package", the app in front."""

    key: str
    values: tuple[JsonValue, ...] = ()
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.WORDS})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether it has one of the values, or with none given any at all."""
        screen = frames[number].screen
        if screen is None:
            return False
        if self.key != "package":
            return None
        return screen.app in self.values if self.values else bool(screen.app)

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """The app in front."""
        screen = frames[number].screen
        return "ui", screen.app if screen else ""


@dataclass(frozen=True, slots=True)
class Xml:
    """Words in the XML of the view hierarchy (`xml_text_match`)."""

    words: Words
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.TREE})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether they are in it, as they are written there or as they read."""
        frame = frames[number]
        if frame.words is not None:
            return self.words.among(frame.words)
        if frame.screen is None:
            return False
        if cost < Cost.TREE or frame.screen.ui_tree is None:
            return None
        return self.words.within(frame.screen.ui_tree.xml, *(frame.shown or ()))

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """The words that are in it."""
        frame = frames[number]
        tree = frame.screen.ui_tree if frame.screen else None
        texts = (tree.xml if tree else "", *(frame.shown or ()), *(frame.words or ()))
        return "xml", self.words.found(*texts)


@dataclass(frozen=True, slots=True)
class ActionIs:
    """What the agent did (`action_match`): its type, and parameters that are equal."""

    type: str = ""
    contains: tuple[tuple[str, JsonValue], ...] = ()
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.WORDS})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether it is such an action."""
        action = frames[number].action
        if self.type and self.type not in (action.get("type"), action.get("name")):
            return False
        met = all(key in action and action[key] == value for key, value in self.contains)
        return met and bool(self.type or self.contains)

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """The action."""
        return "action", str(dict(frames[number].action))


@dataclass(frozen=True, slots=True)
class Topic:
    """Words that depend on what the task asks for (`dynamic_match`).

    The first topic with a trigger in the instruction counts; one of its words is looked for in the
    agent's reasons and what it said.
    """

    topics: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.WORDS})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether a word of the task's topic is there; unknown when the task has none of them."""
        frame = frames[number]
        text = self._text(frame)
        if not text:
            return False
        wanted = self._wanted(frame)
        return None if wanted is None else any(word.lower() in text for word in wanted)

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """The words that are there."""
        frame = frames[number]
        there = [word for word in self._wanted(frame) or () if word.lower() in self._text(frame)]
        return "dynamic_match", ", ".join(map(repr, there))

    def _wanted(self, frame: Frame) -> tuple[str, ...] | None:
        asked = frame.instruction.lower()
        for triggers, wanted in self.topics:
            if any(trigger.lower() in asked for trigger in triggers):
                return wanted
        return None

    def _text(self, frame: Frame) -> str:
        return f"{frame.said} {' '.join(frame.words or ())}".strip().lower()


@dataclass(frozen=True, slots=True)
class Icons:
    """Pictures of icons to be found on the screen (`icons_match`): some, or all of them."""

    pictures: tuple[Path, ...]
    every: bool = False
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.ICONS})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether they are there; unknown without a picture of the icon or of the screen."""
        screen = frames[number].screen
        if screen is None:
            return False if frames[number].words is None else None
        if cost < Cost.ICONS or not screen.screenshot.recorded:
            return None
        found = [self._shows(screen, picture) for picture in self.pictures]
        return _all(found) if self.every else _any(found)

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """The names of the pictures."""
        return "icons", ", ".join(picture.name for picture in self.pictures)

    def _shows(self, screen: Observation, picture: Path) -> Truth:
        try:
            return shows_icon(screen.screenshot, picture, _SCREEN)
        except (EventSourceUnavailableError, MissingExtraError):
            return None


@dataclass(frozen=True, slots=True)
class Read:
    """Words or a pattern to be read off the screen's picture (`ocr_match`); one of them is enough.

    Misread letters are forgiven: width, case, blanks, 0 for O, 1 for l, 5 for S, and one letter in
    five of a longer word.
    """

    any_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()
    pattern: str = ""
    ignore_case: bool = False
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.WORDS, Cost.READING})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether they can be read."""
        frame = frames[number]
        if frame.words is not None:
            return self._matches(tuple(frame.words))
        if frame.screen is None:
            return False
        read = watch.texts(frame) if cost >= Cost.READING else None
        return None if read is None else self._matches(read)

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """What was wished for, of which enough was read."""
        return "ocr", ", ".join(
            map(repr, (*self.any_of, *self.all_of, *filter(None, [self.pattern])))
        )

    def _matches(self, texts: tuple[str, ...]) -> bool:
        if self.any_of and _reads(Words(any_of=self.any_of), texts):
            return True
        if self.all_of and _reads(Words(all_of=self.all_of), texts):
            return True
        text = "\n".join(texts)
        return bool(self.pattern) and _matches(self.pattern, text, ignore_case=self.ignore_case)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model says of the screen and the one after it (`llm`)."""

    prompt: str
    expected: bool = True
    costs: ClassVar[frozenset[Cost]] = frozenset({Cost.MODEL})

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether it says what is expected; unknown when nobody can be asked."""
        frame = frames[number]
        if frame.screen is None:
            return False if frame.words is None else None
        if cost < Cost.MODEL:
            return None
        last = number + 1 == len(frames)
        pair = frames[number - 1 : number + 1] if last and number else frames[number : number + 2]
        screens = tuple(one for one in pair if one.screen is not None)
        meant = screens.index(frame)
        said = watch.answer(Question(self.prompt, frame.instruction, screens, meant))
        return None if said is None else said == self.expected

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """What it was asked."""
        return "llm", f"{'yes' if self.expected else 'no'} to {self.prompt!r}"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of several checks is enough (`escalate`)."""

    checks: tuple[MilestoneCheck, ...]

    @property
    def costs(self) -> frozenset[Cost]:
        """Those of all of them."""
        return frozenset().union(*(check.costs for check in self.checks))

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether one of them holds; the dearer ones are asked when no cheaper one does."""
        return _any(check.holds(frames, number, watch, cost) for check in _by_cost(self.checks))

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """That of the first that holds."""
        for check in _by_cost(self.checks):
            if check.holds(frames, number, watch, max(check.costs, default=Cost.WORDS)):
                return check.evidence(frames, number, watch)
        return "none", ""


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of several checks is needed (`juxtaposition`)."""

    checks: tuple[MilestoneCheck, ...]

    @property
    def costs(self) -> frozenset[Cost]:
        """Those of all of them."""
        return frozenset().union(*(check.costs for check in self.checks))

    def holds(self, frames: Sequence[Frame], number: int, watch: Watch, cost: Cost) -> Truth:
        """Whether all of them hold; the dearer ones are asked when every cheaper one does."""
        return _all(check.holds(frames, number, watch, cost) for check in _by_cost(self.checks))

    def evidence(self, frames: Sequence[Frame], number: int, watch: Watch) -> tuple[str, str]:
        """That of each."""
        told = [check.evidence(frames, number, watch) for check in self.checks]
        return " and ".join(kind for kind, _ in told), "; ".join(found for _, found in told)


def _by_cost(checks: Sequence[MilestoneCheck]) -> list[MilestoneCheck]:
    return sorted(checks, key=lambda check: max(check.costs, default=Cost.WORDS))


def _any(found: Iterable[Truth]) -> Truth:
    unknown = False
    for one in found:
        if one:
            return True
        unknown |= one is None
    return None if unknown else False


def _all(found: Iterable[Truth]) -> Truth:
    unknown = False
    for one in found:
        if one is False:
            return False
        unknown |= one is None
    return None if unknown else True


_ALIKE = str.maketrans("osli|", "05111")


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(folded.split()).translate(_ALIKE)


def _reads(words: Words, texts: tuple[str, ...]) -> bool:
    """Whether words are on a picture, if letters that look alike may have been taken for others."""
    if words.within(*texts):
        return True
    plain = _plain("".join(texts))

    def has(word: str) -> bool:
        wanted = _plain(word)
        if wanted in plain:
            return bool(wanted)
        return len(wanted) >= _FUZZY_FROM and fuzz.partial_ratio(wanted, plain) >= _FUZZY

    return (not words.any_of or any(map(has, words.any_of))) and all(map(has, words.all_of))


def _matches(pattern: str, text: str, *, ignore_case: bool) -> bool:
    """Whether a pattern of a rule is in a text.

    Raises:
        BadPatternError: it is none, or takes too long.
    """
    return compile_pattern(f"(?i:{pattern})" if ignore_case else pattern).search(text) is not None
