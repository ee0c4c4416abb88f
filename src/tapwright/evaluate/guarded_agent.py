"""An agent of an evaluation: what it raises ends its attempt alone, as `AgentFailedError`."""

from collections.abc import Mapping, Sequence

from tapwright.agents.agent import AgentFactory, check_decision
from tapwright.agents.query_policy import ModelAnswer
from tapwright.agents.wrappers import collect_answers, collect_counts, pass_apps, report_episode
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.observation import Observation
from tapwright.core.registry import tell_fault
from tapwright.evaluate.errors import AgentFailedError
from tapwright.evaluate.hooks import FAULTS
from tapwright.tasks.task import Task

__all__ = ["GuardedAgent"]


class GuardedAgent:
    """An agent whose own exceptions become errors of its attempt, not the end of the run."""

    def __init__(self, make: AgentFactory, task: Task, seed: int) -> None:
        """Make the agent.

        Raises:
            AgentFailedError: making it failed.
        """
        try:
            self._agent = make(task, seed)
        except FAULTS as error:
            raise _agent_failure(error, f"while it was made for task {task.id}") from error
        self.name = self._agent.name

    @property
    def answers(self) -> Sequence[ModelAnswer]:
        """The answers of its models so far; none for an agent without one."""
        return collect_answers(self._agent)

    @property
    def tally(self) -> Mapping[str, int]:
        """Its counts so far."""
        return collect_counts(self._agent)

    def prepare(self, apps: Sequence[str]) -> None:
        """Tell it what apps the device has.

        Raises:
            AgentFailedError: it raised an exception that is none of tapwright's.
        """
        try:
            pass_apps(self._agent, apps)
        except FAULTS as error:
            raise _agent_failure(error, "before the first step") from error

    def ended(self, episode: Episode) -> None:
        """Tell it how the attempt ended.

        Raises:
            AgentFailedError: it raised an exception that is none of tapwright's.
        """
        try:
            report_episode(self._agent, episode)
        except FAULTS as error:
            raise _agent_failure(error, "after the last step") from error

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """The decision of the agent.

        Raises:
            AgentFailedError: the agent raised an exception that is none of tapwright's.
            ModelError: the agent's query failed.
        """
        try:
            return check_decision(await self._agent.act(instruction, history, observation))
        except FAULTS as error:
            raise _agent_failure(error, f"at step {len(history)}") from error


def _agent_failure(error: Exception, place: str) -> AgentFailedError:
    return AgentFailedError(f"the agent failed {place}: {tell_fault(error)[0]}")
