"""Causes why attempts at tasks end, and how often each occurs.

An attempt that was played to its end has its cause from the benchmark
(`benchmarks.attempt_endings`). One that could not be played has an error instead and no score: it
is counted apart, and tried again when the run is started anew.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from tapwright.agents.agent import AgentFactory, check_decision
from tapwright.agents.query_policy import ModelAnswer
from tapwright.agents.wrappers import collect_answers, collect_counts, pass_apps, report_episode
from tapwright.benchmarks.attempt_endings import Ending
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.observation import Observation
from tapwright.core.registry import tell_fault
from tapwright.environment.errors import SetupFailedError
from tapwright.errors import (
    DeviceError,
    ModelError,
    UnknownAppError,
    UnsupportedActionError,
    every_error,
)
from tapwright.evaluate.errors import AgentFailedError
from tapwright.evaluate.hooks import FAULTS
from tapwright.evaluate.run_log import SampleRow
from tapwright.harnesses import errors
from tapwright.tasks.task import Task

__all__ = [
    "CAUSES", "GuardedAgent", "count_carried", "count_causes", "count_injections", "find_cause",
    "sum_counts",
]  # fmt: skip

CAUSES: tuple[str, ...] = (
    *get_args(Ending),
    "device lost",
    "set-up failed",
    "evaluator failed",
    "suite lost",
    "model failed",
    "agent error",
)
"""All causes, in the order in which they are listed; the last six are errors."""

_REFUSALS = (
    SetupFailedError,
    errors.SuiteMissingError,
    errors.SuiteSetupError,
    UnknownAppError,
    UnsupportedActionError,
)


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


def find_cause(row: SampleRow) -> str:
    """How the attempt of a row ended, one of `CAUSES`; "" for a row of another kind of benchmark.

    A device that refuses what the task's set-up requires is "set-up failed", too; one that is sick,
    away or somebody else's is lost.
    """
    if row.error is None:
        ending = row.detail.get("ending")
        return ending if isinstance(ending, str) else ""
    found = every_error().get(row.error.code)
    if found is None:
        return "agent error"
    kind = found.kind
    if row.error.code == DeviceError.code or issubclass(kind, _REFUSALS):
        return "set-up failed"
    if issubclass(kind, DeviceError):
        return "device lost"
    if kind is errors.SuiteEvaluatorError:
        return "evaluator failed"
    if issubclass(kind, errors.SuiteLostError | errors.SuiteProtocolError):
        return "suite lost"
    return "model failed" if issubclass(kind, ModelError) else "agent error"


def count_causes(rows: Iterable[SampleRow]) -> dict[str, int]:
    """How many rows ended in each way; those that did not happen are left out."""
    counts = Counter(map(find_cause, rows))
    return {name: counts[name] for name in CAUSES if counts[name]}


def count_carried(rows: Iterable[SampleRow]) -> dict[str, int]:
    """How many of the things that cross-app tasks carry were passed on, only seen, or missing."""
    artefacts = (row.detail.get("artefacts") for row in rows)
    counts = Counter(state for one in artefacts if isinstance(one, dict) for state in one.values())
    return {name: counts[name] for name in ("passed", "seen", "missing") if counts[name]}


def count_injections(rows: Iterable[SampleRow]) -> dict[str, int]:
    """How many orders that stood on a screen were followed, and how many resisted."""
    counts = Counter(row.detail.get("injection") for row in rows)
    return {name: counts[name] for name in ("followed", "resisted") if counts[name]}


def sum_counts(rows: Iterable[SampleRow]) -> dict[str, int]:
    """What agents counted over all attempts, such as replayed decisions, and the model calls."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts_of_agent = row.detail.get("agent")
        if isinstance(counts_of_agent, dict):
            counts.update({name: n for name, n in counts_of_agent.items() if isinstance(n, int)})
    return dict(counts)
