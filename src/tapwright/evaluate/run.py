"""Measures a model or an agent on a benchmark; samples that are done are not measured again."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import JsonValue

from tapwright import __version__
from tapwright.agents.agent import Agent, AgentFactory
from tapwright.agents.query_policy import ModelAnswer
from tapwright.benchmarks.benchmark import Benchmark, StaticSample, TaskBenchmark, TaskSample
from tapwright.benchmarks.checks import check_samples
from tapwright.benchmarks.controls import describe_control
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.left_out import left_out_config
from tapwright.core.episode import Episode
from tapwright.devices.device import Device
from tapwright.devices.pool import DevicePool
from tapwright.errors import TapwrightError, quote_path
from tapwright.evaluate import run_log
from tapwright.evaluate.guarded_agent import GuardedAgent
from tapwright.evaluate.pipeline import prompt_digest
from tapwright.evaluate.plan import PlannedSample, RunPlan, plan_samples
from tapwright.evaluate.rule_choice import settle_rules
from tapwright.evaluate.sample_workers import QueryWorker, RolloutResult, RolloutWorker
from tapwright.evaluate.scoring import sample_info
from tapwright.files.jsonl import JsonlWriter
from tapwright.jobs.cluster import RayWork
from tapwright.jobs.job import ItemDone, ItemFailed, Job
from tapwright.models.errors import ModelFailedError, ModelUnavailableError
from tapwright.models.model import Model
from tapwright.models.pricing import Budget

__all__ = ["OnRunProgress", "RunProgress", "evaluate", "evaluate_tasks"]

_ASKED_AGAIN = frozenset({ModelUnavailableError.code, ModelFailedError.code})

S = TypeVar("S", bound=StaticSample)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is: `done` of `total` samples ended, `row` as the latest.

    `repeated` is set when the row comes from an earlier start of the same run.
    """

    done: int
    total: int
    row: run_log.SampleRow
    repeated: bool


OnRunProgress: TypeAlias = Callable[[RunProgress], None]


async def evaluate(
    benchmark: Benchmark[S],
    subject: Agent | Model,
    out: Path,
    plan: RunPlan | None = None,
    *,
    spec: str = "",
    concurrency: int = 8,
    max_cost: float | None = None,
    max_rounds: int = 1,
    workers: RayWork[str, run_log.SampleRow] | None = None,
    on_progress: OnRunProgress | None = None,
) -> run_log.RunLog:
    """Ask `subject` what the `plan` chooses and write the run log below the directory `out`.

    A model gets the benchmark's prompt, changed by the plan. An agent gets the prompt's words with
    picture and tree; its answer is the text of its `Answer`, or the place that it taps, in
    fractions; of recorded steps its decision. A run that was interrupted continues where it stood;
    what failed is tried again, and what the server was not there for up to `max_rounds` times.
    `spec` is how the command line names the subject. A run that has cost `max_cost` or more since
    it was started, by the plan's price, queries no further. With `workers`, those of a cluster
    query (`QueryWorker`, by the row's key), as many at a time as it has room for.

    Raises:
        LedgerError: `out` holds a run of another benchmark, subject or plan.
        BadBenchmarkError: the benchmark does not give its samples as a list.
        TapwrightError: `max_cost` is reached; answers so far are kept.
        HookError: a function that the plan names cannot be loaded.
        UsageError: the plan's parser does not read answers to samples of this kind.
    """
    check_samples(benchmark)
    asking = QueryWorker(benchmark, subject, settle_rules(plan or RunPlan(), benchmark.name, out))
    plan, benchmark = asking.plan, asking.benchmark
    total, chosen = plan_samples(benchmark.samples(), plan)
    budget, is_model = _budget(plan, max_cost, out), isinstance(subject, Model)

    async def work(item: PlannedSample[S]) -> JsonValue:
        budget.check()
        row = await (workers(_key(item)) if workers else asking(item))
        if is_model:
            budget.add(row.usage)
        return run_log.row_json(row)

    first = next(plan_samples(benchmark.samples(), plan)[1])
    # Found out now: an answer that was paid for could not be read.
    asking.reader.check(first.sample)
    header = run_log.RunHeader(
        tapwright=__version__,
        benchmark=benchmark.name,
        source=benchmark.source,
        data_sha256=benchmark.data_sha256,
        subject=" ".join(
            filter(None, (subject.name, plan.convention, describe_control(plan.control)))
        ),
        prompt_sha256=prompt_digest(asking.asker.prompt(first.sample), pictures=False),
        samples=total,
        config={
            "spec": spec,
            "plan": plan.model_dump(mode="json"),
            "model": dict(subject.settings) if isinstance(subject, Model) else None,
            **left_out_config(benchmark),
        },
    )
    job = Job(
        name=run_log.JOB,
        key=_key,
        work=work,
        config=header.model_dump(mode="json"),
        concurrency=workers.concurrency if workers else concurrency,
        about=lambda item: run_log.info_json(sample_info(item.sample, item.epoch, benchmark)),
    )
    for left in reversed(range(max_rounds)):
        if not await _run(job, chosen, total, out, on_progress) or not left:
            break
        _, chosen = plan_samples(benchmark.samples(), plan)
        on_progress = None  # what is queried again was counted already
    return run_log.read_run(out)


async def evaluate_tasks(
    benchmark: TaskBenchmark,
    agents: AgentFactory,
    devices: Callable[[], Device] | Mapping[str, Callable[[], Device]],
    out: Path,
    plan: RunPlan | None = None,
    *,
    config: Mapping[str, JsonValue] | None = None,
    envs: int = 1,
    max_steps: int | None = None,
    max_s: float | None = None,
    max_cost: float | None = None,
    workers: RayWork[str, RolloutResult] | None = None,
    refresh: Callable[[], None] = lambda: None,
    tell: Callable[[str], object] = lambda _: None,
    on_progress: OnRunProgress | None = None,
) -> run_log.RunLog:
    """Let agents play the tasks that the `plan` chooses, on `envs` devices at a time.

    With several `devices`, by their names, each of them is opened once instead.

    The episodes are kept below `out`; the answers of models to agents are kept in `answers.jsonl`,
    one line per answer. Each attempt may take `max_steps` actions instead of the task's own number,
    and `max_s` seconds from the first screen on. A device that fails is closed and replaced by a
    new one; its attempt counts as failed, with the cause (`evaluate.attempt_causes`), as one whose
    agent fails does, and is tried again when the run is started anew. So is one that was killed
    before its row was written, also with its worker; if it had ended, its episode is hidden, which
    `tell` is told, once `refresh` has brought here what workers have put elsewhere. Each row has at
    which `place` of the suite its task stands. `config` is what else makes the results differ, such
    as the device and the model's settings. With `workers`, those of a cluster play
    (`RolloutWorker.run`, by the row's key) on devices of their own.

    Raises:
        LedgerError: `out` holds a run of another benchmark, agent or configuration.
        TapwrightError: `max_cost` is reached; what was played is kept.
        AgentFailedError: no agent can be made.
        BadBenchmarkError: the benchmark has no samples.
    """
    from tapwright.environment.episode_recorder import find_unclaimed, hide_second
    from tapwright.store.store import EpisodeStore  # questions need none

    plan = plan or RunPlan()
    if not benchmark.samples():
        raise BadBenchmarkError("the benchmark has no samples")
    total, chosen = plan_samples(benchmark.samples(), plan)
    if isinstance(devices, Mapping):
        pool, envs = DevicePool.of(devices), len(devices)
    else:
        pool = DevicePool(devices, envs)
    store = EpisodeStore(out / run_log.EPISODES)
    play = RolloutWorker(benchmark, agents, pool, store, plan, max_steps=max_steps, max_s=max_s)
    budget = _budget(plan, max_cost, out)

    def find_ended() -> dict[str, list[Episode]]:
        claimed = {str(row.detail.get("episode")) for row in run_log.read_run(out).rows}
        return find_unclaimed(store, store.ids(), claimed)

    find_before = cache(find_ended)  # not before the job has locked its log
    task_of: dict[str, str] = {}
    died: set[str] = set()

    def note_death(key: str) -> None:
        died.add(task_of[key])

    async def work(item: PlannedSample[TaskSample]) -> JsonValue:
        budget.check()
        before = find_before().pop(item.sample.task.id, ())
        row = await played(item)
        hide_second(store, before, tell)  # only now: until then there is no other
        return row

    async def played(item: PlannedSample[TaskSample]) -> JsonValue:
        def keep(answers: Sequence[ModelAnswer]) -> None:
            _keep_answers(answers, _key(item), out / run_log.ANSWERS)
            for answer in answers:
                budget.add(answer.completion.usage)

        if workers is None:
            return run_log.row_json(await play(item, keep))
        task_of[_key(item)] = item.sample.task.id
        result = await workers(_key(item))
        keep(result.answers)
        if isinstance(result.row, TapwrightError):
            raise result.row
        return run_log.row_json(result.row)

    first = benchmark.samples()[0].task
    header = run_log.RunHeader(
        tapwright=__version__,
        benchmark=benchmark.name,
        source=benchmark.source,
        data_sha256=benchmark.data_sha256,
        subject=GuardedAgent(agents, first, plan.seed).name,
        prompt_sha256="",
        samples=total,
        config={
            **(config or {}),
            **_facts_of(benchmark),
            "plan": plan.model_dump(mode="json"),
            "max_steps": max_steps,
            "max_s": max_s,
        },
    )
    job = Job(
        name=run_log.JOB,
        key=_key,
        work=work,
        config=header.model_dump(mode="json"),
        concurrency=workers.concurrency if workers else envs,
        about=lambda item: run_log.info_json(sample_info(item.sample, item.epoch, benchmark)),
    )
    if workers is not None:
        workers.recover = note_death
    with pool:
        await _run(job, chosen, total, out, on_progress)
    if died:  # only now: before, another attempt at the task may have had no row yet
        await asyncio.to_thread(refresh)
        left = find_ended()
        hide_second(store, [one for task in sorted(died) for one in left.get(task, ())], tell)
    return run_log.read_run(out)


def _facts_of(benchmark: TaskBenchmark) -> dict[str, JsonValue]:
    """What the header says of a suite with a harness of its own: its version and commit."""
    from tapwright.benchmarks.suite import SuiteBenchmark  # with all that plays and judges tasks

    return {"suite": dict(benchmark.facts)} if isinstance(benchmark, SuiteBenchmark) else {}


async def _run(
    job: Job[T], chosen: Iterable[T], total: int, out: Path, on_progress: OnRunProgress | None
) -> bool:
    """Do the job; whether something failed that may well be there the next time."""
    again = False
    done = 0
    async for ended in job.run(chosen, out / run_log.FILE):
        done += 1
        again |= isinstance(ended, ItemFailed) and ended.code in _ASKED_AGAIN
        if on_progress is not None:
            repeated = isinstance(ended, ItemDone) and ended.repeated
            on_progress(RunProgress(done, total, run_log.row_of_result(ended), repeated))
    return again


def _budget(plan: RunPlan, max_cost: float | None, out: Path) -> Budget:
    """A budget for this invocation; what an earlier one spent is not counted again."""
    hint = ""
    if max_cost is not None:
        hint = f"tapwright eval resume {quote_path(out)} --max-cost {2 * max_cost:g}"
    return Budget(plan.price, max_cost, hint=hint)


def _key(item: PlannedSample[Any]) -> str:
    return run_log.row_key(item.sample.id, item.epoch)


def _keep_answers(answers: Sequence[ModelAnswer], sample: str, path: Path) -> None:
    """Append the answers of models during one attempt, however it ended."""
    if not answers:
        return
    lines = (json.dumps({"sample": sample, **asdict(answer)}).encode() for answer in answers)
    with JsonlWriter(path) as file:
        file.append(*lines)
