"""The protocol of agents: decide the next action."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tapwright.core.episode import Decision, Step
from tapwright.core.observation import Observation
from tapwright.tasks.task import Task

__all__ = ["Agent", "AgentFactory", "check_decision"]


@runtime_checkable
class Agent(Protocol):
    """Who decides: a model, a script, a replay, a baseline.

    One agent plays one episode at a time and may keep what it needs between the calls.
    """

    @property
    def name(self) -> str:
        """Its name in episodes and run logs."""

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """The next decision, seeing the screen and the steps that led to it, oldest first."""


def check_decision(found: object) -> Decision:
    """What an agent's `act` returned.

    Raises:
        TypeError: it is no decision.
    """
    if not isinstance(found, Decision):
        raise TypeError(f"act returned {type(found).__name__}; expected a Decision")
    return found


class AgentFactory(Protocol):
    """Makes a fresh agent: for one attempt at a task, or (None) for still pictures."""

    def __call__(self, task: Task | None, seed: int) -> Agent:
        """The agent; `seed` decides whatever it leaves to chance."""
