"""Measures a model or an agent on a benchmark; what was measured once is not asked again."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from pydantic import JsonValue

from tapwright import __version__
from tapwright.actions import Answer
from tapwright.agents.agent import Agent, AgentFactory
from tapwright.agents.asking import ModelAnswer
from tapwright.benchmarks.benchmark import Attempt, Benchmark, Played, Still
from tapwright.devices.device import Device
from tapwright.devices.pool import DevicePool
from tapwright.errors import BadBenchmarkError, ModelUnavailableError
from tapwright.evaluate.attempts import GuardedAgent
from tapwright.evaluate.budget import Budget
from tapwright.evaluate.pipeline import AgentAsker, ModelAsker, digest
from tapwright.evaluate.plan import Item, Plan, items
from tapwright.evaluate.runlog import (
    ANSWERS,
    EPISODES,
    FILE,
    JOB,
    Header,
    RunLog,
    SampleRow,
    about_json,
    read_run,
    row_json,
    row_key,
    to_row,
)
from tapwright.evaluate.scoring import Reader, about, scored
from tapwright.files import append_line, disk
from tapwright.jobs import Done, Failed, Job
from tapwright.models.model import Model, Usage
from tapwright.store import EpisodeStore
from tapwright.tasks.definition import limited

__all__ = [
    "OnProgress",
    "Progress",
    "evaluate",
    "evaluate_tasks",
]

S = TypeVar("S", bound=Still)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: `done` of `total` samples ended, `row` as the latest.

    `repeated` is set when the row comes from an earlier start of the same run.
    """

    done: int
    total: int
    row: SampleRow
    repeated: bool


OnProgress: TypeAlias = Callable[[Progress], None]


async def evaluate(
    benchmark: Benchmark[S],
    subject: Agent | Model,
    out: Path,
    plan: Plan | None = None,
    *,
    spec: str = "",
    concurrency: int = 8,
    max_cost: float | None = None,
    passes: int = 1,
    on_progress: OnProgress | None = None,
) -> RunLog:
    """Ask `subject` what the `plan` chooses and write the run log below the directory `out`.

    A model gets the benchmark's prompt, changed as the plan says. An agent gets the prompt's words
    with picture and tree; its answer is the text of its `Answer`, or the place that it taps, in
    fractions; of recorded steps its decision. A run that was interrupted continues where it stood;
    what failed is tried again, and what the server was not there for up to `passes` times. `spec`
    is how the command line names the subject. A run that has cost `max_cost` or more since it was
    started, by the plan's price, asks nothing further.

    Raises:
        LedgerError: `out` holds a run of another benchmark, subject or plan.
        CostLimitError: `max_cost` is reached; what was asked is kept.
        HookError: a function that the plan names cannot be loaded.
        UsageError: the plan's parser does not read answers to samples of this kind.
    """
    plan = plan or Plan()
    if isinstance(subject, Model):
        asker: ModelAsker[S] | AgentAsker[S] = ModelAsker(benchmark, subject, plan)
    else:
        plan = plan.model_copy(update={"space": "fraction"})
        asker = AgentAsker(benchmark, subject)
    reader = Reader(plan, benchmark)
    total, chosen = items(benchmark.samples(), plan)
    budget = Budget(plan.price, max_cost)

    async def work(item: Item[S]) -> JsonValue:
        budget.check(out)
        started = time.time()
        asked = await asker.ask(item.sample)
        reply = asked.completion
        budget.add(reply.usage)
        row = SampleRow(
            id=item.sample.id,
            about=about(item.sample, item.epoch),
            prompt_sha256=digest(asked.prompt, pictures=True),
            sent=asked.sent,
            answer=reply.text,
            status="none",
            usage=reply.usage,
            latency_s=reply.latency_s,
            attempts=reply.attempts,
            finish=reply.finish,
            started=started,
            ended=time.time(),
        )
        return row_json(scored(row, item.sample, reader))

    first = next(items(benchmark.samples(), plan)[1])
    # Found out now: an answer that was paid for could not be read.
    reader.check(first.sample)
    header = Header(
        tapwright=__version__,
        benchmark=benchmark.name,
        source=benchmark.source,
        data_sha256=benchmark.data_sha256,
        subject=subject.name,
        prompt_sha256=digest(asker.prompt(first.sample), pictures=False),
        samples=total,
        config={
            "spec": spec,
            "plan": plan.model_dump(mode="json"),
            "model": dict(subject.settings) if isinstance(subject, Model) else None,
        },
    )
    job = Job(
        name=JOB,
        key=lambda item: row_key(item.sample.id, item.epoch),
        work=work,
        config=header.model_dump(mode="json"),
        concurrency=concurrency,
        about=lambda item: about_json(about(item.sample, item.epoch)),
    )
    for left in reversed(range(passes)):
        if not await _run(job, chosen, total, out, on_progress) or not left:
            break
        _, chosen = items(benchmark.samples(), plan)
        on_progress = None  # what is asked once more was counted already
    return read_run(out)


async def evaluate_tasks(
    benchmark: Played,
    agents: AgentFactory,
    devices: Callable[[], Device],
    out: Path,
    plan: Plan | None = None,
    *,
    config: Mapping[str, JsonValue] | None = None,
    envs: int = 1,
    max_steps: int | None = None,
    max_s: float | None = None,
    max_cost: float | None = None,
    on_progress: OnProgress | None = None,
) -> RunLog:
    """Let agents play the tasks that the `plan` chooses, on `envs` devices at a time.

    The episodes are kept below `out`; what models say to agents is kept in `answers.jsonl`, one
    line per answer. Each attempt may take `max_steps` actions instead of the task's own number,
    and `max_s` seconds from the first screen on. A device that fails is closed and replaced by a
    new one; its attempt counts as failed, with the cause (`evaluate.attempts`), as one whose agent
    fails does, and is tried again when the run is started anew. Each row says at which `place` of
    the suite its task stands. `config` is what else makes the results differ, such as the device
    and the model's settings.

    Raises:
        LedgerError: `out` holds a run of another benchmark, agent or configuration.
        CostLimitError: `max_cost` is reached; what was played is kept.
        AgentFailedError: no agent can be made.
    """
    plan = plan or Plan()
    if not benchmark.samples():
        raise BadBenchmarkError("the benchmark has no samples")
    total, chosen = items(benchmark.samples(), plan)
    places = {sample.id: place for place, sample in enumerate(benchmark.samples())}
    store = EpisodeStore(out / EPISODES)
    pool = DevicePool(devices, envs)
    budget = Budget(plan.price, max_cost)

    async def work(item: Item[Attempt]) -> JsonValue:
        budget.check(out)
        started = time.time()
        sample = item.sample
        if max_steps is not None:
            sample = replace(sample, task=limited(sample.task, max_steps))
        seed = plan.seed + item.epoch - 1
        agent = await asyncio.to_thread(GuardedAgent, agents, sample.task, seed)
        try:
            async with pool.lease() as device:
                episode = await benchmark.play(sample, agent, device, store, max_s=max_s)
        finally:
            usage = sum((answer.completion.usage for answer in agent.answers), Usage())
            budget.add(usage)
            _keep(agent.answers, row_key(sample.id, item.epoch), out / ANSWERS)
        score = benchmark.score(sample, episode)
        ended = time.time()
        row = SampleRow(
            id=sample.id,
            about=about(sample, item.epoch),
            answer=next(
                (
                    step.decision.action.text
                    for step in reversed(episode.steps)
                    if isinstance(step.decision.action, Answer)
                ),
                None,
            ),
            parsed=score.parsed,
            status=score.status,
            score=score.value,
            detail={
                **score.detail,
                "place": places[sample.id],
                "agent": {**agent.tally, "model_calls": len(agent.answers)},
            },
            usage=usage,
            latency_s=ended - started,
            started=started,
            ended=ended,
        )
        return row_json(row)

    first = benchmark.samples()[0].task
    header = Header(
        tapwright=__version__,
        benchmark=benchmark.name,
        source=benchmark.source,
        data_sha256=benchmark.data_sha256,
        subject=GuardedAgent(agents, first, plan.seed).name,
        prompt_sha256="",
        samples=total,
        config={
            **(config or {}),
            "plan": plan.model_dump(mode="json"),
            "max_steps": max_steps,
            "max_s": max_s,
        },
    )
    job = Job(
        name=JOB,
        key=lambda item: row_key(item.sample.id, item.epoch),
        work=work,
        config=header.model_dump(mode="json"),
        concurrency=envs,
        about=lambda item: about_json(about(item.sample, item.epoch)),
    )
    with pool:
        await _run(job, chosen, total, out, on_progress)
    return read_run(out)


async def _run(
    job: Job[T], chosen: Iterable[T], total: int, out: Path, on_progress: OnProgress | None
) -> bool:
    """Do the job; whether something failed that may well be there the next time."""
    again = False
    done = 0
    async for ended in job.run(chosen, out / FILE):
        done += 1
        again |= isinstance(ended, Failed) and ended.code == ModelUnavailableError.code
        if on_progress is not None:
            repeated = isinstance(ended, Done) and ended.repeated
            on_progress(Progress(done, total, to_row(ended), repeated))
    return again


def _keep(said: Sequence[ModelAnswer], sample: str, path: Path) -> None:
    """Append what a model said while it played one sample, well or badly ended."""
    if not said:
        return
    lines = (json.dumps({"sample": sample, **asdict(answer)}).encode() for answer in said)
    with disk(path), path.open("ab", buffering=0) as file:
        append_line(file, b"\n".join(lines) + b"\n")
