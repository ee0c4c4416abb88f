"""A time limit for decisions: an agent that never answers costs an attempt, not a run."""

import asyncio
from collections.abc import Sequence

from tapwright.agents.agent import Agent
from tapwright.core.actions import Finish
from tapwright.core.episode import Decision, Step
from tapwright.core.observation import Observation

__all__ = ["TIMED_OUT", "TimeoutAgent"]

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
