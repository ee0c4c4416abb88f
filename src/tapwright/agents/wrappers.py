"""Optional members of agents beside `act`, and agents that wrap others: one has a time limit.

An agent that has another one inside, as one that replays has the one that it falls back on, names
it `inner`. A rollout reaches every layer through these functions.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from tapwright.agents.agent import Agent
from tapwright.agents.query_policy import ModelAnswer
from tapwright.core.actions import Finish
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.observation import Observation

__all__ = [
    "TIMED_OUT", "CountsEvents", "LearnsFromEpisodes", "RecordsAnswers", "TimeoutAgent",
    "WantsApps", "WrapperAgent", "collect_answers", "collect_counts", "pass_apps", "report_episode",
]  # fmt: skip


@runtime_checkable
class WrapperAgent(Protocol):
    """An agent around another one."""

    @property
    def inner(self) -> Agent:
        """The agent inside."""


@runtime_checkable
class RecordsAnswers(Protocol):
    """An agent that queries models."""

    @property
    def answers(self) -> Sequence[ModelAnswer]:
        """Their answers, in order, without those of an agent inside."""


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
        """Receive the apps of the device, before the first decision of an attempt."""


@runtime_checkable
class LearnsFromEpisodes(Protocol):
    """An agent that learns from how an attempt ended."""

    def ended(self, episode: Episode) -> None:
        """Receive the whole attempt, once it is over."""


def collect_answers(agent: Agent) -> list[ModelAnswer]:
    """The answers of models to all layers, in the order of each."""
    return [
        one
        for layer in _unwrap(agent)
        if isinstance(layer, RecordsAnswers)
        for one in layer.answers
    ]


def collect_counts(agent: Agent) -> dict[str, int]:
    """The counts of all layers, added up."""
    counts: Counter[str] = Counter()
    for layer in _unwrap(agent):
        if isinstance(layer, CountsEvents):
            counts.update(layer.tally)
    return dict(counts)


def pass_apps(agent: Agent, apps: Sequence[str]) -> None:
    """Pass the apps of the device to every layer that wants them."""
    for layer in _unwrap(agent):
        if isinstance(layer, WantsApps):
            layer.prepare(apps)


def report_episode(agent: Agent, episode: Episode) -> None:
    """Pass a finished attempt to every layer that learns from it."""
    for layer in _unwrap(agent):
        if isinstance(layer, LearnsFromEpisodes):
            layer.ended(episode)


def _unwrap(agent: Agent) -> Iterator[Agent]:
    """The agent, the one inside it, and so on."""
    yield agent
    while isinstance(agent, WrapperAgent):
        agent = agent.inner
        yield agent


TIMED_OUT = "no decision in time"
"""The begin of the reason of an attempt that ended because its agent took too long."""


class TimeoutAgent:
    """An agent around another one that ends the attempt when a decision takes over `decision_s`."""

    def __init__(self, inner: Agent, decision_s: float) -> None:
        self.inner = inner
        self._decision_s = decision_s

    @property
    def name(self) -> str:
        """The inner agent's: how long it may take stands in the run's configuration."""
        return self.inner.name

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """The decision of the inner agent, or a `Finish` with failure.

        Raises:
            ModelError: the query of the inner agent failed.
        """
        try:
            async with asyncio.timeout(self._decision_s) as limit:
                return await self.inner.act(instruction, history, observation)
        except TimeoutError:
            if limit.expired():
                reason = f"{TIMED_OUT}: none within {self._decision_s:g} s"
                return Decision(Finish(outcome="failure", reason=reason))
            raise
