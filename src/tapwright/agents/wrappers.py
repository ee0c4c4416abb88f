"""What agents may have beside `act`, and agents around agents: all of it found in one place.

An agent that has another one inside, as one that replays has the one that it falls back on, names
it `inner`. Whoever plays an episode prepares, asks and tells every layer through these functions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from tapwright.agents.agent import Agent
from tapwright.agents.query_policy import ModelAnswer
from tapwright.episode import Episode

__all__ = [
    "CountsEvents",
    "LearnsFromEpisodes",
    "RecordsAnswers",
    "WantsApps",
    "WrapperAgent",
    "collect_answers",
    "collect_counts",
    "pass_apps",
    "report_episode",
]


@runtime_checkable
class WrapperAgent(Protocol):
    """An agent around another one."""

    @property
    def inner(self) -> Agent:
        """The agent inside."""


@runtime_checkable
class RecordsAnswers(Protocol):
    """An agent that asks models."""

    @property
    def answers(self) -> Sequence[ModelAnswer]:
        """What they have said, in order; those of an agent inside are not among them."""


@runtime_checkable
class CountsEvents(Protocol):
    """An agent that counts what it does."""

    @property
    def tally(self) -> Mapping[str, int]:
        """How often it did what, in this attempt: {"replayed": 7}."""


@runtime_checkable
class WantsApps(Protocol):
    """An agent that wants to know the device."""

    def prepare(self, apps: Sequence[str]) -> None:
        """Be told what apps the device has, before the first decision of an attempt."""


@runtime_checkable
class LearnsFromEpisodes(Protocol):
    """An agent that learns from how an attempt ended."""

    def ended(self, episode: Episode) -> None:
        """Be told the whole attempt, once it is over."""


def collect_answers(agent: Agent) -> list[ModelAnswer]:
    """What models have said to any layer, in the order of each."""
    return [
        one
        for layer in _unwrap(agent)
        if isinstance(layer, RecordsAnswers)
        for one in layer.answers
    ]


def collect_counts(agent: Agent) -> dict[str, int]:
    """What all layers have counted."""
    counts: Counter[str] = Counter()
    for layer in _unwrap(agent):
        if isinstance(layer, CountsEvents):
            counts.update(layer.tally)
    return dict(counts)


def pass_apps(agent: Agent, apps: Sequence[str]) -> None:
    """Tell every layer that wants to know what apps the device has."""
    for layer in _unwrap(agent):
        if isinstance(layer, WantsApps):
            layer.prepare(apps)


def report_episode(agent: Agent, episode: Episode) -> None:
    """Tell every layer that learns how the attempt ended."""
    for layer in _unwrap(agent):
        if isinstance(layer, LearnsFromEpisodes):
            layer.ended(episode)


def _unwrap(agent: Agent) -> Iterator[Agent]:
    """The agent, the one inside it, and so on."""
    yield agent
    while isinstance(agent, WrapperAgent):
        agent = agent.inner
        yield agent
