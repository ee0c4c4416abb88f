"""The work on one sample: query and read, or play; the same locally and on a cluster.

Elsewhere a sample goes by its row's key, and the answers there come back with the row, so that
one process alone writes the run.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from tapwright.agents.agent import Agent, AgentFactory
from tapwright.agents.query_policy import ModelAnswer
from tapwright.benchmarks.benchmark import (
    Benchmark,
    Sample,
    StaticSample,
    TaskBenchmark,
    TaskSample,
)
from tapwright.core.actions import Answer
from tapwright.devices.pool import DevicePool
from tapwright.errors import TapwrightError
from tapwright.evaluate.guarded_agent import GuardedAgent
from tapwright.evaluate.hooks import ReadingHooks
from tapwright.evaluate.pipeline import AgentQueries, ModelQueries, prompt_digest
from tapwright.evaluate.plan import PlannedSample, RunPlan, plan_samples
from tapwright.evaluate.rule_choice import under_plan
from tapwright.evaluate.run_log import SampleRow, row_key
from tapwright.evaluate.scoring import AnswerReader, sample_info, score_row
from tapwright.models.model import Model, Usage

if TYPE_CHECKING:
    from tapwright.store.store import EpisodeStore

__all__ = ["QueryWorker", "RolloutResult", "RolloutWorker", "index_by_key"]

P = TypeVar("P", bound=Sample)
S = TypeVar("S", bound=StaticSample)


def index_by_key(samples: Sequence[P], plan: RunPlan) -> dict[str, PlannedSample[P]]:
    """The items that a plan chooses, by their rows' keys, as another process names them."""
    return {row_key(one.sample.id, one.epoch): one for one in plan_samples(samples, plan)[1]}


class QueryWorker(Generic[S]):
    """Queries a model or an agent for samples, and reads its answers.

    `benchmark` is the given one with the rule and the level of the plan.
    """

    def __init__(self, benchmark: Benchmark[S], subject: Agent | Model, plan: RunPlan) -> None:
        """Load the user's own functions.

        Raises:
            HookError: one cannot be loaded.
        """
        if not isinstance(subject, Model):
            plan = plan.model_copy(update={"space": "fraction", "convention": ""})
        self.plan = plan
        self.benchmark = benchmark = under_plan(benchmark, plan)
        self.asker: ModelQueries[S] | AgentQueries[S] = (
            ModelQueries(benchmark, subject, plan)
            if isinstance(subject, Model)
            else AgentQueries(benchmark, subject)
        )
        hooks = ReadingHooks.load(plan.postprocess, plan.parse)
        self.reader = AnswerReader(plan, benchmark, hooks=hooks)

    async def __call__(self, item: PlannedSample[S]) -> SampleRow:
        """The row of an item.

        Raises:
            ModelError: the query failed.
            HookError: a function of the user's own failed.
        """
        started, began = time.time(), time.monotonic()
        result = await self.asker.ask(item.sample)
        reply = result.completion
        row = SampleRow(
            id=item.sample.id,
            about=sample_info(item.sample, item.epoch, self.benchmark),
            prompt_sha256=prompt_digest(result.prompt, pictures=True),
            sent=result.sent,
            answer=reply.text,
            postprocessed=result.postprocessed,
            status="none",
            usage=reply.usage,
            latency_s=reply.latency_s,
            attempts=reply.attempts,
            finish=reply.finish,
            reasoning=reply.reasoning,
            changed=dict(reply.changed),
            odd=reply.odd,
            started=started,
            ended=started + time.monotonic() - began,
        )
        return score_row(row, item.sample, self.reader)


@dataclass(frozen=True, slots=True)
class RolloutResult:
    """The result of an attempt: its row or its error, and the answers of models meanwhile."""

    row: SampleRow | TapwrightError
    answers: Sequence[ModelAnswer]


class RolloutWorker:
    """Lets agents play tasks on the devices of a pool, and keeps the episodes in a store."""

    def __init__(
        self,
        benchmark: TaskBenchmark,
        agents: AgentFactory,
        pool: DevicePool,
        store: "EpisodeStore",
        plan: RunPlan,
        *,
        max_steps: int | None = None,
        max_s: float | None = None,
    ) -> None:
        self._benchmark = benchmark
        self._agents = agents
        self._pool = pool
        self._store = store
        self._plan = plan
        self._max_steps = max_steps
        self._max_s = max_s
        self._places = {sample.id: place for place, sample in enumerate(benchmark.samples())}

    async def __call__(
        self, item: PlannedSample[TaskSample], keep: Callable[[Sequence[ModelAnswer]], None]
    ) -> SampleRow:
        """The row of an item; `keep` receives the answers of models, however it ends.

        Raises:
            TapwrightError: the attempt could not be played.
        """
        started, began = time.time(), time.monotonic()
        sample = item.sample
        if self._max_steps is not None:
            from tapwright.tasks.definitions.task import with_max_steps  # brings all events

            sample = replace(sample, task=with_max_steps(sample.task, self._max_steps))
        seed = self._plan.seed + item.epoch - 1
        agent = await asyncio.to_thread(GuardedAgent, self._agents, sample.task, seed)
        try:
            async with self._pool.lease() as device:
                episode = await self._benchmark.play(
                    sample,
                    agent,
                    device,
                    self._store,
                    max_s=self._max_s,
                    seed=self._plan.seed,
                    epoch=item.epoch,
                )
        finally:
            keep(agent.answers)
        score = self._benchmark.score(sample, episode)
        taken_s = time.monotonic() - began  # the clock may have been set in between
        return SampleRow(
            id=sample.id,
            # Some tasks have their instruction only once they are set up.
            about=replace(
                sample_info(sample, item.epoch, self._benchmark), instruction=episode.instruction
            ),
            answer=next(
                (
                    action.text
                    for step in reversed(episode.steps)
                    for action in reversed(step.decision.actions[: step.done])
                    if isinstance(action, Answer)
                ),
                None,
            ),
            parsed=score.parsed,
            status=score.status,
            score=score.value,
            detail={
                **score.detail,
                "place": self._places[sample.id],
                "agent": {
                    **agent.tally,
                    "model_calls": len(agent.answers),
                    **Counter(
                        answer.completion.ending
                        for answer in agent.answers
                        if answer.completion.ending != "answered"
                    ),
                },
            },
            usage=sum((answer.completion.usage for answer in agent.answers), Usage()),
            changed=dict(agent.answers[-1].completion.changed) if agent.answers else {},
            latency_s=taken_s,
            started=started,
            ended=started + taken_s,
        )

    async def run(self, item: PlannedSample[TaskSample]) -> RolloutResult:
        """The same for a process that keeps nothing itself."""
        answers: list[ModelAnswer] = []
        try:
            return RolloutResult(await self(item, answers.extend), answers)
        except TapwrightError as error:
            return RolloutResult(error, answers)
