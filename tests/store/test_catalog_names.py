"""What comes to a large store and goes from it, known by notes without a listing."""

import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from tapwright.files.name_watch import watching_names
from tapwright.store import catalog as catalog_module
from tapwright.store import catalog_entry
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_entry import EpisodeRow, read_row
from tapwright.store.store import EpisodeStore
from tapwright.store.trash import list_trash, restore_episode, trash_episode
from tests.store.episodes import episode, step
from tests.store.test_catalog import entries_of, scan


@pytest.fixture(autouse=True)
def every_store_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_module, "_LARGE", -1)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The directories that are listed with their kinds, as a catalog lists a store."""
    names: list[str] = []
    scandir = os.scandir

    def watched(path: str | int) -> object:
        names.append(str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", watched)
    return names


def test_what_tapwright_writes_and_removes_is_known_without_a_listing(
    listed: list[str], tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path / "store")
    store.write(episode(id_="a"))
    trash_episode(store.root, "a")
    (trashed,) = list_trash(store.root)
    restore_episode(store.root, trashed)
    catalog = Catalog(store, freshness="noted")
    assert set(entries_of(catalog)) == {"a"}
    assert set(entries_of(catalog)) == {"a"}
    listed.clear()
    for number in range(5):
        store.write(episode(id_=f"e{number}"))
        assert entries_of(catalog) == scan(store)
    with store.create(task_id="t", instruction="i", agent="a", device="d", id="live") as writer:
        writer.append(step(1))
        assert entries_of(catalog)["live"].steps == 1
        writer.append(step(2))
        assert entries_of(catalog)["live"].steps == 2
    trash_episode(store.root, "a")
    assert "a" not in entries_of(catalog)
    restore_episode(store.root, list_trash(store.root)[0])
    assert "a" in entries_of(catalog)
    assert str(store.root) not in listed


def test_what_a_stranger_makes_between_two_of_ours_is_known(
    listed: list[str], tmp_path: Path
) -> None:
    store, other = EpisodeStore(tmp_path / "store"), EpisodeStore(tmp_path / "other")
    store.write(episode(id_="a"))
    other.write(episode(id_="b"))
    catalog = Catalog(store, freshness="noted")
    entries_of(catalog)
    store.write(episode(id_="c"))
    (other.root / "b").rename(store.root / "b")
    store.write(episode(id_="d"))
    listed.clear()
    assert set(entries_of(catalog)) == {"a", "b", "c", "d"}
    assert str(store.root) in listed


@pytest.mark.slow
def test_what_strangers_move_while_tapwright_writes_is_known(tmp_path: Path) -> None:
    store, other = EpisodeStore(tmp_path / "store"), EpisodeStore(tmp_path / "other")
    store.write(episode(id_="a"))
    count = 40
    for number in range(count):
        other.write(episode(id_=f"s{number}"))
    catalog = Catalog(store, freshness="noted")
    entries_of(catalog)

    def move() -> None:
        for number in range(count):
            (other.root / f"s{number}").rename(store.root / f"s{number}")

    stranger = threading.Thread(target=move)
    stranger.start()
    for number in range(count):
        store.write(episode(id_=f"o{number}"))
        entries_of(catalog)
    stranger.join()
    assert entries_of(catalog) == scan(store)
    assert len(entries_of(catalog)) == 1 + 2 * count


def test_an_episode_that_does_not_change_is_not_read_for_each_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(catalog_entry, "_SETTLED_NS", 10**18)  # nothing settles
    read: list[str] = []

    def read_rows(root: str, names: Sequence[str]) -> Iterable[EpisodeRow]:
        read.extend(names)
        return [row for name in names if (row := read_row(root, name)) is not None]

    store = EpisodeStore(tmp_path)
    catalog = Catalog(store, read_rows, freshness="noted")
    with store.create(task_id="t", instruction="i", agent="a", device="d", id="live") as writer:
        writer.append(step(1))
        assert entries_of(catalog)["live"].steps == 1
        before = len(read)
        for _ in range(5):
            assert entries_of(catalog)["live"].steps == 1
        assert len(read) == before
        writer.append(step(2))
        assert entries_of(catalog)["live"].steps == 2


def test_a_watch_tells_names_of_its_own_time_and_directory(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    with watching_names(tmp_path) as names:
        (tmp_path / "new").mkdir()
        (tmp_path / "before").rename(tmp_path / "after")
        (tmp_path / "new" / "inner").mkdir()
        (tmp_path / "new" / "inner").rmdir()
        assert names() == frozenset(("new", "before", "after"))
        (tmp_path / "new").rmdir()
        assert names() == frozenset(("new",))
    (tmp_path / "late").mkdir()
    with watching_names(tmp_path) as names:
        assert names() == frozenset()
