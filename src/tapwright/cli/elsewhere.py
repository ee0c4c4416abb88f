"""What a worker of a cluster opens, on its own machine: the same work as here.

All that is sent to it stands in the arguments. No key is among them: a worker has those of its own
machine's environment, and of the driver's only the address of the model's server. A directory
is one that all machines share, or a URL.
"""

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from tapwright.cli.casting import Cast, Company
from tapwright.cli.places import Place, near
from tapwright.geometry import Size
from tapwright.jobs.cluster import Work
from tapwright.screenshot import Screenshot
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore

if TYPE_CHECKING:
    from tapwright.cli.casting import Playing
    from tapwright.evaluate.config import RunCombination
    from tapwright.evaluate.run_log import SampleRow
    from tapwright.evaluate.sample_workers import RolloutResult
    from tapwright.formats.pack.pack import ShardPlan
    from tapwright.formats.pack.pictures import ImageEncoding

__all__ = [
    "encoding",
    "open_annotating",
    "open_asking",
    "open_encoding",
    "open_packing",
    "open_playing",
    "open_recording",
    "server",
]


def server() -> str:
    """The address of the model's server that was given here, for workers."""
    return os.environ.get("TAPWRIGHT_BASE_URL", "")


@asynccontextmanager
async def open_asking(one: "RunCombination", url: str) -> "AsyncIterator[Work[str, SampleRow]]":
    """Asks a model or an agent about the sample of a row's key."""
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.benchmark import Benchmark
    from tapwright.cli.measure import company_of
    from tapwright.evaluate.sample_workers import QueryWorker, index_by_key

    _begin(url)
    loaded = benchmarks.get(one.benchmark)(one.source)
    assert isinstance(loaded, Benchmark)  # the driver has seen to it
    company = company_of(one, Cast())
    try:
        asking = QueryWorker(loaded, company.model or company.make(None, one.plan.seed), one.plan)
        found = index_by_key(loaded.samples(), one.plan)
        yield lambda key: asking(found[key])
    finally:
        await company.close()


@asynccontextmanager
async def open_playing(
    one: "RunCombination", playing: "Playing", out: Place, url: str
) -> "AsyncIterator[Work[str, RolloutResult]]":
    """Plays the task of a row's key, on devices of this machine; the episode goes below `out`."""
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.benchmark import TaskBenchmark
    from tapwright.cli.measure import company_of
    from tapwright.cli.options import open_device
    from tapwright.devices.pool import DevicePool
    from tapwright.evaluate.run_log import EPISODES
    from tapwright.evaluate.sample_workers import RolloutWorker as Play
    from tapwright.evaluate.sample_workers import index_by_key

    _begin(url)
    loaded = benchmarks.get(one.benchmark)(one.source)
    assert isinstance(loaded, TaskBenchmark)  # the driver has seen to it
    found = index_by_key(loaded.samples(), one.plan)
    company = company_of(one, playing.cast)
    try:
        with (
            near(out) as here,
            DevicePool(partial(open_device, playing.device or "phone"), playing.envs) as pool,
        ):
            play = Play(
                loaded, company.make, pool, EpisodeStore(here.path / EPISODES), one.plan,
                max_steps=playing.max_steps, max_s=playing.max_s,
            )  # fmt: skip
            yield here.keeping(lambda key: play.told(found[key]))
    finally:
        await company.close()


@asynccontextmanager
async def open_recording(
    suite: str,
    agent: str,
    cast: Cast,
    device: str,
    envs: int,
    seed: int,
    out: Place,
    url: str,
) -> AsyncIterator[Work[str, JsonValue]]:
    """Records the task of an id, on devices of this machine."""
    from tapwright.cli.options import open_device, select_tasks
    from tapwright.devices.pool import DevicePool
    from tapwright.record.job import TaskRecorder

    _begin(url)
    tasks = {task.id: task for task in select_tasks(suite, (), None)}
    company = Company(agent, cast)
    try:
        with near(out) as here, DevicePool(partial(open_device, device), envs) as pool:
            play = TaskRecorder(company.make, pool, EpisodeStore(here.path), seed=seed)
            yield here.keeping(lambda id_: play(tasks[id_]))
    finally:
        await company.close()


@asynccontextmanager
async def open_annotating(
    root: Place, annotator: str, given: Mapping[str, Any], url: str
) -> AsyncIterator[Work[str, JsonValue]]:
    """Annotates the episode of an id; `given` are the options of who annotates."""
    from tapwright.annotate.run import Annotating
    from tapwright.cli.annotator import open_annotator

    _begin(url)
    with near(root) as here:
        store = EpisodeStore(here.path)
        by, model = open_annotator(store, annotator, (), **given)
        try:
            yield here.keeping(Annotating(store, by), lambda id_: [directory_name(id_)])
        finally:
            if model is not None:
                await model.close()


@asynccontextmanager
async def open_packing(
    root: Place, directory: Place, pictures: "ImageEncoding"
) -> "AsyncIterator[Work[ShardPlan, JsonValue]]":
    """Packs shards of a store."""
    from tapwright.formats.pack.pack import ShardPacker, ShardPlan

    def episodes(plan: ShardPlan) -> list[str]:
        return [directory_name(id_) for id_ in plan.ids]

    with (
        near(root) as store,
        near(directory) as out,
        closing(ShardPacker(EpisodeStore(store.path), out.path, pictures)) as packing,
    ):
        yield store.keeping(out.keeping(packing), episodes)


@asynccontextmanager
async def open_encoding() -> "AsyncIterator[Work[tuple[bytes, str, Size, int | None], bytes]]":
    """Makes pictures, which come and go as bytes."""
    yield encoding


async def encoding(item: tuple[bytes, str, Size, int | None]) -> bytes:
    """The bytes of a picture that is scaled, or a JPEG: `formats.pictures.encoded`."""
    from tapwright.formats.exporters.pictures import encode_picture

    data, origin, size, quality = item
    return encode_picture(Screenshot(data, origin=origin), size, quality).data


def _begin(url: str) -> None:
    if url:
        os.environ["TAPWRIGHT_BASE_URL"] = url
    sys.path.append("")  # functions of one's own
