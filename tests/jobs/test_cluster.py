"""A Ray cluster of three nodes on this machine: what is lost with one of them, and what is not."""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

import tapwright
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.cli.host import read_host
from tapwright.core.episode import Episode
from tapwright.core.secrets import Destination, NamedBy
from tapwright.errors import DeviceError, TapwrightError, UsageError
from tapwright.evaluate.combination import RunCombination
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import RunProgress, evaluate
from tapwright.evaluate.run_log import SampleRow, read_run
from tapwright.formats.pack.pack import pack_store
from tapwright.jobs.cluster import OpenWork, RayWork, shared
from tapwright.jobs.errors import WORKER_LOST
from tapwright.jobs.job import ItemDone, ItemFailed, ItemResult, Job
from tapwright.store.store import EpisodeStore
from tapwright.tasks import suites
from tapwright.testing import FakeChatServer
from tapwright.workflows.annotate import annotate_episodes
from tapwright.workflows.annotators import AnnotatorConfig
from tapwright.workflows.directories import Location
from tapwright.workflows.engine import Engine
from tapwright.workflows.evaluate import RunSettings, run_benchmark
from tapwright.workflows.host import HostConfig, ModelOptions
from tapwright.workflows.models import open_model
from tapwright.workflows.record import RecordSettings, record_tasks
from tapwright.workflows.training_set import SampleConfig, export_training_set
from tapwright.workflows.workers import open_asking, open_packing
from tests.cli.running import tapwright_process
from tests.jobs.workers import Unloadable, open_recorder, open_with

pytestmark = pytest.mark.slow

RAY = Engine(workers=1, read_host=read_host)
HOST = HostConfig()
STORAGE = 80_000_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head and two nodes; a killed node is replaced by the test that killed it."""
    import ray
    from ray.cluster_utils import Cluster

    directory = tempfile.mkdtemp(prefix="tw-ray-")  # the path of a socket may have 107 bytes
    with pytest.MonkeyPatch.context() as patch:
        # So that workers find what is defined here.
        here = Path(tapwright.__file__).parents[1], Path(__file__).parents[2]
        patch.setenv("PYTHONPATH", ":".join(map(str, here)))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # The driver notes the address of its cluster in Ray's default directory, which must exist.
        patch.setenv("RAY_TMPDIR", directory)
        Path(directory, "ray").mkdir()
        made = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 1,
                "include_dashboard": False,
                "object_store_memory": STORAGE,
                "temp_dir": directory,
            },
        )
        try:
            for _ in range(2):
                made.add_node(num_cpus=1, object_store_memory=STORAGE)
            ray.init(address=made.address, log_to_driver=False, logging_level="error")
            yield made
        finally:
            ray.shutdown()
            made.shutdown()
            shutil.rmtree(directory, ignore_errors=True)


def kill_a_node(cluster: Any) -> None:
    """All of its processes at once, as when a machine goes."""
    node = next(one for one in cluster.worker_nodes)
    cluster.remove_node(node, allow_graceful=False)


def run(
    open_work: OpenWork[str, JsonValue], items: list[str], ledger: Path, **options: Any
) -> list[ItemResult]:
    async def collect() -> list[ItemResult]:
        async with RayWork(open_work, **{"workers": 1, **options}) as work:
            job = Job("t", key=str, work=work, config={}, concurrency=work.concurrency)
            return [one async for one in job.run(items, ledger)]

    return asyncio.run(collect())


def test_items_are_done_by_several_processes_and_each_once(cluster: Any, tmp_path: Path) -> None:
    items = [str(number) for number in range(40)]
    open_work = partial(open_recorder, tmp_path / "log")
    ended = run(open_work, [*items, "bad"], tmp_path / "l.jsonl", workers=2, each=2)
    done = {one.key: one.value for one in ended if isinstance(one, ItemDone)}
    assert done.keys() == {*items}
    assert len({*done.values()} - {os.getpid()}) == 2
    assert ItemFailed("bad", "TW300", "no such device") in ended
    assert Counter(logged(tmp_path)) == Counter([*items, "bad", "closed", "closed"])


def logged(directory: Path) -> list[str]:
    return (directory / "log").read_text().split()


def test_an_error_is_the_same_here_as_it_was_there(cluster: Any, tmp_path: Path) -> None:
    async def meet() -> None:
        async with RayWork(partial(open_recorder, tmp_path / "log"), workers=1) as work:
            with pytest.raises(DeviceError, match="no such device") as met:
                await work("bad")
            assert met.value.hint == "take another"
            with pytest.raises(UsageError, match="nothing can be done"):
                await work("fatal")
            with pytest.raises(TapwrightError, match="ZeroDivisionError"):
                await work("broken")
        with pytest.raises(TapwrightError, match="gone"):
            await work("late")

    asyncio.run(meet())


def test_an_item_that_ends_every_worker_is_told_and_hides_no_other(
    cluster: Any, tmp_path: Path
) -> None:
    open_work = partial(open_recorder, tmp_path / "log")
    ended = run(
        open_work, ["deadly", "silent", "a"], tmp_path / "l.jsonl", workers=1, timeout_s=2.0
    )
    assert {one.key for one in ended if isinstance(one, ItemDone)} == {"silent", "a"}
    (failed,) = (one for one in ended if isinstance(one, ItemFailed))
    assert failed.code == WORKER_LOST.code
    assert failed.message.startswith("deadly: 3 workers died")
    assert Counter(logged(tmp_path)) == Counter(deadly=3, silent=2, a=1, closed=1)


def test_work_that_a_worker_cannot_load_is_told_at_once(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(TapwrightError, match="a_package_that_only_the_driver_has"):
        run(partial(open_with, Unloadable()), ["a"], tmp_path / "l.jsonl")


OLDER = """
import asyncio, sys
import ray
from tapwright.errors import TapwrightError
from tapwright.jobs.cluster import RayWork

async def main():
    async with RayWork(print, workers=1, address=sys.argv[1]):
        pass

ray.__version__ = "2.0.1"
try:
    asyncio.run(main())
except TapwrightError as error:
    print(f"{error} [{error.code}] {error.hint}")
"""


def test_a_cluster_with_another_ray_is_told_in_one_line(cluster: Any) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", OLDER, cluster.address],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    (told,) = ended.stdout.splitlines()
    assert "this machine Ray 2.0.1 on Python" in told
    assert "[TW230]" in told
    assert f"ray=={ray_version()}" in told


def ray_version() -> str:
    import ray

    return str(ray.__version__)


def test_a_cluster_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    run = tapwright_process(
        *("record", "--agent", "script", "--engine", "ray", "-o", str(tmp_path / "e")),
        *("--ray-address", f"127.0.0.1:{port}"),
    )
    assert run.returncode == 1
    assert "no Ray cluster responds" in run.stderr
    assert "TW230" in run.stderr


def test_a_directory_that_a_machine_does_not_have_is_told(tmp_path: Path) -> None:
    assert shared(tmp_path) == tmp_path
    with pytest.raises(TapwrightError, match="does not see"):
        shared(tmp_path / "elsewhere")


def test_a_node_dies_and_nothing_is_lost_nor_asked_twice(
    cluster: Any, episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "bench")
    asked: list[str] = []

    def answer(body: Any) -> str:
        words = json.dumps(body["messages"])
        asked.append(words)
        return "ABCD"[len(words) % 4]

    def watch(progress: RunProgress) -> None:
        if progress.done == 8:
            kill_a_node(cluster)

    with FakeChatServer(answer) as answering:
        url = answering.base_url
        one = RunCombination(
            "l1", "openai/any", RunPlan(epochs=2), str(tmp_path / "bench"), base_url=url
        )

        def measured(out: Path, engine: Engine) -> None:
            asyncio.run(run_benchmark(one, out, HOST, RunSettings(concurrency=1), engine=engine))

        measured(tmp_path / "here", Engine())
        distinct = Counter(asked)
        asked.clear()

        async def there() -> None:
            from tapwright.benchmarks import benchmarks

            server = Destination(url, NamedBy.ARGUMENT)
            model = open_model(one.spec, HOST, server=server)
            workers = RayWork(
                partial(open_asking, one, ModelOptions(), HostConfig), workers=3, each=1
            )
            async with workers as work:
                await evaluate(
                    benchmarks.get("l1")(one.source),  # type: ignore[arg-type]
                    model,
                    tmp_path / "there",
                    one.plan,
                    spec=one.spec,
                    workers=work,
                    on_progress=watch,
                )
            await model.close()

        asyncio.run(there())
        cluster.add_node(num_cpus=1, object_store_memory=STORAGE)
    run, other = read_run(tmp_path / "there"), read_run(tmp_path / "here")
    assert run.complete
    assert {row.key: _said(row) for row in run.rows} == {row.key: _said(row) for row in other.rows}
    assert run.header == other.header
    again = Counter(asked) - distinct
    # What was under way on the node that died, which has one of the workers, or more.
    assert again.total() <= 3
    assert Counter(asked).total() == distinct.total() + again.total()


def _said(row: SampleRow) -> SampleRow:
    return replace(row, latency_s=0.0, started=0.0, ended=0.0)


@pytest.mark.long
def test_tasks_are_recorded_and_played_elsewhere_as_they_are_here(
    cluster: Any, tmp_path: Path
) -> None:
    tasks = suites.get("phone")()[:2]

    def recorded(out: Path, engine: Engine) -> Sequence[object]:
        ended = asyncio.run(
            record_tasks(tasks, out, read_host(), RecordSettings(envs=1), engine=engine)
        )
        assert all(isinstance(one, ItemDone) for one in ended)
        return sorted(
            (one.task_id, one.outcome, [step.decision for step in one.steps])
            for one in EpisodeStore(out)
        )

    assert recorded(tmp_path / "there", RAY) == recorded(tmp_path / "here", Engine())
    # This device has no apps: an attempt's error comes back as the row's.
    one = RunCombination("l3", "tree", RunPlan(limit=2))
    for out, engine in (("far", RAY), ("near", Engine())):
        asyncio.run(
            run_benchmark(one, tmp_path / out, HOST, RunSettings(device="fake"), engine=engine)
        )
    far, near = read_run(tmp_path / "far"), read_run(tmp_path / "near")
    assert far.header == near.header
    assert {row.key: row.error for row in far.rows} == {row.key: row.error for row in near.rows}
    assert all(row.error is not None for row in far.rows)


def test_annotations_packs_and_training_sets_are_the_same_made_elsewhere(
    cluster: Any, episodes: list[Episode], tmp_path: Path
) -> None:
    for name, engine in (("far", RAY), ("near", Engine())):
        store = EpisodeStore(tmp_path / name / "store")
        for one in episodes:
            store.write(one)
        failed = asyncio.run(annotate_episodes(store, AnnotatorConfig(), HOST, engine=engine))
        assert not failed
        export_training_set(
            [store.root],
            tmp_path / name / "sft",
            SampleConfig("json", outcome="any", annotator="rules", scale=0.5, val_share=0.1),
            format_name="llamafactory",
            engine=engine,
        )
    assert _files(tmp_path / "far" / "sft") == _files(tmp_path / "near" / "sft")
    root = tmp_path / "near" / "store"

    async def packed(out: Path, engine: Engine, url: str = "") -> None:
        # A machine that shares nothing with this one reads and writes at the URL.
        open_work = partial(
            open_packing,
            Location(root, root.as_uri()),
            Location(out, url or out.as_uri()),
            "original",
        )
        async with engine.start(open_work, items=2) as elsewhere:
            async for shard in pack_store(EpisodeStore(root), out, workers=elsewhere):
                assert not shard.unreadable

    kept = tmp_path / "kept"
    asyncio.run(packed(tmp_path / "far" / "pack", RAY, kept.as_uri()))
    asyncio.run(packed(tmp_path / "near" / "pack", Engine()))
    shards = _files(kept)
    assert len(shards) == 3
    assert not shards.keys() & _files(tmp_path / "far" / "pack").keys()
    assert {**shards, **_files(tmp_path / "far" / "pack")} == _files(tmp_path / "near" / "pack")


def _files(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.name != "pack.jsonl"  # which says when it was begun
    }
