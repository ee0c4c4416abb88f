"""A Ray cluster of three nodes on this machine: what is lost with one of them, and what is not."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from tapwright.agents import agents
from tapwright.benchmarks.automation import Automation
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.cli.host import read_host
from tapwright.core.episode import Episode
from tapwright.core.secret_destinations import Destination, NamedBy
from tapwright.curate.check.store import check_episodes
from tapwright.curate.duplicates import FindDuplicates
from tapwright.devices.fake import FakeDevice
from tapwright.devices.pool import DevicePool
from tapwright.errors import DeviceError, TapwrightError, UsageError
from tapwright.evaluate.combination import RunCombination
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import RunProgress, evaluate, evaluate_tasks
from tapwright.evaluate.run_log import RunLog, SampleRow, read_run
from tapwright.formats.pack.pack import pack_store
from tapwright.jobs.cluster import OpenWork, RayWork, shared
from tapwright.jobs.errors import WORKER_LOST
from tapwright.jobs.job import ItemDone, ItemFailed, ItemResult, Job
from tapwright.record.job import record_episodes
from tapwright.store.catalog import Catalog
from tapwright.store.store import EpisodeStore
from tapwright.tasks import suites
from tapwright.testing import FakeChatServer
from tapwright.workflows.agents import AgentConfig
from tapwright.workflows.annotate import annotate_episodes
from tapwright.workflows.annotators import AnnotatorConfig
from tapwright.workflows.directories import Location, RemoteDirectories
from tapwright.workflows.engine import Engine
from tapwright.workflows.evaluate import RunSettings, run_benchmark
from tapwright.workflows.host import HostConfig, ModelOptions
from tapwright.workflows.models import open_model
from tapwright.workflows.own_names import admit_subject
from tapwright.workflows.progress import Advance, ShowProgress, no_progress
from tapwright.workflows.record import RecordSettings, record_tasks
from tapwright.workflows.rollouts import RolloutReport, play_rollouts
from tapwright.workflows.selecting import select_tasks
from tapwright.workflows.sft import SampleConfig, export_training_set
from tapwright.workflows.workers import (
    open_asking,
    open_packing,
    open_playing,
    open_recording,
)
from tests.cli.jobs import attempts, sets, suite
from tests.cli.running import tapwright_process
from tests.conftest import painted
from tests.jobs.clusters import STORAGE, kill_a_node
from tests.jobs.workers import Unloadable, open_fatal, open_large, open_recorder, open_with

pytestmark = pytest.mark.slow

RAY = Engine(workers=1, read_host=read_host)
HOST = HostConfig()


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


def test_a_result_that_dies_with_its_machine_is_made_again(cluster: Any, tmp_path: Path) -> None:
    here = cluster.head_node.all_processes["raylet"][0].process.pid

    async def lose() -> list[bytes]:
        async with RayWork(partial(open_large, tmp_path / "log"), workers=3) as work:
            await asyncio.gather(*map(work, "abc"))
            os.kill(here, signal.SIGSTOP)  # nothing is fetched
            try:
                running = asyncio.gather(*map(work, "def"))
                async with asyncio.timeout(30):
                    # The third, of the stopped machine, may wait for it.
                    while len(logged(tmp_path)) < 5:
                        await asyncio.sleep(0.05)
                await asyncio.sleep(1.0)  # each result is stored where it was made
                kill_a_node(cluster)
            finally:
                os.kill(here, signal.SIGCONT)
            return await running

    made = asyncio.run(lose())
    cluster.add_node(num_cpus=1, object_store_memory=STORAGE)
    assert [(one[:1], len(one)) for one in made] == [(b, 1_000_000) for b in (b"d", b"e", b"f")]


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


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[str]:
    """The address of a cluster that `ray start` made where a token is, as Ray does by itself."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("--head", "--port", str(port), "--num-cpus", "1", "--include-dashboard", "false")
    with tempfile.TemporaryDirectory(prefix="tw-ray-") as directory:
        process = subprocess.Popen(
            [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", *words,
             "--block", "--temp-dir", directory, "--disable-usage-stats"],
            env={**os.environ, "RAY_AUTH_TOKEN": "7" * 32, "HOME": str(tmp_path)},
            stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            assert any("Ray runtime started" in line for line in process.stdout)
            yield f"127.0.0.1:{port}"
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def test_a_cluster_that_asks_for_a_token_is_told_with_the_way_in(
    guarded: str, tmp_path: Path
) -> None:
    EpisodeStore(tmp_path / "store").write(next(iter(painted())))
    words = ("episodes", "check", str(tmp_path / "store"), "--engine", "ray", "--ray-address")
    told = tapwright_process(*words, guarded, HOME=str(tmp_path))
    assert f"the Ray cluster at {guarded} asks for a token" in told.stderr
    assert "RAY_AUTH_MODE=token" in told.stderr
    done = tapwright_process(
        *words, guarded, HOME=str(tmp_path), RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="7" * 32
    )
    assert done.returncode == 0, done.stderr


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


def test_a_node_dies_and_a_store_is_checked_and_deduped_as_it_is_here(
    cluster: Any, episodes: list[Episode], tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path / "store")
    for number in range(60):
        for one in episodes:
            store.write(replace(one, id=f"{one.id}-{number:02d}"))
    next((store.root / "a-07/frames").iterdir()).unlink()
    ids, died = store.ids(), list[str]()

    def kill(_: int) -> None:
        if not died:
            died.append("a node")
            kill_a_node(cluster)

    engine = Engine(workers=3)
    here = list(check_episodes(store, ids, again=True))
    assert {one.episode for one in here} >= {"a-07"}
    mapping = engine.map_batches(store.root)
    assert list(check_episodes(store, ids, again=True, advance=kill, mapping=mapping)) == here
    assert died
    cluster.add_node(num_cpus=1, object_store_memory=STORAGE)
    far = FindDuplicates(Catalog(store)).run(mapping=mapping)
    (store.root / ".catalog/catalog.sqlite").unlink()
    assert FindDuplicates(Catalog(store)).run() == far
    with pytest.raises(TapwrightError, match="does not see"):
        list(engine.map_batches(tmp_path / "elsewhere")(len, ids, 50))


def test_what_a_worker_had_played_when_it_died_is_not_played_again(
    cluster: Any, tmp_path: Path
) -> None:
    suite(tmp_path)
    tasks = select_tasks(str(tmp_path / "tasks"), (), None)
    out, deaths = tmp_path / "out", tmp_path / "deaths"
    out.mkdir()
    deaths.mkdir()
    recording = partial(
        open_recording, str(tmp_path / "tasks"), "random", AgentConfig(), "fake", 2, None, 3, None,
        "a-run", Location(out), ModelOptions(), read_host,
    )  # fmt: skip

    async def play() -> list[ItemResult]:
        async with RayWork(partial(open_fatal, deaths, recording), workers=2, each=2) as workers:
            played = record_episodes(
                tasks, agents.get("random"), DevicePool(FakeDevice, 1), out,
                config={}, plays=3, run="a-run", workers=workers,
            )  # fmt: skip
            return [one async for one in played]

    ended = asyncio.run(play())
    assert len(list(deaths.iterdir())) == 3
    named = [str(one.value["episode"]) for one in ended if isinstance(one.value, dict)]  # type: ignore[union-attr]
    whole = [one for one in EpisodeStore(out) if one.outcome != "interrupted"]
    assert sorted(named) == sorted(one.id for one in whole)
    plays = Counter((one.extra["group"], one.extra["play"]) for one in whole)
    assert len(plays) == 9
    assert set(plays.values()) == {1}


@pytest.mark.parametrize("at_url", [False, True])
def test_a_row_whose_worker_died_has_one_episode(
    cluster: Any, at_url: bool, tmp_path: Path
) -> None:
    suite(tmp_path)
    there, deaths = tmp_path / "out", tmp_path / "deaths"
    there.mkdir()
    deaths.mkdir()
    directories, told = RemoteDirectories(), list[str]()
    out = directories.open(there.as_uri()) if at_url else there
    one = RunCombination("l3", "random", RunPlan(epochs=2), str(tmp_path / "tasks"))
    playing = partial(
        open_playing, one, AgentConfig(), "fake", 2, None, None, directories.location(out),
        ModelOptions(), read_host,
    )  # fmt: skip

    async def play() -> RunLog:
        async with RayWork(partial(open_fatal, deaths, playing), workers=2, each=2) as workers:
            return await evaluate_tasks(
                Automation.load(one.source), agents.get("random"), FakeDevice, out, one.plan,
                workers=workers, tell=told.append,
                refresh=partial(directories.fetch_new, out / "episodes", "", ()),
            )  # fmt: skip

    with directories:
        rows = asyncio.run(play()).rows
    assert (len(rows), len(list(deaths.iterdir()))) == (6, 3)
    named = sorted(str(row.detail["episode"]) for row in rows)
    store = EpisodeStore(there / "episodes")
    assert named == sorted(one.id for one in store if one.outcome != "interrupted")
    hidden = {path.name for path in store.root.iterdir() if path.name not in store.ids()}
    (line,) = told
    assert set(line.partition("other: ")[2].split(", ")) == {one for one in hidden if one[0] != "."}


def test_a_node_dies_and_the_sets_of_rollouts_are_those_made_here(
    cluster: Any, tmp_path: Path
) -> None:
    suite(tmp_path)
    tasks = select_tasks(str(tmp_path / "tasks"), (), None)
    settings = RecordSettings(
        str(tmp_path / "tasks"), "tests.cli.gambler:Gambler.for_task",
        devices=("fake",), envs=2, plays=6,
    )  # fmt: skip
    admit_subject(settings.agent)

    def played(out: Path, engine: Engine, show: ShowProgress = no_progress) -> RolloutReport:
        return asyncio.run(
            play_rollouts(
                tasks, out, read_host(), settings, ("trl-rollouts", "verl-rl"),
                engine=engine, show_progress=show,
            )
        )  # fmt: skip

    died = list[str]()

    @contextmanager
    def killing(title: str, total: int) -> Iterator[Advance]:
        def advance(count: int, doing: str = "") -> None:
            if not died:
                died.append("a node")
                kill_a_node(cluster)

        yield advance

    here = played(tmp_path / "here", Engine())
    far = played(tmp_path / "far", Engine(workers=3, read_host=read_host), killing)
    cluster.add_node(num_cpus=1, object_store_memory=STORAGE)
    assert died
    assert (far.groups, far.rows) == (here.groups, here.rows)
    assert far.rows["trl-rollouts"] > 0
    assert sets(tmp_path / "far") == sets(tmp_path / "here")
    assert attempts(tmp_path / "far/episodes") == attempts(tmp_path / "here/episodes")
