"""What a worker of a cluster opens, on its own machine: the same work as here.

All that is sent to a worker is in the arguments. No key is among them: a worker reads the
configuration of its own machine, by `read_host`, and gets only the addresses of the model servers
and the settings of requests from the driver. A directory is one that all machines share, or a URL.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pydantic import JsonValue

from tapwright.jobs.cluster import Work, shared
from tapwright.store.ids import directory_name
from tapwright.workflows import own_names
from tapwright.workflows.agents import AgentBuilder, AgentConfig, open_builder
from tapwright.workflows.annotators import AnnotatorConfig, open_annotator
from tapwright.workflows.devices import open_device
from tapwright.workflows.directories import Location, open_location
from tapwright.workflows.host import HostConfig, ModelOptions, ReadHost
from tapwright.workflows.selecting import select_tasks
from tapwright.workflows.suites import admit_source

if TYPE_CHECKING:
    from tapwright.core.episode import EpisodeOutcome
    from tapwright.core.geometry import Size
    from tapwright.evaluate.combination import RunCombination
    from tapwright.evaluate.run_log import SampleRow
    from tapwright.evaluate.sample_workers import RolloutResult
    from tapwright.formats.pack.pack import ShardPlan
    from tapwright.formats.pack.pictures import ImageEncoding

__all__ = [
    "encode_picture", "open_annotating", "open_asking", "open_batches", "open_encoding",
    "open_packing", "open_playing", "open_recording",
]  # fmt: skip


T = TypeVar("T")
R = TypeVar("R")


@asynccontextmanager
async def open_asking(
    combination: "RunCombination", models: ModelOptions, read_host: ReadHost
) -> "AsyncIterator[Work[str, SampleRow]]":
    """Queries a model or an agent about the sample of a row's key."""
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.benchmark import Benchmark
    from tapwright.evaluate.sample_workers import QueryWorker, index_by_key

    host = _start_worker(models, read_host)
    _admit_combination(combination)
    benchmark = benchmarks.get(combination.benchmark)(combination.source)
    assert isinstance(benchmark, Benchmark)  # the driver has checked it
    builder = open_builder(combination, AgentConfig(), host)
    try:
        subject = builder.model or builder.build(None, combination.plan.seed)
        asking = QueryWorker(benchmark, subject, combination.plan)
        items = index_by_key(asking.benchmark.samples(), combination.plan)
        yield lambda key: asking(items[key])
    finally:
        await builder.close()


@asynccontextmanager
async def open_playing(
    combination: "RunCombination",
    agent: AgentConfig,
    device: str,
    envs: int,
    max_steps: int | None,
    max_s: float | None,
    out: Location,
    models: ModelOptions,
    read_host: ReadHost,
) -> "AsyncIterator[Work[str, RolloutResult]]":
    """Plays the task of a row's key, on devices of this machine; the episode goes below `out`."""
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.benchmark import TaskBenchmark
    from tapwright.devices.pool import DevicePool
    from tapwright.evaluate.run_log import EPISODES
    from tapwright.evaluate.sample_workers import RolloutWorker, index_by_key
    from tapwright.store.store import EpisodeStore

    host = _start_worker(models, read_host)
    _admit_combination(combination)
    _admit_cast(agent)
    own_names.admit_device(device)
    benchmark = benchmarks.get(combination.benchmark)(combination.source)
    assert isinstance(benchmark, TaskBenchmark)  # the driver has checked it
    items = index_by_key(benchmark.samples(), combination.plan)
    builder = open_builder(combination, agent, host)
    try:
        with (
            open_location(out) as local,
            DevicePool(partial(open_device, device, host), envs) as pool,
        ):
            rollouts = RolloutWorker(
                benchmark, builder.build, pool, EpisodeStore(local.path / EPISODES),
                combination.plan, max_steps=max_steps, max_s=max_s,
            )  # fmt: skip
            yield local.synced(lambda key: rollouts.run(items[key]))
    finally:
        await builder.close()


@asynccontextmanager
async def open_recording(
    suite: str,
    agent: str,
    config: AgentConfig,
    device: str,
    envs: int,
    seed: int | None,
    plays: int,
    keep: "EpisodeOutcome | None",
    run: str,
    out: Location,
    models: ModelOptions,
    read_host: ReadHost,
) -> AsyncIterator[Work[str, JsonValue]]:
    """Records the play of a key, on devices of this machine."""
    from tapwright.devices.pool import DevicePool
    from tapwright.record.job import Play, TaskRecorder
    from tapwright.store.store import EpisodeStore

    host = _start_worker(models, read_host)
    own_names.admit_subject(agent)
    _admit_cast(config)
    own_names.admit_device(device)
    chosen = {one.key: one for task in select_tasks(suite) for one in Play.of(task, plays)}
    builder = AgentBuilder(agent, config, host)
    try:
        with (
            open_location(out) as local,
            DevicePool(partial(open_device, device, host), envs) as pool,
        ):
            recording = TaskRecorder(
                builder.build, pool, EpisodeStore(local.path), run=run, seed=seed, keep=keep
            )
            yield local.synced(lambda key: recording(chosen[key]))
    finally:
        await builder.close()


@asynccontextmanager
async def open_annotating(
    root: Location, config: AnnotatorConfig, models: ModelOptions, read_host: ReadHost
) -> AsyncIterator[Work[str, JsonValue]]:
    """Annotates the episode of an id."""
    from tapwright.annotate.run import EpisodeAnnotator
    from tapwright.store.store import EpisodeStore

    host = _start_worker(models, read_host)
    own_names.admit_model(config.name)
    with open_location(root) as local:
        store = EpisodeStore(local.path)
        annotator, model = open_annotator(store, config, (), host)
        try:
            yield local.synced(
                EpisodeAnnotator(store, annotator), lambda id_: [directory_name(id_)]
            )
        finally:
            if model is not None:
                await model.close()


@asynccontextmanager
async def open_packing(
    root: Location, directory: Location, pictures: "ImageEncoding"
) -> "AsyncIterator[Work[ShardPlan, JsonValue]]":
    """Packs shards of a store."""
    from tapwright.formats.pack.pack import ShardPacker, ShardPlan
    from tapwright.store.store import EpisodeStore

    def episodes(plan: ShardPlan) -> list[str]:
        return [directory_name(id_) for id_ in plan.ids]

    with (
        open_location(root) as store,
        open_location(directory) as out,
        closing(ShardPacker(EpisodeStore(store.path), out.path, pictures)) as packing,
    ):
        yield store.synced(out.synced(packing), episodes)


@asynccontextmanager
async def open_batches(
    root: Location, work: Callable[[Sequence[T]], R]
) -> AsyncIterator[Work[Sequence[T], R]]:
    """Does batches of what lies in a store at the driver's path, in a thread."""
    shared(root.path, root.url)

    async def do(batch: Sequence[T]) -> R:
        return await asyncio.to_thread(work, batch)

    yield do


@asynccontextmanager
async def open_encoding() -> "AsyncIterator[Work[tuple[bytes, str, Size, int | None], bytes]]":
    """Encodes pictures, which come and go as bytes."""
    yield encode_picture


async def encode_picture(item: "tuple[bytes, str, Size, int | None]") -> bytes:
    """The bytes of a scaled picture, or of a JPEG (`formats.exporters.pictures`)."""
    from tapwright.core.screenshot import Screenshot
    from tapwright.formats.exporters.pictures import encode_picture as encode

    data, origin, size, quality = item
    return encode(Screenshot(data, origin=origin), size, quality).data


def _start_worker(models: ModelOptions, read_host: ReadHost) -> HostConfig:
    """This machine's configuration with the driver's model servers; the user's functions import."""
    sys.path.append("")
    return read_host().with_models(models)


def _admit_combination(combination: "RunCombination") -> None:
    """Let the names of a combination count here that the driver has admitted."""
    own_names.admit_subject(combination.spec)
    own_names.admit_benchmark(combination.benchmark)
    admit_source(combination.source)
    own_names.admit_convention(combination.plan.space)
    own_names.admit_convention(combination.plan.convention)


def _admit_cast(agent: AgentConfig) -> None:
    for name in (agent.convention, agent.grounder_convention):
        own_names.admit_convention(name)
    for spec in (agent.grounder, agent.planner):
        own_names.admit_model(spec)
