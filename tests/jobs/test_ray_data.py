"""Ray Data reads what was recorded, and writes packs; three nodes, of which one is killed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tapwright.core.episode import Episode
from tapwright.errors import NothingFoundError, UsageError
from tapwright.files.place import Place
from tapwright.formats.shared.log import make_shared
from tapwright.formats.shared.push import WorkingCopy
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import write_tags
from tests.cli.running import tapwright
from tests.jobs.clusters import STORAGE, kill_a_node

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")]


@pytest.fixture
def ray_data() -> Any:
    """The module, where a test runs: collecting tests needs none of what it takes seconds with."""
    return pytest.importorskip("tapwright.formats.loading.ray_data")


@pytest.fixture
def store(episodes: list[Episode], tmp_path: Path) -> EpisodeStore:
    made = EpisodeStore(tmp_path / "store")
    for number, one in enumerate(episodes):
        made.write(replace(one, created=f"2026-01-01T00:00:0{number}+00:00"))
    write_tags(made.root / "a", add=["good"])
    return made


def unpacked(pack: Path, where: Path) -> dict[str, Episode]:
    done = tapwright("episodes", "unpack", str(pack), "-o", str(where))
    assert done.returncode == 0, done.stderr
    return {one.id: one for one in EpisodeStore(where)}


def shared_of(store: EpisodeStore, root: Path) -> str:
    url = (root / "shared").as_uri()
    make_shared(Place(url))
    copy = WorkingCopy(url, root / "copy")
    for one in store:
        EpisodeStore(root / "copy").write(one)
    write_tags(root / "copy/a", add=["good"])
    copy.push()
    return url


def locations(store: EpisodeStore, root: Path) -> Iterator[str]:
    yield str(store.root)
    done = tapwright("episodes", "pack", str(store.root), "-o", str(root / "pack"))
    assert done.returncode == 0, done.stderr
    yield str(root / "pack")
    yield shared_of(store, root)


def test_what_was_packed_comes_through_a_pipeline_as_it_was(
    cluster: Any, ray_data: Any, store: EpisodeStore, tmp_path: Path
) -> None:
    expected = {one.id: one for one in store}
    from ray.data.expressions import col

    for number, location in enumerate(locations(store, tmp_path)):
        rows = ray_data.read(location, "episodes")
        assert rows.count() == len(expected)
        out = tmp_path / f"out-{number}"
        rows.filter(expr=col("steps") > 0).write_datasink(ray_data.PackSink(out))
        assert unpacked(out, tmp_path / f"again-{number}") == expected, location
        assert (tmp_path / f"again-{number}/a/tags.jsonl").is_file()
        with pytest.raises(UsageError, match="begins empty"):
            ray_data.PackSink(out)


def test_steps_come_with_what_their_episodes_are_and_columns_alone(
    cluster: Any, ray_data: Any, store: EpisodeStore, tmp_path: Path
) -> None:
    expected = {
        (one.id, number): (step.decision.first.type, one.outcome)
        for one in store
        for number, step in enumerate(one.steps)
    }
    from ray.data.expressions import col

    for location in locations(store, tmp_path):
        steps = ray_data.read(location)
        assert steps.count() == len(expected)
        light = steps.select_columns(["episode_id", "step", "action_type", "outcome"])
        rows = light.take_all()
        found = {(one["episode_id"], one["step"]): one for one in rows}
        assert len(rows) == len(expected)
        assert {
            key: (one["action_type"], one["outcome"]) for key, one in found.items()
        } == expected, location
        (one,) = steps.filter(expr=col("episode_id") == "a").take_all()
        shown = store.read("a").steps[0].observation.screenshot
        assert one["image"]["bytes"] == shown.data


def test_only_what_fits_is_read_and_as_it_was_at_a_commit(
    cluster: Any, ray_data: Any, store: EpisodeStore, tmp_path: Path
) -> None:
    url = shared_of(store, tmp_path)
    copy = WorkingCopy(url, tmp_path / "copy")
    before = EpisodeStore(tmp_path / "copy").read("b")
    EpisodeStore(tmp_path / "copy").save(before, replace(before, outcome="failure"), edit="o")
    copy.push()
    failed = ray_data.read(url, where='outcome == "failure"')
    assert {(one["episode_id"], one["outcome"]) for one in failed.take_all()} == {("b", "failure")}
    assert ray_data.read(url, "episodes", where='tag("good")').take_all()[0]["tags"] == ["good"]
    with pytest.raises(NothingFoundError):
        ray_data.read(url, where='outcome == "failure"', at=1)
    assert ray_data.read(str(store.root), where='tag("good")').count() == 1


def test_an_episode_that_comes_twice_makes_no_pack(
    cluster: Any, ray_data: Any, store: EpisodeStore, tmp_path: Path
) -> None:
    rows = ray_data.read(store.root, "episodes")
    with pytest.raises(Exception, match="came more than once"):
        rows.union(rows).write_datasink(ray_data.PackSink(tmp_path / "out"))
    assert not (tmp_path / "out/README.md").exists()


def test_a_node_dies_while_a_pack_is_written_and_nothing_is_lost_nor_doubled(
    cluster: Any, ray_data: Any, store: EpisodeStore, tmp_path: Path
) -> None:
    for one in list(store):
        for number in range(12):
            store.write(replace(one, id=f"{one.id}-{number}"))
    marks = tmp_path / "marks"
    marks.mkdir()

    def slow(row: dict[str, Any]) -> dict[str, Any]:
        import time

        (marks / row["episode_id"]).touch()
        time.sleep(0.1)
        return row

    import threading

    def kill() -> None:
        import time

        while len(list(marks.iterdir())) < 5:
            time.sleep(0.05)
        kill_a_node(cluster)

    killer = threading.Thread(target=kill)
    killer.start()
    rows = ray_data.read(store.root, "episodes", override_num_blocks=8).map(slow)
    rows.write_datasink(ray_data.PackSink(tmp_path / "out"))
    killer.join()
    cluster.add_node(num_cpus=1, object_store_memory=STORAGE)
    assert unpacked(tmp_path / "out", tmp_path / "again") == {one.id: one for one in store}
