"""Measures one model or agent on one benchmark, under a plan."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from tapwright.errors import UsageError
from tapwright.files.atomic import NO_ROOM, disk_error
from tapwright.workflows.agents import AgentBuilder, AgentConfig, open_builder
from tapwright.workflows.devices import count_devices, device_openers, open_device
from tapwright.workflows.engine import Engine
from tapwright.workflows.host import HostConfig
from tapwright.workflows.progress import ShowProgress, no_progress
from tapwright.workflows.screen_fit import refuse_misfit
from tapwright.workflows.workers import open_asking, open_playing

if TYPE_CHECKING:
    from tapwright.benchmarks.benchmark import Benchmark, StaticSample, TaskBenchmark
    from tapwright.evaluate.combination import RunCombination
    from tapwright.evaluate.run import OnRunProgress, RunProgress
    from tapwright.evaluate.run_log import RunLog
    from tapwright.evaluate.taken_options import Kind

__all__ = ["RunSettings", "option_of", "run_benchmark"]

_OPTIONS = frozenset(
    {
        "allow", "concurrency", "convention", "device", "envs", "limit", "max_pixels", "max_s",
        "max_steps", "network", "only", "price", "profile", "sample", "seed", "space",
    }
)  # fmt: skip
"""What has an option of its own on the command line."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a run is carried out, besides its plan.

    `agent`, `device`, `envs`, `max_steps` and `max_s` (seconds) are for tasks that are played (l3,
    l4, miniwob): without a `device` the benchmark's own is opened `envs` times. A phone, or a
    browser with a profile, is opened once; with `more_devices` one attempt at a time is played on
    each. `concurrency` is how many requests are sent at a time, `max_rounds` how often samples are
    queried again whose server did not respond. With `strict` rows of the data that cannot be used
    stop the run before it starts; otherwise they are left out. The run stops at `max_cost`, counted
    from this start.
    """

    agent: AgentConfig = field(default_factory=AgentConfig)
    device: str | None = None
    envs: int | None = None
    max_steps: int | None = None
    max_s: float | None = None
    concurrency: int = 8
    max_cost: float | None = None
    max_rounds: int = 1
    strict: bool = False
    more_devices: tuple[str, ...] = ()


async def run_benchmark(
    combination: "RunCombination",
    out: Path,
    host: HostConfig,
    settings: RunSettings | None = None,
    *,
    engine: Engine | None = None,
    show_progress: ShowProgress = no_progress,
    on_notice: Callable[[str], object] = lambda _: None,
) -> "RunLog":
    """Measure a combination and write its run below `out`; an interrupted run continues.

    `on_notice` is called with what the user should know: what is left out, what was played twice.

    Raises:
        UsageError: the benchmark does not take the settings or the plan.
        UsageError: the convention is for another kind of screen than the device's.
        LedgerError: `out` holds another run.
        TapwrightError: the cost limit is reached; what was answered is kept.
        BadBenchmarkError: the data cannot be used, or with `strict` a row of it.
    """
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.benchmark import Benchmark, TaskBenchmark
    from tapwright.benchmarks.errors import BadBenchmarkError
    from tapwright.benchmarks.left_out import describe_left_out, refuse_left_out
    from tapwright.evaluate.plan import plan_samples
    from tapwright.evaluate.rule_choice import settle_rules, under_plan
    from tapwright.evaluate.run_log import FILE
    from tapwright.evaluate.taken_options import kind_of

    settings, engine = settings or RunSettings(), engine or Engine()
    plan = settle_rules(combination.plan, combination.benchmark, out)
    combination = replace(combination, plan=plan)
    load = benchmarks.get(combination.benchmark)
    try:
        benchmark = under_plan(load(combination.source), plan)
    except OSError as error:  # of one of somebody's own, as ours say what their data is
        if error.errno in NO_ROOM:  # of what it unpacks, or keeps
            raise disk_error(error.filename or combination.benchmark, error) from error
        raise BadBenchmarkError(
            f"{combination.benchmark}: its data cannot be read: {error}",
            hint="--data names where it is",
        ) from error
    if settings.strict:
        refuse_left_out(combination.benchmark, benchmark)
    for line in describe_left_out(combination.benchmark, benchmark):
        on_notice(line)
    kind = kind_of(benchmark)
    _check_plan(kind, combination)
    _check_settings(kind, combination, settings)
    if isinstance(benchmark, TaskBenchmark):
        combination, settings = _move_convention(combination, settings)
        devices = (settings.device or benchmark.device, *settings.more_devices)
        if not (out / FILE).exists():  # a run that was begun is ended as it was begun
            refuse_misfit(combination.spec, settings.agent, devices)
    builder = open_builder(combination, settings.agent, host)
    if engine.is_remote:
        _check_sendable(combination)
        if settings.more_devices:
            raise UsageError("workers of a cluster open one device each", hint="--engine local")
    total = plan_samples(benchmark.samples(), combination.plan)[0]
    run = _Run(combination, out, host, settings, engine, builder, total, on_notice)
    try:
        with show_progress(f"{combination.benchmark} ({combination.spec})", total) as advance:

            def on_progress(_: "RunProgress") -> None:
                advance(1)

            if isinstance(benchmark, TaskBenchmark):
                return await run.play(benchmark, on_progress)
            if isinstance(benchmark, Benchmark):
                return await run.query(benchmark, on_progress)
            raise UsageError(
                f"{combination.benchmark} can neither be queried nor played",
                hint="tapwright.testing.check_benchmark names what it lacks",
            )
    finally:
        await builder.close()


@dataclass(frozen=True, slots=True)
class _Run:
    combination: "RunCombination"
    out: Path
    host: HostConfig
    settings: RunSettings
    engine: Engine
    builder: AgentBuilder
    total: int
    on_notice: Callable[[str], object]

    async def play(self, benchmark: "TaskBenchmark", on_progress: "OnRunProgress") -> "RunLog":
        """Play the tasks of a benchmark."""
        from tapwright.evaluate.run import evaluate_tasks
        from tapwright.evaluate.run_log import EPISODES

        combination, settings, engine = self.combination, self.settings, self.engine
        device = settings.device or benchmark.device
        devices = (device, *settings.more_devices)
        several = device_openers(devices, self.host)
        envs = min(count_devices(devices, settings.envs, self.host), self.total)
        config: dict[str, JsonValue] = {"device": device, "spec": combination.spec}
        if self.host.allow is not None:
            config["allow"] = self.host.allow
        if self.host.network is not None:  # what a page cannot reach it does not show
            config["network"] = self.host.network
        open_work = partial(
            open_playing, combination, settings.agent, device, envs, settings.max_steps,
            settings.max_s, engine.directories.location(self.out), self.host.shared_models,
            engine.read_host,
        )  # fmt: skip
        async with engine.start(open_work, items=self.total, each=envs) as players:
            return await evaluate_tasks(
                benchmark,
                self.builder.build,
                several if settings.more_devices else partial(open_device, device, self.host),
                self.out,
                combination.plan,
                config=config | self.builder.log_config,
                envs=envs,
                max_steps=settings.max_steps,
                max_s=settings.max_s,
                max_cost=settings.max_cost,
                workers=players,
                refresh=partial(engine.directories.fetch_new, self.out / EPISODES, "", ()),
                tell=self.on_notice,
                on_progress=on_progress,
            )

    async def query(
        self, benchmark: "Benchmark[StaticSample]", on_progress: "OnRunProgress"
    ) -> "RunLog":
        """Query the model or agent about the samples of a benchmark."""
        from tapwright.evaluate.run import evaluate

        combination, settings, engine = self.combination, self.settings, self.engine
        open_work = partial(open_asking, combination, self.host.shared_models, engine.read_host)
        async with engine.start(open_work, items=self.total, each=settings.concurrency) as askers:
            return await evaluate(
                benchmark,
                self.builder.model or self.builder.build(None, combination.plan.seed),
                self.out,
                combination.plan,
                spec=combination.spec,
                concurrency=settings.concurrency,
                max_cost=settings.max_cost,
                max_rounds=settings.max_rounds,
                workers=askers,
                on_progress=on_progress,
            )


def _check_sendable(combination: "RunCombination") -> None:
    """Refuse to send a secret to workers."""
    if combination.secret:
        raise UsageError(
            f"{combination.spec}: the key in the config file is not sent to a cluster's workers",
            hint="put it into the environment of every machine, and its name into the config",
        )


def _check_plan(kind: "Kind | None", combination: "RunCombination") -> None:
    """Refuse keys of the plan that would be ignored."""
    from tapwright.evaluate.taken_options import list_unused

    plan = combination.plan
    unused = list_unused(kind, combination.spec, plan)
    if not unused:
        return
    options = ", ".join(map(option_of, unused))
    decided = plan.convention and "convention" not in unused
    raise UsageError(
        f"{combination.spec} on {combination.benchmark}: {options} has no effect"
        + (f": the convention {plan.convention} decides it" if decided else ""),
        hint=f"leave out {options}",
    )


def _check_settings(
    kind: "Kind | None", combination: "RunCombination", settings: RunSettings
) -> None:
    """Refuse settings for what is played where nothing is."""
    from tapwright.evaluate.taken_options import takes

    given = [*settings.agent.changed]
    given += [name for name in ("device", "max_steps", "max_s") if getattr(settings, name)]
    if settings.agent.convention != AgentConfig().convention:
        given.append("convention")
    unused = [name for name in given if not takes(kind, combination.spec, name)]
    if unused:
        options = ", ".join(map(option_of, unused))
        raise UsageError(f"{combination.spec} on {combination.benchmark}: {options} has no effect")
    if kind is not None and kind != "tasks" and "convention" in given:
        raise UsageError(
            f"{combination.benchmark} is queried: the convention of an agent has no effect",
            hint="RunPlan(convention=...)",
        )


def option_of(name: str) -> str:
    """An option of the command line by the name of what it gives; a key of a plan as it is."""
    shown = {"max_s": "max-seconds", "step_history": "history"}.get(name, name)
    return "--" + shown.replace("_", "-") if name in _OPTIONS else shown


def _move_convention(
    combination: "RunCombination", settings: RunSettings
) -> "tuple[RunCombination, RunSettings]":
    """The convention of the plan as the agent's, where run logs have it for what is played."""
    plan = combination.plan
    if not plan.convention:
        return combination, settings
    agent = replace(settings.agent, convention=plan.convention)
    plan = plan.model_copy(update={"convention": ""})
    return replace(combination, plan=plan), replace(settings, agent=agent)
