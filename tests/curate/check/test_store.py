"""Checks of many episodes: fast ones, and those that are remembered."""

import os
from pathlib import Path

import pytest

from tapwright.curate.check.store import check_episodes, list_checked
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    """Two episodes that were written long ago."""
    made = EpisodeStore(tmp_path)
    for id_ in "ab":
        made.write(episode(id_=id_))
    for path in [*tmp_path.rglob("*")]:
        os.utime(path, (1_000_000, 1_000_000))
    return made


def kinds(store: EpisodeStore, *, fast: bool = False, again: bool = False) -> set[tuple[str, str]]:
    ids, _ = list_checked(store)
    found = check_episodes(store, ids, fast=fast, again=again)
    return {(one.episode, one.kind) for one in found if one.severity == "error"}


def frame_of(store: EpisodeStore, id_: str) -> Path:
    return next((store.root / id_ / "frames").iterdir())


def alter(path: Path) -> None:
    """Change a byte as a failing disk does: neither size nor time nor inode are others."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"?")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_what_was_checked_is_not_checked_again_but_for_again(store: EpisodeStore) -> None:
    assert kinds(store) == set()
    alter(frame_of(store, "a"))
    assert kinds(store) == set()
    assert kinds(store, again=True) == {("a", "hash")}
    assert kinds(store) == {("a", "hash")}


def test_what_has_changed_is_checked_again(store: EpisodeStore) -> None:
    assert kinds(store) == set()
    alter(frame_of(store, "a"))
    os.utime(frame_of(store, "a"), (2_000_000, 2_000_000))
    assert kinds(store) == {("a", "hash")}


def test_a_fast_check_opens_no_file_and_finds_what_is_not_there(store: EpisodeStore) -> None:
    alter(frame_of(store, "a"))
    assert kinds(store, fast=True) == set()
    frame_of(store, "a").write_bytes(b"")
    frame_of(store, "b").unlink()
    assert kinds(store, fast=True) == {("a", "missing"), ("b", "missing")}


def test_a_fast_check_is_none_of_every_byte_but_the_other_way_round(store: EpisodeStore) -> None:
    alter(frame_of(store, "a"))
    assert kinds(store, fast=True) == set()
    assert kinds(store) == {("a", "hash")}
    assert kinds(store, fast=True) == {("a", "hash")}


def test_an_episode_whose_lines_are_broken_is_checked_all_the_same(store: EpisodeStore) -> None:
    lines = store.root / "a" / "steps.jsonl"
    lines.write_bytes(b"no step\n" + lines.read_bytes())
    assert ("a", "line") in kinds(store, fast=True)


def test_memory_that_is_no_data_base_is_made_again(store: EpisodeStore) -> None:
    assert kinds(store) == set()
    memory = store.root / ".catalog" / "checks.sqlite"
    memory.write_bytes(b"no data base at all, but a text that is long enough to be one" * 9)
    assert kinds(store) == set()
    alter(frame_of(store, "a"))
    assert kinds(store) == set()


def test_a_store_without_room_for_memory_is_checked(store: EpisodeStore) -> None:
    (store.root / ".catalog").write_text("a file")
    alter(frame_of(store, "a"))
    assert kinds(store) == {("a", "hash")}
