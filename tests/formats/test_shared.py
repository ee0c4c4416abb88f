import asyncio
import gc
import json
import shutil
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from tapwright.agents import agents
from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.curate.contents import hash_recording
from tapwright.devices.fake import FakeDevice
from tapwright.devices.pool import DevicePool
from tapwright.errors import NothingFoundError, UsageError
from tapwright.files.errors import RemoteFileError
from tapwright.files.place import Place
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.loading.episodes import load, open_steps
from tapwright.formats.loading.steps import RecordedStep, StepSource
from tapwright.formats.shared.compact import compact
from tapwright.formats.shared.copy import SharedCopy, copy_directory
from tapwright.formats.shared.log import make_shared
from tapwright.formats.shared.push import WorkingCopy
from tapwright.formats.shared.steps import SharedSteps
from tapwright.jobs.job import ItemDone
from tapwright.record.job import record_episodes
from tapwright.store.catalog import Catalog
from tapwright.store.errors import EditConflictError
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import read_tags, write_tags
from tapwright.store.trash import list_trash, restore_episode, trash_episode
from tapwright.store.work_log import WorkClock, read_work
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.workflows.directories import Location, RemoteDirectories, open_location
from tests.cli.running import tapwright
from tests.store.episodes import SIZE, episode, step


class Lab:
    """A shared store below a directory, and the machines that use it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = (root / "shared").as_uri()
        make_shared(Place(self.url))

    def machine(self, name: str) -> tuple[WorkingCopy, EpisodeStore]:
        return WorkingCopy(self.url, self.root / name), EpisodeStore(self.root / name)

    def files(self, below: str) -> list[str]:
        return sorted(path.name for path in (self.root / "shared" / below).iterdir())


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def ids(store: EpisodeStore, where: str = "") -> list[str]:
    return Catalog(store).ids(Selection(where))


def test_what_one_machine_puts_another_lists_at_once_and_reads_to_the_byte(lab: Lab) -> None:
    here, store = lab.machine("a")
    store.write(replace(episode(3, "one"), state={"mails": ["m" * 400]}))
    store.save(store.read("one"), replace(store.read("one"), instruction="Other"), edit="i")
    store.write(replace(episode(2, "Zwei / 二"), outcome="failure"))
    write_tags(lab.root / "a/one", add=["good"])
    here.push()
    there, other = lab.machine("b")
    there.sync()
    assert ids(other, 'tag("good")') == ["one"]
    assert ids(other, 'outcome == "failure"') == ["Zwei / 二"]
    assert not (lab.root / "b/one").exists()
    there.fetch()
    for path in (lab.root / "a").glob("[!.]*"):
        assert hash_recording(path) == hash_recording(lab.root / "b" / path.name)
    assert other.read("one", version=1) == store.read("one", version=1)
    there.push()
    assert lab.files("log") == ["000000000001.jsonl.zst"]


def test_an_episode_keeps_its_files_without_what_it_came_from(lab: Lab) -> None:
    here, store = lab.machine("a")
    store.write(episode(3, "one"))
    here.push()
    (first,) = load(lab.url)["one"].steps[:1]
    gc.collect()
    assert (
        first.observation.screenshot.data == store.read("one").steps[0].observation.screenshot.data
    )


@pytest.mark.slow
def test_a_tag_or_an_outcome_is_a_small_commit_and_other_steps_a_new_pack(lab: Lab) -> None:
    here, store = lab.machine("a")
    store.write(episode(3, "one"))
    here.push()
    write_tags(lab.root / "a/one", add=["good"])
    here.push()
    store.save(store.read("one"), replace(store.read("one"), outcome="failure"), edit="o")
    here.push()
    assert (len(lab.files("packs")), len(lab.files("log"))) == (1, 3)
    before = store.read("one")
    store.save(before, replace(before, steps=(*before.steps[:1], step(7))), edit="s")
    here.push()
    assert len(lab.files("packs")) == 2
    there, other = lab.machine("b")
    there.fetch()
    assert other.read("one") == store.read("one")


@pytest.mark.slow
def test_what_goes_together_counts_from_both_machines(lab: Lab) -> None:
    (here, store), (there, other) = lab.machine("a"), lab.machine("b")
    store.write(episode(3, "one"))
    here.push()
    there.fetch()
    write_tags(lab.root / "a/one", add=["a"])
    before = other.read("one")
    moved = replace(before.steps[0].decision, actions=(Tap(at=Point(0.1, 0.1)),))
    steps = (replace(before.steps[0], decision=moved), *before.steps[1:])
    other.save(before, replace(before, steps=steps), edit="moved")
    write_tags(lab.root / "b/one", add=["b"])
    for name in ("a", "b"):
        work = WorkClock(name, "record")
        work.note()
        work.write(lab.root / name / "one")
    here.push()
    there.push()
    here.sync()
    for name, found in (("a", store), ("b", other)):
        assert read_tags(lab.root / name / "one") == ("a", "b")
        assert [line.who for line in read_work(lab.root / name / "one")] == ["a", "b"]
        assert found.read("one").steps == steps


def test_of_two_edits_the_later_is_moved_aside_and_named(lab: Lab) -> None:
    (here, store), (there, other) = lab.machine("a"), lab.machine("b")
    store.write(episode(3, "one"))
    here.push()
    there.fetch()
    for which in (store, other):
        before = which.read("one")
        which.save(before, replace(before, instruction=str(which.root)), edit="i")
    here.push()
    with pytest.raises(EditConflictError, match="one: another machine has edited it, too"):
        there.push()
    aside = EpisodeStore(lab.root / "b/.shared/aside")
    assert aside.read("one").instruction == str(other.root)
    there.push()
    assert ids(other) == ["one"]
    there.fetch()
    assert other.read("one").instruction == str(store.root)


def test_of_two_writers_of_one_id_the_first_stays_and_the_same_is_put_once(lab: Lab) -> None:
    (here, store), (there, other) = lab.machine("a"), lab.machine("b")
    for which in (store, other):
        which.write(replace(episode(2, "same"), created="2026-11-28"))
        which.write(episode(2 if which is store else 3, "one"))
    here.push()
    with pytest.raises(EditConflictError, match="1 not put: one: another machine has put this id"):
        there.push()
    there.fetch()
    assert len(other.read("one").steps) == 2
    assert len(lab.files("log")) == 1


@pytest.mark.slow
def test_an_episode_that_is_removed_goes_everywhere_and_comes_back(lab: Lab) -> None:
    (here, store), (there, other) = lab.machine("a"), lab.machine("b")
    store.write(episode(2, "one"))
    here.push()
    there.fetch()
    trash_episode(lab.root / "b", "one")
    there.push()
    here.sync()
    assert ids(store) == ids(other) == []
    assert not (lab.root / "a/one").exists()
    restore_episode(lab.root / "b", list_trash(lab.root / "b")[0])
    there.push()
    here.fetch()
    assert ids(store) == ["one"]
    assert store.read("one") == other.read("one")


@pytest.mark.slow
def test_what_another_machine_has_changed_is_not_removed_unseen(lab: Lab) -> None:
    (here, store), (there, other) = lab.machine("a"), lab.machine("b")
    store.write(episode(2, "one"))
    here.push()
    there.fetch()
    write_tags(lab.root / "a/one", add=["good"])
    here.push()
    trash_episode(lab.root / "b", "one")
    with pytest.raises(EditConflictError, match="one: another machine has changed it since"):
        there.push()
    there.push()
    assert ids(other, 'tag("good")') == ["one"]


def test_what_lies_in_a_copy_of_another_name_is_put_by_the_next(lab: Lab) -> None:
    home = lab.root / "home"
    named = copy_directory(lab.url, home)
    older = named.with_name("what it was called once" + named.name[-13:])
    WorkingCopy(lab.url, older).push()
    EpisodeStore(older).write(episode(1, "left"))
    with RemoteDirectories(home) as directories:
        assert directories.open(lab.url) == older
    there, _ = lab.machine("b")
    there.fetch()
    assert [one.id for one in there.entries()] == ["left"]


def test_what_a_killed_program_recorded_is_put_by_the_next(lab: Lab) -> None:
    here, store = lab.machine("a")
    store.write(episode(2, "whole"))
    writer = store.create(task_id="t", instruction="i", agent="a", device="d", id="torn")
    here.push()  # one that is being recorded stays
    assert [one.id for one in here.entries()] == ["whole"]
    writer.close()
    again, _ = lab.machine("a")
    again.push(ended=True)
    assert [one.id for one in again.entries()] == ["whole"]
    again.push()
    assert sorted(one.id for one in again.entries()) == ["torn", "whole"]


def test_a_commit_whose_answer_was_lost_is_not_put_twice(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, store = lab.machine("a")
    put_new = Place.put_new

    def lie(place: Place, name: str, data: bytes) -> bool:
        put_new(place, name, data)
        raise RemoteFileError("the network is down")

    store.write(episode(2, "one"))
    with monkeypatch.context() as patch:
        patch.setattr(Place, "put_new", lie)
        here.push()
        patch.setattr(Place, "put_new", lambda *_: False)
        store.write(episode(2, "two"))
        patch.setattr(Place, "put_new", lie)
        here.push()
    assert len(lab.files("log")) == 2
    assert sorted(one.id for one in here.entries()) == ["one", "two"]


@pytest.mark.slow
def test_a_machine_that_was_away_comes_up_to_what_was_done(lab: Lab) -> None:
    (here, store), (there, other) = lab.machine("a"), lab.machine("b")
    for name in ("kept", "edited", "removed", "deleted"):
        store.write(episode(2, name))
    here.push()
    there.fetch()
    write_tags(lab.root / "a/edited", add=["new"])
    trash_episode(lab.root / "a", "removed")
    here.push()
    compact(SharedCopy(lab.url, lab.root / "c"), delete_after_days=None, advance=lambda _: None)
    shutil.rmtree(lab.root / "b/deleted")  # by hand, in the copy alone
    other.write(episode(1, "mine"))
    there.push()
    assert sorted(ids(other)) == ["deleted", "edited", "kept", "mine"]
    assert read_tags(lab.root / "b/edited") == ("new",)
    there.fetch()
    assert other.read("deleted") == store.read("deleted")


def test_a_machine_that_was_away_needs_nothing_that_was_deleted_meanwhile(lab: Lab) -> None:
    (here, store), (there, other) = lab.machine("a"), lab.machine("b")
    for name in ("one", "two"):
        store.write(episode(2, name))
        here.push()
    there.fetch()
    write_tags(lab.root / "a/one", add=["new"])
    here.push()
    compact(SharedCopy(lab.url, lab.root / "c"), delete_after_days=0, advance=lambda _: None)
    shutil.rmtree(lab.root / "shared/packs")  # nor anything for what was compacted alone
    there.sync()
    assert read_tags(lab.root / "b/one") == ("new",)
    assert ids(other, 'tag("new")') == ["one"]


def test_what_a_broken_network_left_behind_is_brought_up_by_the_next(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here, store), (there, _) = lab.machine("a"), lab.machine("b")
    store.write(episode(2, "one"))
    here.push()
    there.fetch()
    write_tags(lab.root / "a/one", add=["new"])
    here.push()
    with monkeypatch.context() as patch:
        patch.setattr(WorkingCopy, "read_texts", lambda *_: there.place.fetch("no", lab.root / "x"))
        with pytest.raises(RemoteFileError):
            there.sync()
    again, _ = lab.machine("b")
    again.sync()
    assert read_tags(lab.root / "b/one") == ("new",)


def test_a_conflict_is_left_for_the_end_where_it_is_told(lab: Lab) -> None:
    (here, store), (there, other) = lab.machine("a"), lab.machine("b")
    store.write(replace(episode(3, "one"), outcome="success"))
    here.push()
    other.write(replace(episode(2, "one"), outcome="success"))
    there.push(ended=True)  # as the thread does, of whose errors nobody hears
    assert len(other.read("one").steps) == 2
    with pytest.raises(EditConflictError, match="one: another machine has put this id"):
        there.push()


def test_a_file_that_nobody_could_fetch_is_not_put(lab: Lab) -> None:
    here, store = lab.machine("a")
    store.write(episode(2, "one"))
    store.write(episode(2, "two"))
    (lab.root / "a/one/notes (1).txt").touch()
    with pytest.raises(EditConflictError, match=r"1 not put: one: .*notes \(1\)\.txt"):
        here.push()
    assert [one.id for one in here.entries()] == ["two"]


def test_an_episode_that_cannot_be_read_is_named_and_the_others_are_put(lab: Lab) -> None:
    here, store = lab.machine("a")
    store.write(episode(2, "one"))
    here.push()
    store.write(episode(2, "two"))
    (lab.root / "a/one/odd").symlink_to("nowhere")
    with pytest.raises(EditConflictError, match=r"1 not put: one: .*No such file"):
        here.push()
    assert len(here.entries()) == 2
    there, _ = lab.machine("b")
    there.fetch("one")
    write_tags(lab.root / "b/one", add=["new"])
    there.push()
    here.sync()


def test_lines_that_both_have_are_one_though_nothing_is_known_of_before(lab: Lab) -> None:
    (here, store), (there, _) = lab.machine("a"), lab.machine("b")
    store.write(episode(2, "one"))
    write_tags(lab.root / "a/one", add=["first"])
    shutil.copytree(lab.root / "a/one", lab.root / "b/one")
    here.push()
    write_tags(lab.root / "b/one", add=["second"])
    there.push()
    assert read_tags(lab.root / "b/one") == ("first", "second")
    assert len((lab.root / "b/one/tags.jsonl").read_bytes().splitlines()) == 2


def test_a_server_has_what_others_put_while_it_runs(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tapwright.workflows.directories._EVERY_S", 0.01)
    here, store = lab.machine("a")
    with RemoteDirectories(lab.root / "home") as opened:
        directory = opened.open(lab.url)
        store.write(episode(2, "one"))
        here.push()
        until = time.monotonic() + 20
        while not (directory / "one").is_dir() and time.monotonic() < until:
            time.sleep(0.01)
        assert EpisodeStore(directory).read("one") == store.read("one")


def test_what_is_tagged_while_one_works_is_put_though_it_was_put_before(lab: Lab) -> None:
    (here, store), (there, other) = lab.machine("a"), lab.machine("b")
    store.write(episode(2, "one"))
    store.write(episode(2, "two"))
    here.push(ended=True)
    write_tags(lab.root / "a/one", add=["good"])
    here.push(ended=True)
    here.push(ended=True)
    there.sync()
    assert ids(other, 'tag("good")') == ["one"]
    assert len(lab.files("log")) == 2
    before = store.read("two")
    store.save(before, replace(before, instruction="Other"), edit="i")
    here.push(ended=True)
    there.fetch()
    assert other.read("two").instruction == "Other"


def test_what_a_worker_cannot_put_lies_beside_the_store_when_the_worker_is_gone(
    lab: Lab, tmp_path: Path
) -> None:
    here, store = lab.machine("a")
    store.write(episode(2, "one"))
    here.push()
    with open_location(Location(tmp_path, lab.url)) as local:
        EpisodeStore(local.path).write(episode(3, "one"))
        assert local.mirror is not None
        with pytest.raises(EditConflictError, match="another machine has put this id") as met:
            local.mirror.push()
    (aside,) = (lab.root / "shared/aside").iterdir()
    assert f"{lab.url}/aside/{aside.name}/one" in str(met.value)
    assert len(EpisodeStore(aside).read("one").steps) == 3
    told = tapwright("episodes", "copy", str(aside), lab.url, "--same-id", "rename", cwd=lab.root)
    assert told.returncode == 0, told.stderr
    here.sync()
    assert len(here.entries()) == 2


@pytest.mark.slow
def test_small_packs_become_one_and_new_readers_begin_with_a_checkpoint(lab: Lab) -> None:
    here, store = lab.machine("a")
    for number in range(4):
        store.write(episode(2, f"e{number}"))
        here.push()
    trash_episode(lab.root / "a", "e3")
    here.push()
    done = compact(SharedCopy(lab.url, lab.root / "c"), delete_after_days=0, advance=lambda _: None)
    assert done == {"merged": 3, "made": 1, "unused": 8, "deleted": 8}
    assert (len(lab.files("packs")), len(lab.files("texts"))) == (1, 1)
    for name in lab.files("log"):
        (lab.root / "shared/log" / name).unlink()
    there, other = lab.machine("b")
    there.fetch()
    assert [other.read(f"e{number}") == store.read(f"e{number}") for number in range(3)]
    assert ids(other) == ["e0", "e1", "e2"]


def test_a_compaction_with_nothing_to_do_makes_nothing_younger(lab: Lab) -> None:
    here, store = lab.machine("a")
    store.write(episode(1, "one"))
    here.push()
    times = set()
    for _ in range(2):
        compact(SharedCopy(lab.url, lab.root / "c"), delete_after_days=1, advance=lambda _: None)
        (head,) = (lab.root / "shared/checkpoints").glob("*.json")
        times.add(head.stat().st_mtime_ns)
    assert len(times) == 1


@pytest.mark.slow
def test_an_edit_during_a_compaction_stays(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    here, store = lab.machine("a")
    for number in range(3):
        store.write(episode(2, f"e{number}"))
        here.push()
    compacting = SharedCopy(lab.url, lab.root / "c")
    commit = compacting.commit

    def late(entries: list) -> object:  # type: ignore[type-arg]
        write_tags(lab.root / "a/e1", add=["late"])
        here.push()
        return commit(entries)

    monkeypatch.setattr(compacting, "commit", late)
    compact(compacting, delete_after_days=None, advance=lambda _: None)
    there, other = lab.machine("b")
    there.fetch()
    assert ids(other, 'tag("late")') == ["e1"]
    assert len({one.pack for one in there.entries()}) == 2


@pytest.mark.slow
def test_half_a_pack_is_named_and_the_others_are_read(lab: Lab) -> None:
    here, store = lab.machine("a")
    store.write(episode(2, "one"))
    here.push()
    (pack,) = lab.files("packs")
    (lab.root / "shared/packs" / pack / "steps/00000.parquet").unlink()
    store.write(episode(2, "two"))
    here.push()
    there, other = lab.machine("b")
    there.sync()
    with pytest.raises(BrokenPackError, match=rf"packs/{pack}/steps/00000\.parquet"):
        there.fetch("one")
    there.fetch("two")
    assert other.read("two") == store.read("two")


@pytest.mark.parametrize(
    ("field", "value"),
    [("pack", "../../etc"), ("texts", "/etc/passwd"), ("id", ""), ("start", -1), ("other", 1)],
)
def test_a_commit_that_nobody_would_put_is_refused_by_its_name(
    lab: Lab, field: str, value: object
) -> None:
    here, store = lab.machine("a")
    store.write(episode(2, "one"))
    here.push()
    path = lab.root / "shared/log/000000000001.jsonl.zst"
    head, line = zstd.decompress(path.read_bytes()).splitlines()
    path.write_bytes(
        zstd.compress(head + b"\n" + json.dumps(json.loads(line) | {field: value}).encode())
    )
    there, _ = lab.machine("b")
    with pytest.raises(BrokenPackError, match=r"000000000001\.jsonl\.zst: not a commit"):
        there.sync()


def test_only_an_empty_place_becomes_a_shared_store(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there/file").touch()
    with pytest.raises(RemoteFileError, match="has 'file' already"):
        make_shared(Place((tmp_path / "there").as_uri()))


def test_what_is_no_shared_store_is_not_compacted(tmp_path: Path) -> None:
    copy = SharedCopy((tmp_path / "odd").as_uri(), tmp_path / "copy")
    with pytest.raises(NothingFoundError, match="no shared store"):
        compact(copy, delete_after_days=None, advance=lambda _: None)


def name_step(one: RecordedStep) -> tuple[str, int]:
    return one.episode_id, one.number


@pytest.mark.slow
def test_a_stream_has_the_steps_that_are_there_now_and_goes_on_where_it_stopped(
    lab: Lab, tmp_path: Path
) -> None:
    torch_datasets = pytest.importorskip("tapwright.formats.loading.torch_datasets")
    data = pytest.importorskip("torch.utils.data")
    here, store = lab.machine("a")
    for number in range(4):
        store.write(episode(1 + number, f"e{number}"))
    here.push()
    trash_episode(lab.root / "a", "e3")
    before = store.read("e2")
    store.save(before, replace(before, steps=before.steps[:2], outcome="failure"), edit="s")
    here.push()
    expected = {("e0", 0), ("e1", 0), ("e1", 1), ("e2", 0), ("e2", 1)}

    def make(**options: Any) -> Any:
        return torch_datasets.stream(lab.url, convert=name_step, batch_size=2, seed=3, **options)

    stream = make()
    loader = data.DataLoader(stream, batch_size=2, num_workers=2, collate_fn=list)
    whole = [one for batch in loader for one in batch]
    assert set(whole) == expected
    assert len(whole) == 5
    one = make(where='outcome == "failure"').sources[0].read(0)
    assert (one.outcome, one.step.observation.screenshot.size) == ("failure", SIZE)
    resumed = make()
    resumed.load_state_dict(stream.state_dict(samples=2))
    assert list(resumed) == whole[2:]
    ranks = [
        torch_datasets.StepStream(stream.sources, name_step, batch_size=1, rank=rank, ranks=2)
        for rank in range(2)
    ]
    assert set(ranks[0]) | set(ranks[1]) == expected
    EpisodeStore(tmp_path / "other").write(episode(3, "other"))
    mixed = torch_datasets.stream((lab.url, 2.0), tmp_path / "other", batch_size=1)
    counts = Counter(one.episode_id for one in mixed)
    assert counts == {"e0": 2, "e1": 4, "e2": 4, "other": 3}


def name_steps(source: StepSource) -> list[tuple[str, int]]:
    return [name_step(source.read(number)) for number in range(len(source))]


def test_the_steps_of_a_commit_stay_whatever_others_put(lab: Lab, tmp_path: Path) -> None:
    here, store = lab.machine("a")
    store.write(episode(2, "one"))
    here.push()
    for number in range(3):
        store.write(episode(1, f"later-{number}"))
        here.push()
    compact(SharedCopy(lab.url, lab.root / "c"), delete_after_days=None, advance=lambda _: None)
    newest = open_steps(lab.url, cache=tmp_path)
    assert len(newest) == 5
    assert isinstance(newest, SharedSteps)
    assert newest.at == 5
    then = open_steps(lab.url, at=2, cache=tmp_path)
    assert name_steps(then) == name_steps(open_steps(lab.url, at=2, cache=tmp_path))
    assert sorted(name_steps(then)) == [("later-0", 0), ("one", 0), ("one", 1)]
    for at, said in ((9, "no commit 9; expected one from 1 to 5"), (-1, "no commit -1")):
        with pytest.raises(UsageError, match=said):
            open_steps(lab.url, at=at)
    with pytest.raises(UsageError, match="no shared store, so it has no commit 2"):
        open_steps(lab.root / "a", at=2)


@pytest.mark.slow
def test_a_stream_goes_on_with_the_commits_of_its_state_alone(lab: Lab) -> None:
    torch_datasets = pytest.importorskip("tapwright.formats.loading.torch_datasets")
    here, store = lab.machine("a")
    store.write(episode(4, "one"))
    here.push()
    make = partial(torch_datasets.stream, lab.url, convert=name_step, batch_size=2)
    begun = make()
    state = begun.state_dict(samples=1)
    store.write(episode(4, "two"))
    here.push()
    with pytest.raises(UsageError, match="commits") as met:
        make().load_state_dict(state)
    assert "at=state['at']" in met.value.hint
    again = make(at=state["at"])
    again.load_state_dict(state)
    assert list(again) == list(begun)[1:]
    assert len(make(at=1)) == 4
    with pytest.raises(UsageError, match="no location"):
        make(at={"elsewhere": 1})


def test_what_workers_have_put_is_not_recorded_again_though_it_is_not_here(lab: Lab) -> None:
    here, store = lab.machine("a")
    check = When(TreeShows("nothing of this"))
    tasks = [Task(one, "Go", apps=("fake",), check=check, max_steps=1) for one in ("one", "two")]

    def record() -> list[bool]:
        async def play() -> list[bool]:
            pool = DevicePool(FakeDevice, 1)
            with pool:
                played = record_episodes(tasks, agents.get("random"), pool, store.root, config={})
                return [isinstance(one, ItemDone) and one.repeated async for one in played]

        return asyncio.run(play())

    assert record() == [False, False]
    here.push()
    for name in store.ids():
        shutil.rmtree(store.root / name)  # as if a worker had put it
    here.sync()
    assert record() == [True, True]


@pytest.mark.slow
def test_commands_take_a_shared_store_as_any_other(lab: Lab) -> None:
    EpisodeStore(lab.root / "local").write(episode(3, "one"))
    EpisodeStore(lab.root / "local").write(episode(2, "two"))

    def run(machine: str, *words: str) -> str:
        done = tapwright(*words, cwd=lab.root, TAPWRIGHT_STORES=str(lab.root / machine))
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("a", "episodes", "copy", "local", "shared")
    assert run("b", "episodes", "ls", lab.url, "--format", "quiet").split() == ["one", "two"]
    assert "tap at" in run("b", "episodes", "show", "shared", "one")
    run_there = ("eval", "run", "l3", "-m", "random", "--limit", "1", "-o", "shared")
    refused = tapwright(*run_there, cwd=lab.root, TAPWRIGHT_STORES=str(lab.root / "b"))
    assert (refused.returncode, lab.url in refused.stderr) == (2, True)
    missing = tapwright("episodes", "show", "shared", "no", cwd=lab.root, TAPWRIGHT_STORES="b")
    assert (missing.returncode, missing.stderr.count(lab.url)) == (5, 2)
    (copy,) = (lab.root / "b").iterdir()
    assert not (copy / "two").exists()
    run("b", "episodes", "check", lab.url, "--fast", "--where", "steps == 3")
    run("b", "episodes", "edit", lab.url, "one", "0:delete:0:1")
    run("d", "episodes", "edit", lab.url, '1:instruction:"Go"')
    assert json.loads(run("b", "episodes", "ls", lab.url))[1]["instruction"] == "Go"
    run("b", "episodes", "rm", lab.url, "two")
    run("a", "episodes", "compact", lab.url)
    assert json.loads(run("a", "episodes", "show", lab.url, "one"))[0]["reasoning"] == "because 1"
    assert run("a", "episodes", "ls", lab.url, "--format", "quiet").split() == ["one"]
    words = ("--to", "trl", "--convention", "json", "--val-share", "0", "-o", "sft")
    run("c", "sft", "export", lab.url, *words, "--where", "steps == 2")
    assert json.loads((lab.root / "sft/manifest.json").read_bytes())["samples"]["train"] == 2
    play = ("record", "--agent", "random", "--device", "fake", "--task", "contact_company")
    for machine in ("a", "b"):
        run(machine, *play, "-o", lab.url)
    assert len(run("c", "episodes", "ls", lab.url, "--format", "quiet").split()) == 3
    loaded = load(lab.url)
    assert [one.task_id for one in loaded].count("contact_company") == 2
