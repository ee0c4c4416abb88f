"""A catalog of a large store, which follows notes and the store's directory."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.annotate.review import Review, write_review
from tapwright.store import catalog as catalog_module
from tapwright.store import catalog_follow
from tapwright.store import changes as changes_module
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_entry import EpisodeRow, read_row
from tapwright.store.catalog_file import CatalogWarning
from tapwright.store.changes import noting_change, read_changes, shorten_changes
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import write_tags
from tests.store.episodes import episode
from tests.store.test_catalog import CHANGES, apply, entries_of, scan


@pytest.fixture(autouse=True)
def every_store_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_module, "_LARGE", -1)


OURS = CHANGES.map(
    lambda changes: [
        ("swap" if change in ("torn", "replace") else change, id_) for change, id_ in changes
    ]
)


@settings(max_examples=12, deadline=None)
@given(changes=OURS, settled=st.booleans())
def test_what_tapwright_changes_and_what_comes_and_goes_is_known_at_once(
    changes: list[tuple[str, str]], settled: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        if settled:  # each change of the store's directory has a time of its own
            patch.setattr(catalog_follow, "_SETTLED_NS", -(10**18))
        change_and_ask(home, changes)


def change_and_ask(home: Path, changes: list[tuple[str, str]]) -> None:
    store = EpisodeStore(home / "store")
    catalog = Catalog(store, freshness="noted")
    for number, (change, id_) in enumerate(changes):
        if change == "swap":
            swap(store, home / f"new{number}", id_)
        else:
            apply(store, change, id_)
        if store.root.is_dir():
            os.utime(store.root, (number, number))
        expected = scan(store) if store.root.is_dir() else {}
        assert entries_of(catalog) == expected
        assert entries_of(Catalog(store, freshness="noted")) == expected


def swap(store: EpisodeStore, beside: Path, id_: str) -> None:
    """Put another episode in the place of one, as a program that knows nothing of catalogs."""
    EpisodeStore(beside).write(replace(episode(id_=id_), instruction=str(beside)))
    if (store.root / id_).exists():
        shutil.rmtree(store.root / id_)
    store.root.mkdir(exist_ok=True)
    (beside / id_).rename(store.root / id_)


def test_what_a_stranger_changes_in_place_is_found_when_all_is_compared(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    os.utime(tmp_path / "a" / "episode.json", (9, 9))
    catalog = Catalog(store, freshness="noted")
    entries_of(catalog)
    header = tmp_path / "a" / "episode.json"
    header.write_text(header.read_text().replace('"agent":"', '"agent":"other'))
    assert entries_of(Catalog(store)) == scan(store)
    assert entries_of(catalog) == scan(store)


def test_an_annotated_and_reviewed_episode_is_known_at_once(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    catalog = Catalog(store, freshness="noted")
    assert entries_of(catalog)["a"].reviewed == 0
    write_review(
        tmp_path / "a", "anna", Review(step=0, frame="f", state="accept", who="r", time="")
    )
    assert entries_of(catalog)["a"].reviewed == 1


KILLED = """
import os, sys
from pathlib import Path
from tapwright.store.changes import noting_change
directory = Path(sys.argv[1])
with noting_change(directory):
    with (directory / "tags.jsonl").open("w") as file:
        file.write('{"add": ["bad"]}\\n')
    os._exit(9)
"""


def test_what_a_killed_writer_changed_is_known(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    catalog = Catalog(store, freshness="noted")
    assert entries_of(catalog)["a"].tags == ()
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a")], check=False)
    assert ended.returncode == 9
    assert entries_of(catalog)["a"].tags == ("bad",)
    assert entries_of(Catalog(store, freshness="noted"))["a"].tags == ("bad",)


def remove(log: Path) -> None:
    log.unlink()


def cut(log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-5])


def put_back(log: Path) -> None:
    data = log.read_bytes()
    log.unlink()
    log.write_bytes(data[: data.index(b"\n") + 1])


def spoil(log: Path) -> None:
    with log.open("ab") as file:
        file.write(b"\xff no note\n")


@pytest.mark.parametrize("harm", [remove, cut, put_back, spoil])
def test_without_its_notes_all_is_compared(harm: Callable[[Path], None], tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    catalog = Catalog(store, freshness="noted")
    entries_of(catalog)
    write_tags(tmp_path / "a", add=["good"])
    entries_of(catalog)
    write_tags(tmp_path / "a", add=["bad"])
    harm(tmp_path / ".catalog" / "changes.log")
    assert entries_of(catalog)["a"].tags == ("bad", "good")
    write_tags(tmp_path / "a", add=["late"])
    assert entries_of(catalog)["a"].tags == ("bad", "good", "late")


def test_a_copied_store_with_its_catalog_is_compared(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "one")
    store.write(episode(id_="a"))
    entries_of(Catalog(store))
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    (tmp_path / "two" / "a" / "tags.jsonl").write_text('{"add": ["bad"]}\n')
    copied = EpisodeStore(tmp_path / "two")
    assert entries_of(Catalog(copied, freshness="noted"))["a"].tags == ("bad",)


def test_an_episode_that_is_copied_bit_by_bit_is_known_when_it_is_there(tmp_path: Path) -> None:
    store, other = EpisodeStore(tmp_path / "one"), EpisodeStore(tmp_path / "two")
    store.write(episode(id_="a"))
    other.write(episode(id_="b"))
    catalog = Catalog(other, freshness="noted")
    (tmp_path / "two" / "a").mkdir()
    assert set(entries_of(catalog)) == {"b"}
    for name in ("episode.json", "steps.jsonl"):
        shutil.copy(tmp_path / "one" / "a" / name, tmp_path / "two" / "a" / name)
        assert set(catalog.unreadable()) == ({"a"} if name == "episode.json" else set())
    assert set(entries_of(catalog)) == {"a", "b"}


def test_a_long_log_that_was_read_is_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes_module, "_LONG", 1000)
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    catalogs = [Catalog(store, freshness="noted") for _ in range(2)]
    log = tmp_path / ".catalog" / "changes.log"
    longest = 0
    for number in range(30):
        write_tags(tmp_path / "a", add=[f"tag{number}"])
        assert len(entries_of(catalogs[number % 2])["a"].tags) == number + 1
        longest = max(longest, log.stat().st_size)
    assert longest < 2000


def test_a_log_that_grew_is_not_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes_module, "_LONG", 0)
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    entries_of(Catalog(store))
    found = read_changes(tmp_path, None, {})
    assert found is not None
    write_tags(tmp_path / "a", add=["bad"])
    assert shorten_changes(tmp_path, found.mark) == found.mark
    left = read_changes(tmp_path, found.mark, {})
    assert left is not None
    assert left.names == {"a"}


def test_a_change_that_has_begun_is_open_until_it_ends(tmp_path: Path) -> None:
    EpisodeStore(tmp_path).write(episode(id_="a"))
    entries_of(Catalog(EpisodeStore(tmp_path)))
    with noting_change(tmp_path / "a"):
        begun = read_changes(tmp_path, None, {})
        assert begun is not None
        assert list(begun.open.values()) == ["a"]
    ended = read_changes(tmp_path, begun.mark, begun.open)
    assert ended is not None
    assert not ended.open


def test_a_store_without_a_catalog_gets_no_notes(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    write_tags(tmp_path / "a", add=["bad"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


def test_a_served_catalog_finds_in_the_end_what_a_stranger_changed_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_module, "_PAUSE_S", 0.0)
    monkeypatch.setattr(catalog_module, "_SHARE", 0)
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    catalog = Catalog(store, freshness="served")
    entries_of(catalog)
    (tmp_path / "a" / "tags.jsonl").write_text('{"add": ["bad"]}\n')
    until_s = time.monotonic() + 60
    while entries_of(catalog)["a"].tags != ("bad",):
        assert time.monotonic() < until_s


def test_a_catalog_that_took_long_to_make_is_compared_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_module, "_LARGE", 5000)
    monkeypatch.setattr(catalog_module, "_SHARE", 1_000_000)
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    catalog = Catalog(store, freshness="served")
    entries_of(catalog)
    (tmp_path / "a" / "tags.jsonl").write_text('{"add": ["bad"]}\n')
    assert entries_of(catalog)["a"].tags == ("bad",)


def test_a_store_that_was_copied_as_hard_links_can_be_changed_and_so_can_its_copy(
    tmp_path: Path,
) -> None:
    store, other = EpisodeStore(tmp_path / "one"), EpisodeStore(tmp_path / "two")
    store.write(episode(id_="a"))
    served = Catalog(store, freshness="noted")
    entries_of(served)
    shutil.copytree(store.root, other.root, copy_function=os.link)
    for one, tag in ((store, "here"), (other, "there")):
        write_tags(one.root / "a", add=[tag])
        one.write(episode(id_=f"new-{tag}"))
    with pytest.warns(CatalogWarning, match="cp -al"):
        found = entries_of(Catalog(other, freshness="noted"))
    assert {name: one.tags for name, one in found.items()} == {"a": ("there",), "new-there": ()}
    found = entries_of(served)
    assert {name: one.tags for name, one in found.items()} == {"a": ("here",), "new-here": ()}
    for name in (".catalog/catalog.sqlite", ".catalog/changes.log"):
        assert (store.root / name).stat().st_nlink == (other.root / name).stat().st_nlink == 1


def test_a_served_catalog_reads_what_was_just_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_module, "_LARGE", 5000)
    monkeypatch.setattr(catalog_module, "_SHARE", 1_000_000)
    read: list[str] = []

    def reading(root: str, names: Sequence[str]) -> Iterable[EpisodeRow]:
        read.extend(names)
        return [row for name in names if (row := read_row(root, name)) is not None]

    store = EpisodeStore(tmp_path)
    catalog = Catalog(store, reading, freshness="served")
    store.write(episode(id_="a"))
    entries_of(catalog)
    first = len(read)
    for _ in range(5):
        entries_of(catalog)
    write_tags(tmp_path / "a", add=["bad"])
    assert entries_of(catalog)["a"].tags == ("bad",)
    assert len(read) <= first + 2
