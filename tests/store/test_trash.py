"""The trash: an episode is in the store or in the trash, and comes back as it was."""

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.errors import DiskError
from tapwright.store.catalog import Catalog
from tapwright.store.errors import EditConflictError, EpisodeExistsError, EpisodeMissingError
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import read_tags, write_tags
from tapwright.store.trash import delete_trashed, list_trash, restore_episode, trash_episode
from tests.store.episodes import episode


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    opened = EpisodeStore(tmp_path / "store")
    for number in range(3):
        opened.write(replace(episode(2), id=f"Ep {number}"))
    return opened


def test_what_comes_back_is_what_went(store: EpisodeStore) -> None:
    before = store.read("Ep 1")
    store.save(before, replace(before, instruction="Other"), edit="instruction")
    write_tags(store.history("Ep 1").directory, add=["good"])
    edited = store.read("Ep 1")
    gone = trash_episode(store.root, "Ep 1", reason="slow", removal="r")
    assert Catalog(store).count() == 2
    assert "Ep 1" not in store
    assert [(one.id, one.reason, one.removal) for one in list_trash(store.root)] == [
        ("Ep 1", "slow", "r")
    ]
    restore_episode(store.root, gone)
    assert store.read("Ep 1") == edited
    assert read_tags(store.history("Ep 1").directory) == ("good",)
    assert list_trash(store.root) == []
    assert Catalog(store).count() == 3


def test_an_id_in_the_trash_is_free_and_nothing_is_overwritten(store: EpisodeStore) -> None:
    gone = trash_episode(store.root, "Ep 1")
    again = replace(episode(1), id="Ep 1")
    store.write(again)
    with pytest.raises(EpisodeExistsError, match="by now"):
        restore_episode(store.root, gone)
    assert store.read("Ep 1") == again
    trash_episode(store.root, "Ep 1")
    assert [one.id for one in list_trash(store.root)] == ["Ep 1", "Ep 1"]
    restore_episode(store.root, gone)
    assert len(store.read("Ep 1").steps) == 2


@pytest.mark.slow
def test_one_that_is_being_recorded_stays(store: EpisodeStore) -> None:
    with store.create(task_id="t", instruction="i", agent="a", device="d", id="live") as writer:
        with pytest.raises(EditConflictError):
            trash_episode(store.root, "live")
        writer.finish("success")
    trash_episode(store.root, "live")
    assert "live" not in store


def test_one_that_cannot_be_read_goes_by_the_name_of_its_directory(store: EpisodeStore) -> None:
    directory = store.history("Ep 2").directory
    (directory / "episode.json").write_text("{")
    gone = trash_episode(store.root, directory.name)
    assert not directory.exists()
    restore_episode(store.root, gone)
    assert (directory / "episode.json").read_text() == "{"


@pytest.mark.parametrize("id_", ["missing", ".trash", "../store", "."])
def test_what_is_no_episode_is_not_moved(store: EpisodeStore, id_: str) -> None:
    with pytest.raises(EpisodeMissingError):
        trash_episode(store.root, id_)
    assert len(store.ids()) == 3


def test_what_is_deleted_is_gone(store: EpisodeStore) -> None:
    gone = trash_episode(store.root, "Ep 0")
    delete_trashed(store.root, gone)
    delete_trashed(store.root, gone)
    assert list_trash(store.root) == []
    with pytest.raises(EpisodeMissingError, match="not in the trash"):
        restore_episode(store.root, gone)


def test_a_full_disk_leaves_it_in_the_store(
    store: EpisodeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", refuse)
        with pytest.raises(DiskError):
            trash_episode(store.root, "Ep 0")
    assert len(store.ids()) == 3
    assert list_trash(store.root) == []


_MOVER = """
import sys
from pathlib import Path
from tapwright.store.trash import list_trash, restore_episode, trash_episode
root = Path(sys.argv[1])
print("begun", flush=True)
while True:
    trash_episode(root, "Ep 0")
    [gone] = list_trash(root)
    restore_episode(root, gone)
"""


def test_a_kill_at_any_moment_leaves_it_in_one_place(store: EpisodeStore) -> None:
    before = store.read("Ep 0")
    with subprocess.Popen([sys.executable, "-c", _MOVER, str(store.root)], stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    found = list_trash(store.root)
    assert ("Ep 0" in store) == (not found)
    for gone in found:
        restore_episode(store.root, gone)
    assert store.read("Ep 0") == before
