"""Conditions on the signals of a step, and the check that a condition holds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from tapwright.tasks.task import Judge, Signals, Verdict

__all__ = [
    "AllConditions", "AnswerHas", "Condition", "LogHas", "NotCondition", "StateHas", "StateIs",
    "TreeShows", "Unchecked", "When",
]  # fmt: skip


class Condition(Protocol):
    """Something that holds after a step, or does not."""

    def holds(self, signals: Signals) -> bool:
        """Whether it holds now."""


@dataclass(frozen=True, slots=True)
class StateIs:
    """The state of an app at a dotted path equals `value`."""

    path: str
    value: JsonValue

    def __str__(self) -> str:
        return f"{self.path} is {self.value!r}"

    def holds(self, signals: Signals) -> bool:
        """Whether the state equals the value."""
        return signals.state(self.path) == self.value


@dataclass(frozen=True, slots=True)
class StateHas:
    """The list at a dotted path has exactly `count` items with all the given fields.

    A field's value is compared for equality; `contains` asks for a part of a text field.
    """

    path: str
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    contains: Mapping[str, str] = field(default_factory=dict)
    count: int = 1

    def __str__(self) -> str:
        equal = [f"{name} = {value!r}" for name, value in self.fields.items()]
        parts = [f"{name} with {part!r} in it" for name, part in self.contains.items()]
        return f"{self.path} has {self.count} with {', '.join(equal + parts)}"

    def holds(self, signals: Signals) -> bool:
        """Whether exactly `count` items match."""
        items = signals.state(self.path)
        if not isinstance(items, list):
            return False
        return sum(self._matches(item) for item in items) == self.count

    def _matches(self, item: JsonValue) -> bool:
        return (
            isinstance(item, dict)
            and all(item.get(name) == value for name, value in self.fields.items())
            and all(part in str(item.get(name, "")) for name, part in self.contains.items())
        )


@dataclass(frozen=True, slots=True)
class TreeShows:
    """An element on the screen has this text or description (or, with `part`, contains it)."""

    text: str
    part: bool = False

    def __str__(self) -> str:
        return f"the screen shows {'a text with ' if self.part else ''}{self.text!r}"

    def holds(self, signals: Signals) -> bool:
        """Whether such an element is on the screen."""
        tree = signals.observation.ui_tree
        if tree is None:
            return False
        words = (word for node in tree.nodes for word in (node.text, node.description))
        return any(self.text in word if self.part else self.text == word for word in words)


@dataclass(frozen=True, slots=True)
class LogHas:
    """A log line since the reset matches a regular expression of ours (never a file's)."""

    pattern: str

    def __str__(self) -> str:
        return f"the log has a line like {self.pattern}"

    def holds(self, signals: Signals) -> bool:
        """Whether any line matches."""
        wanted = re.compile(self.pattern)
        return any(wanted.search(line) for line in signals.log)


@dataclass(frozen=True, slots=True)
class AnswerHas:
    """The agent's answer to the user has one of these words, whatever their case."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"the answer has {' or '.join(map(repr, self.words))}"

    def holds(self, signals: Signals) -> bool:
        """Whether an answer was given and has one of the words as a whole word."""
        if signals.answer is None:
            return False
        return any(_has_word(signals.answer, word) for word in self.words)


@dataclass(frozen=True, slots=True)
class AllConditions:
    """Every condition holds."""

    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        return "; and ".join(map(str, self.conditions))

    def holds(self, signals: Signals) -> bool:
        """Whether all hold."""
        return all(condition.holds(signals) for condition in self.conditions)


@dataclass(frozen=True, slots=True)
class NotCondition:
    """A condition does not hold."""

    condition: Condition

    def __str__(self) -> str:
        return f"not ({self.condition})"

    def holds(self, signals: Signals) -> bool:
        """Whether it does not."""
        return not self.condition.holds(signals)


@dataclass(frozen=True, slots=True)
class When:
    """The check that a condition holds: success if it does at the end.

    The reward is 1 at the step that makes it hold, -1 at one that undoes it.
    """

    condition: Condition

    def __str__(self) -> str:
        return str(self.condition)

    def start(self) -> Judge:
        """Return a judge for a new episode."""
        return _WhenJudge(self.condition)


class _WhenJudge:
    def __init__(self, condition: Condition) -> None:
        self._condition = condition
        self._score = 0.0

    def step(self, signals: Signals) -> Verdict:
        held = self._condition.holds(signals)
        score = 1.0 if held else 0.0
        reward, self._score = score - self._score, score
        return Verdict(score=score, reward=reward, success=held)


def _has_word(text: str, word: str) -> bool:
    edges = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z])"
    return re.search(edges[0] + re.escape(word) + edges[1], text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class Unchecked:
    """No check: whoever acts decides how the episode ended."""

    def start(self) -> Judge:
        """Return itself, as it has no state."""
        return self

    def step(self, signals: Signals) -> Verdict:
        """Return no score and no success."""
        return Verdict(0.0, 0.0, success=False)
