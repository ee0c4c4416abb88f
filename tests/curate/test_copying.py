"""Copies between stores: all that belongs to an episode, and nothing twice."""

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.curate.copying import CopiedEpisode, SameId, StoreCopier
from tapwright.errors import DiskError, UsageError
from tapwright.store.catalog import Catalog
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import read_tags, write_tags
from tests.store.episodes import episode


@pytest.fixture
def source(tmp_path: Path) -> EpisodeStore:
    store = EpisodeStore(tmp_path / "source")
    for number in range(3):
        store.write(replace(episode(number + 1), id=f"Ep {number}"))
    before = store.read("Ep 1")
    store.save(before, replace(before, instruction="Other words"), edit="instruction")
    directory = store.history("Ep 1").directory
    write_tags(directory, add=["good"])
    (directory / "annotations").mkdir()
    (directory / "annotations" / "rules.jsonl").write_text('{"annotator": "rules"}\n')
    return store


@pytest.fixture
def target(tmp_path: Path) -> EpisodeStore:
    return EpisodeStore(tmp_path / "target")


def copied(
    source: EpisodeStore,
    target: EpisodeStore,
    selection: Selection = EVERYTHING,
    same_id: SameId = "refuse",
) -> list[CopiedEpisode]:
    copier = StoreCopier(target, same_id=same_id)
    return list(copier.copy(copier.plan(source, selection)))


def whats(found: list[CopiedEpisode]) -> list[str]:
    return [one.what for one in found]


def test_versions_tags_and_annotations_come_along(
    source: EpisodeStore, target: EpisodeStore
) -> None:
    assert whats(copied(source, target)) == ["copied"] * 3
    assert target.ids() == source.ids()
    assert [target.read(id_) for id_ in target.ids()] == list(source)
    assert target.read("Ep 1", 1).instruction == "Tap the buttons"
    assert read_tags(target.history("Ep 1").directory) == ("good",)
    [entry] = Catalog(target).select(Selection(where='annotated("rules")'))
    assert entry.id == "Ep 1"


def test_pictures_are_shared_and_what_changes_is_not(
    source: EpisodeStore, target: EpisodeStore
) -> None:
    copied(source, target)
    for path in source.root.rglob("*"):
        name = path.relative_to(source.root)
        if path.is_file() and ".catalog" not in name.parts:
            shared = "frames" in name.parts or "ui" in name.parts
            assert path.samefile(target.root / name) == shared, name
    before = target.read("Ep 0")
    target.save(before, replace(before, instruction="Mine"), edit="instruction")
    write_tags(target.history("Ep 0").directory, add=["mine"])
    assert source.read("Ep 0").instruction == "Tap the buttons"
    assert read_tags(source.history("Ep 0").directory) == ()


def test_where_links_cannot_be_the_files_are_copied(
    source: EpisodeStore, target: EpisodeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: bool) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(os, "link", refuse)
    copier = StoreCopier(target)
    assert whats(list(copier.copy(copier.plan(source, EVERYTHING)))) == ["copied"] * 3
    assert copier.links == 0
    assert [one.steps for one in target] == [one.steps for one in source]


def test_a_filter_copies_a_part(source: EpisodeStore, target: EpisodeStore) -> None:
    assert [one.id for one in copied(source, target, Selection(where="steps > 2"))] == ["Ep 2"]


def test_nothing_is_copied_twice(
    source: EpisodeStore, target: EpisodeStore, tmp_path: Path
) -> None:
    copied(source, target)
    assert whats(copied(source, target)) == ["there"] * 3
    other = EpisodeStore(tmp_path / "other")
    other.write(replace(episode(3), id="another name"))
    assert [(one.what, one.target_id) for one in copied(other, target)] == [("there", "Ep 2")]


def test_another_content_of_the_same_id_is_refused_or_renamed(
    source: EpisodeStore, target: EpisodeStore
) -> None:
    mine = replace(episode(1), id="Ep 1", instruction="Mine")
    target.write(mine)
    found = {one.id: one for one in copied(source, target)}
    assert found["Ep 1"].what == "refused"
    assert "has another episode 'Ep 1'" in str(found["Ep 1"].error)
    assert target.read("Ep 1") == mine
    [renamed] = [one for one in copied(source, target, same_id="rename") if one.what == "copied"]
    assert renamed.target_id == "Ep 1-2"
    there = target.read("Ep 1-2")
    assert replace(there, id="Ep 1") == source.read("Ep 1")
    assert target.undo("Ep 1-2").version == 1
    target.redo("Ep 1-2")
    assert whats(copied(source, target, same_id="rename")) == ["there"] * 3


@pytest.mark.slow
def test_one_that_is_being_recorded_or_broken_is_named_and_the_others_come(
    source: EpisodeStore, target: EpisodeStore
) -> None:
    broken = source.history("Ep 0").directory
    (broken / "steps.jsonl").write_text("broken\n{}\n")
    with source.create(task_id="t", instruction="i", agent="a", device="d", id="live"):
        copier = StoreCopier(target)
        plan = copier.plan(source, EVERYTHING)
        found = {one.id: one.what for one in copier.copy(plan)}
    assert found == {"Ep 1": "copied", "Ep 2": "copied", "live": "refused"}
    assert list(plan.unreadable) == [broken.name]


def test_a_store_is_not_copied_into_itself(source: EpisodeStore) -> None:
    with pytest.raises(UsageError, match="into itself"):
        copied(source, EpisodeStore(source.root / ".." / source.root.name))


def test_a_full_disk_leaves_whole_episodes(
    source: EpisodeStore, target: EpisodeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, done = os.link, []

    def link(*paths: Path, follow_symlinks: bool) -> None:
        done.append(paths)
        if len(done) > 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(*paths, follow_symlinks=follow_symlinks)

    with monkeypatch.context() as full:
        full.setattr(os, "link", link)
        with pytest.raises(DiskError):
            copied(source, target)
    assert [one.id for one in target] == ["Ep 0"]
    assert [path.name for path in target.root.iterdir() if path.name.endswith(".part")] == []
    assert whats(copied(source, target)) == ["there", "copied", "copied"]


def test_two_copies_at_once_give_each_episode_once(
    source: EpisodeStore, target: EpisodeStore
) -> None:
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: copied(source, target), range(2)))
    assert list(target) == list(source)
    assert sum(one.what == "copied" for found in both for one in found) == 3
    assert [path.name for path in target.root.iterdir() if path.name.endswith(".part")] == []


_COPY = """
import sys
from tapwright.curate.copying import StoreCopier
from tapwright.store.selection import EVERYTHING
from tapwright.store.store import EpisodeStore
copier = StoreCopier(EpisodeStore(sys.argv[2]))
for one in copier.copy(copier.plan(EpisodeStore(sys.argv[1]), EVERYTHING)):
    print(one.what, flush=True)
"""


def test_after_a_kill_the_same_copy_goes_on(source: EpisodeStore, target: EpisodeStore) -> None:
    words = [sys.executable, "-c", _COPY, str(source.root), str(target.root)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    there = len(target.ids())
    assert there >= 1
    assert whats(copied(source, target)).count("there") == there
    assert list(target) == list(source)
