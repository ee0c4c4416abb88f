"""Checks of milestones on words, view hierarchies and actions: true, false or unknown.

Kinds and parameters are those of MobiFlow's conditions
(https://github.com/IPADS-SAI/MobiAgent/blob/e2edd7a6/MobiFlow/avdag/conditions.py). Unlike there,
what cannot be looked at (no hierarchy, no reader, no model) is unknown and not false. Those that
combine others evaluate the cheaper ones first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from pydantic import JsonValue

from tapwright.tasks.milestones import frames
from tapwright.tasks.milestones.word_query import WordQuery, matches_pattern, matches_read_text

__all__ = [
    "ActionCheck", "AgentTextCheck", "AllChecks", "AnyCheck", "MilestoneCheck",
    "PatternCheck", "TextSeenCheck", "TopicCheck", "UiFlagCheck", "XmlTextCheck",
]  # fmt: skip


class MilestoneCheck(Protocol):
    """Looks for something in a frame."""

    @property
    def costs(self) -> frozenset[frames.CheckCost]:
        """The costs of its ways to find out."""

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether the frame shows it, at no higher cost than `cost`."""

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return the kind of check and what it found, for a frame that shows it."""


@dataclass(frozen=True, slots=True)
class TextSeenCheck:
    """Words on the screen: in its hierarchy, or without one on its picture."""

    words: WordQuery
    costs: ClassVar[frozenset[frames.CheckCost]] = frozenset(
        {frames.CheckCost.WORDS, frames.CheckCost.TREE, frames.CheckCost.READING}
    )

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether the screen shows them."""
        frame = look.frame
        if frame.words is not None:
            return self.words.matches_words(frame.words)
        if frame.screen is None:
            return False
        if (texts := frame.tree_texts) is not None:
            return self.words.matches_texts(*texts) if cost >= frames.CheckCost.TREE else None
        read = look.reader.texts(frame) if cost >= frames.CheckCost.READING else None
        return None if read is None else matches_read_text(self.words, read)

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return the words that were found."""
        frame = look.frame
        texts = frame.words if frame.words is not None else frame.tree_texts
        return "seen", self.words.list_found(
            *(texts if texts is not None else look.reader.texts(frame) or ())
        )


@dataclass(frozen=True, slots=True)
class AgentTextCheck:
    """Words in the agent's reasoning, action type or typed text (`text_match`)."""

    words: WordQuery
    costs: ClassVar[frozenset[frames.CheckCost]] = frozenset({frames.CheckCost.WORDS})

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether the text has them."""
        frame = look.frame
        return (
            self.words.matches_texts(frame.agent_text)
            if frame.words is None
            else self.words.matches_words(frame.words)
        )

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return the words that were found."""
        frame = look.frame
        return "text", self.words.list_found(frame.agent_text, *(frame.words or ()))


@dataclass(frozen=True, slots=True)
class PatternCheck:
    """A regular expression in the agent's reasoning, action type or typed text (`regex_match`)."""

    pattern: str
    ignore_case: bool = False
    costs: ClassVar[frozenset[frames.CheckCost]] = frozenset({frames.CheckCost.WORDS})

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether it matches."""
        frame = look.frame
        text = frame.agent_text if frame.words is None else " ".join(sorted(frame.words))
        return matches_pattern(self.pattern, text, ignore_case=self.ignore_case)

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return the pattern."""
        return "regex", self.pattern


@dataclass(frozen=True, slots=True)
class UiFlagCheck:
    """A property of the screen (`ui_flag`); the only known key is "package", the app in front."""

    key: str
    values: tuple[JsonValue, ...] = ()
    costs: ClassVar[frozenset[frames.CheckCost]] = frozenset({frames.CheckCost.WORDS})

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether it has one of the values, or any value if none is given; unknown without one."""
        frame = look.frame
        if frame.screen is None:
            return False
        if self.key != "package" or not frame.app:
            return None
        return frame.app in self.values if self.values else True

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return the app in front."""
        return "ui", look.frame.app


@dataclass(frozen=True, slots=True)
class XmlTextCheck:
    """Words in the XML of the view hierarchy (`xml_text_match`)."""

    words: WordQuery
    costs: ClassVar[frozenset[frames.CheckCost]] = frozenset({frames.CheckCost.TREE})

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether the hierarchy has them, escaped as in XML or plain."""
        frame = look.frame
        if frame.words is not None:
            return self.words.matches_words(frame.words)
        if frame.screen is None:
            return False
        if cost < frames.CheckCost.TREE or frame.hierarchy is None:
            return None
        return self.words.matches_texts(frame.hierarchy.xml, *(frame.tree_texts or ()))

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return the words that were found."""
        frame = look.frame
        tree = frame.hierarchy
        texts = (tree.xml if tree else "", *(frame.tree_texts or ()), *(frame.words or ()))
        return "xml", self.words.list_found(*texts)


@dataclass(frozen=True, slots=True)
class ActionCheck:
    """The agent's action (`action_match`): its type, and parameters that are equal."""

    type: str = ""
    contains: tuple[tuple[str, JsonValue], ...] = ()
    costs: ClassVar[frozenset[frames.CheckCost]] = frozenset({frames.CheckCost.WORDS})

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether it is such an action."""
        action = look.frame.action
        if self.type and self.type not in (action.get("type"), action.get("name")):
            return False
        met = all(key in action and action[key] == value for key, value in self.contains)
        return met and bool(self.type or self.contains)

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return the action."""
        return "action", str(dict(look.frame.action))


@dataclass(frozen=True, slots=True)
class TopicCheck:
    """Words that depend on the task (`dynamic_match`).

    The first topic with a trigger in the instruction counts; one of its words is looked for in the
    agent's reasoning, action type or typed text.
    """

    topics: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    costs: ClassVar[frozenset[frames.CheckCost]] = frozenset({frames.CheckCost.WORDS})

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether a word of the task's topic is found; unknown if the task has no topic."""
        frame = look.frame
        text = self._text(frame)
        if not text:
            return False
        wanted = self._wanted(frame)
        return None if wanted is None else any(word.lower() in text for word in wanted)

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return the words that were found."""
        frame = look.frame
        found = [word for word in self._wanted(frame) or () if word.lower() in self._text(frame)]
        return "dynamic_match", ", ".join(map(repr, found))

    def _wanted(self, frame: frames.MilestoneFrame) -> tuple[str, ...] | None:
        instruction = frame.instruction.lower()
        for triggers, wanted in self.topics:
            if any(trigger.lower() in instruction for trigger in triggers):
                return wanted
        return None

    def _text(self, frame: frames.MilestoneFrame) -> str:
        return f"{frame.agent_text} {' '.join(frame.words or ())}".strip().lower()


@dataclass(frozen=True, slots=True)
class _SeveralChecks:
    checks: tuple[MilestoneCheck, ...]

    @property
    def costs(self) -> frozenset[frames.CheckCost]:
        """The costs of all of them."""
        return frozenset().union(*(check.costs for check in self.checks))


@dataclass(frozen=True, slots=True)
class AnyCheck(_SeveralChecks):
    """Holds if one of several checks holds (`escalate`); of none, never."""

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether one of them holds; expensive ones run only if no cheaper one holds."""
        return frames.any_true(check.holds(look, cost) for check in _by_cost(self.checks))

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return that of the first that holds."""
        for check in _by_cost(self.checks):
            if check.holds(look, max(check.costs, default=frames.CheckCost.WORDS)):
                return check.evidence(look)
        return "none", ""


@dataclass(frozen=True, slots=True)
class AllChecks(_SeveralChecks):
    """Holds if all of several checks hold (`juxtaposition`); of none, in every frame."""

    def holds(self, look: frames.FrameLook, cost: frames.CheckCost) -> frames.Truth:
        """Whether all of them hold; expensive ones run only if every cheaper one holds."""
        return frames.all_true(check.holds(look, cost) for check in _by_cost(self.checks))

    def evidence(self, look: frames.FrameLook) -> tuple[str, str]:
        """Return that of each, or that there is no condition."""
        if not self.checks:
            return "none", "no condition"
        evidence = [check.evidence(look) for check in self.checks]
        return " and ".join(kind for kind, _ in evidence), "; ".join(found for _, found in evidence)


def _by_cost(checks: Sequence[MilestoneCheck]) -> list[MilestoneCheck]:
    return sorted(checks, key=lambda check: max(check.costs, default=frames.CheckCost.WORDS))
