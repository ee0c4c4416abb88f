"""Checks of milestones on words, view hierarchies and actions: true, false or unknown.

Kinds and parameters are those of MobiFlow's conditions
(https://github.com/IPADS-SAI/MobiAgent/blob/e2edd7a6/MobiFlow/avdag/conditions.py). Unlike there,
what cannot be looked at (no hierarchy, no reader, no model) is unknown and not false.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from pydantic import JsonValue

from tapwright.tasks.milestones.frames import CheckCost, FrameReader, MilestoneFrame, Truth
from tapwright.tasks.milestones.word_query import WordQuery, matches_pattern, matches_read_text

__all__ = [
    "ActionCheck",
    "AgentTextCheck",
    "AlwaysCheck",
    "MilestoneCheck",
    "NeverCheck",
    "PatternCheck",
    "TextSeenCheck",
    "TopicCheck",
    "UiFlagCheck",
    "XmlTextCheck",
]


class MilestoneCheck(Protocol):
    """Looks for something in a frame."""

    @property
    def costs(self) -> frozenset[CheckCost]:
        """The costs of its ways to find out."""

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether frame `number` shows it, at no higher cost than `cost`."""

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return the kind of check and what it found, for a frame that shows it."""


@dataclass(frozen=True, slots=True)
class AlwaysCheck:
    """Holds in every frame: a milestone that only its parents decide."""

    costs: ClassVar[frozenset[CheckCost]] = frozenset()

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """True."""
        return True

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return that there is no condition."""
        return "none", "no condition"


@dataclass(frozen=True, slots=True)
class NeverCheck:
    """Holds in no frame: a condition that looks for nothing, or a milestone that does not exist."""

    costs: ClassVar[frozenset[CheckCost]] = frozenset()

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """False."""
        return False

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return nothing: no frame shows it."""
        return "none", ""


@dataclass(frozen=True, slots=True)
class TextSeenCheck:
    """Words on the screen: in its hierarchy, or without one on its picture."""

    words: WordQuery
    costs: ClassVar[frozenset[CheckCost]] = frozenset(
        {CheckCost.WORDS, CheckCost.TREE, CheckCost.READING}
    )

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether the screen shows them."""
        frame = frames[number]
        if frame.words is not None:
            return self.words.matches_words(frame.words)
        if frame.screen is None:
            return False
        if (texts := frame.tree_texts) is not None:
            return self.words.matches_texts(*texts) if cost >= CheckCost.TREE else None
        read = reader.texts(frame) if cost >= CheckCost.READING else None
        return None if read is None else matches_read_text(self.words, read)

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return the words that were found."""
        frame = frames[number]
        texts = frame.words if frame.words is not None else frame.tree_texts
        return "seen", self.words.list_found(
            *(texts if texts is not None else reader.texts(frame) or ())
        )


@dataclass(frozen=True, slots=True)
class AgentTextCheck:
    """Words in the agent's reasoning, action type or typed text (`text_match`)."""

    words: WordQuery
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.WORDS})

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether the text has them."""
        frame = frames[number]
        return (
            self.words.matches_texts(frame.agent_text)
            if frame.words is None
            else self.words.matches_words(frame.words)
        )

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return the words that were found."""
        frame = frames[number]
        return "text", self.words.list_found(frame.agent_text, *(frame.words or ()))


@dataclass(frozen=True, slots=True)
class PatternCheck:
    """A regular expression in the agent's reasoning, action type or typed text (`regex_match`)."""

    pattern: str
    ignore_case: bool = False
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.WORDS})

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether it matches."""
        frame = frames[number]
        text = frame.agent_text if frame.words is None else " ".join(sorted(frame.words))
        return matches_pattern(self.pattern, text, ignore_case=self.ignore_case)

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return the pattern."""
        return "regex", self.pattern


@dataclass(frozen=True, slots=True)
class UiFlagCheck:
    """A property of the screen (`ui_flag`); the only known key is "package", the app in front."""

    key: str
    values: tuple[JsonValue, ...] = ()
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.WORDS})

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether it has one of the values, or any value if none is given; unknown without one."""
        frame = frames[number]
        if frame.screen is None:
            return False
        if self.key != "package" or not frame.app:
            return None
        return frame.app in self.values if self.values else True

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return the app in front."""
        return "ui", frames[number].app


@dataclass(frozen=True, slots=True)
class XmlTextCheck:
    """Words in the XML of the view hierarchy (`xml_text_match`)."""

    words: WordQuery
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.TREE})

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether the hierarchy has them, escaped as in XML or plain."""
        frame = frames[number]
        if frame.words is not None:
            return self.words.matches_words(frame.words)
        if frame.screen is None:
            return False
        if cost < CheckCost.TREE or frame.hierarchy is None:
            return None
        return self.words.matches_texts(frame.hierarchy.xml, *(frame.tree_texts or ()))

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return the words that were found."""
        frame = frames[number]
        tree = frame.hierarchy
        texts = (tree.xml if tree else "", *(frame.tree_texts or ()), *(frame.words or ()))
        return "xml", self.words.list_found(*texts)


@dataclass(frozen=True, slots=True)
class ActionCheck:
    """The agent's action (`action_match`): its type, and parameters that are equal."""

    type: str = ""
    contains: tuple[tuple[str, JsonValue], ...] = ()
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.WORDS})

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether it is such an action."""
        action = frames[number].action
        if self.type and self.type not in (action.get("type"), action.get("name")):
            return False
        met = all(key in action and action[key] == value for key, value in self.contains)
        return met and bool(self.type or self.contains)

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return the action."""
        return "action", str(dict(frames[number].action))


@dataclass(frozen=True, slots=True)
class TopicCheck:
    """Words that depend on the task (`dynamic_match`).

    The first topic with a trigger in the instruction counts; one of its words is looked for in the
    agent's reasoning, action type or typed text.
    """

    topics: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.WORDS})

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether a word of the task's topic is found; unknown if the task has no topic."""
        frame = frames[number]
        text = self._text(frame)
        if not text:
            return False
        wanted = self._wanted(frame)
        return None if wanted is None else any(word.lower() in text for word in wanted)

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return the words that were found."""
        frame = frames[number]
        found = [word for word in self._wanted(frame) or () if word.lower() in self._text(frame)]
        return "dynamic_match", ", ".join(map(repr, found))

    def _wanted(self, frame: MilestoneFrame) -> tuple[str, ...] | None:
        instruction = frame.instruction.lower()
        for triggers, wanted in self.topics:
            if any(trigger.lower() in instruction for trigger in triggers):
                return wanted
        return None

    def _text(self, frame: MilestoneFrame) -> str:
        return f"{frame.agent_text} {' '.join(frame.words or ())}".strip().lower()
