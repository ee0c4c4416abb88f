"""The first catalog of a large store, which a server has another process make."""

import os
import sqlite3
from pathlib import Path
from threading import Event, Thread

import pytest

from tapwright.store import catalog as catalog_module
from tapwright.store import catalog_follow
from tapwright.store.catalog import Catalog, CatalogPage
from tapwright.store.catalog_entry import read_row
from tapwright.store.catalog_file import CatalogFile, changing
from tapwright.store.catalog_follow import CatalogFollower
from tapwright.store.catalog_rows import write_rows
from tapwright.store.filters import EVERY
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tests.store.many import COUNT, make_many, while_reading


@pytest.mark.slow
@pytest.mark.parametrize("count", [COUNT, 1400])  # 500 of them were read: many are left, and few
def test_a_server_lists_the_newest_episodes_while_the_others_are_read(
    count: int, tmp_path: Path
) -> None:
    store = make_many(tmp_path, count)
    served = Catalog(store, freshness="served")
    seen: list[CatalogPage] = []

    def look() -> None:
        if not seen:
            seen.append(first_page(served))

    while_reading(store, look)
    (page,) = seen
    assert [entry.id for entry in page.entries] == [f"e{count - 1 - n}" for n in range(60)]
    assert (page.found, page.total, page.unread) == (500, 500, count - 500)
    assert served.count() == count  # this waits for the rest
    whole = first_page(served)
    assert (whole.found, whole.total, whole.unread) == (count, count, 0)


@pytest.mark.slow
def test_what_is_changed_while_others_are_read_is_known_after_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, ended = make_many(tmp_path), Event()
    leave_at_rest(store)
    monkeypatch.setattr(catalog_module, "_LARGE", -1)
    # A process that takes longer than all else here.
    monkeypatch.setattr(catalog_module, "run_apart", lambda *_: ended.wait(120))
    served, header = Catalog(store, freshness="served"), store.root / "e1599/episode.json"

    def look() -> None:
        if "another" not in header.read_text():
            assert first_page(served).unread
            header.write_text(header.read_text().replace("Tap the buttons", "another"))
            served.changed("e1599")
            assert first_page(served).unread

    while_reading(store, look)
    try:
        assert [entry.instruction for entry in first_page(served).entries[:2]] == [
            "another",
            "Tap the buttons",
        ]
    finally:
        ended.set()


@pytest.mark.slow
def test_another_program_writes_while_a_store_is_read_and_nothing_is_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_many(tmp_path)
    leave_at_rest(store)
    counts: list[int] = []
    found_by_other: list[int] = []

    def other(connection: sqlite3.Connection) -> None:
        with changing(connection):
            found_by_other.append(CatalogFollower(store.root, notes=True).count_known(connection))
            write_rows(connection, [row for row in [read_row(str(store.root), "e0")] if row])

    writer = Thread(target=lambda: CatalogFile(store.root).use(other))

    def advance(count: int) -> None:
        counts.append(count)
        if len(counts) == 2:  # 500 are read, and 1,000 more are, which are not yet written
            writer.start()

    # However long it takes until the writer has its turn.
    monkeypatch.setattr(catalog_follow, "sleep", lambda _: writer.join(120))
    CatalogFile(store.root).use(
        lambda connection: CatalogFollower(store.root, notes=True).renew(connection, advance)
    )
    writer.join()
    assert found_by_other == [1500]
    assert sum(counts) == COUNT - 1
    assert Catalog(store).count() == COUNT


@pytest.mark.slow
def test_what_is_not_a_page_waits_until_everything_is_read(tmp_path: Path) -> None:
    store = make_many(tmp_path)
    served = Catalog(store, freshness="served")
    assert len(served.ids(Selection())) == COUNT
    assert first_page(served).unread == 0


@pytest.mark.slow
def test_a_catalog_that_no_other_process_can_make_is_made_here(tmp_path: Path) -> None:
    store = make_many(tmp_path)
    (store.root / ".catalog").write_text("in the way")  # so that it is in memory
    served = Catalog(store, freshness="served")
    assert (first_page(served).total, served.count()) == (COUNT, COUNT)


def leave_at_rest(store: EpisodeStore) -> None:
    """As if all was written long ago, so that nothing is looked at for being new."""
    for number in range(COUNT):
        for path in (*(store.root / f"e{number}").iterdir(), store.root / f"e{number}"):
            os.utime(path, (number, number))


def first_page(catalog: Catalog) -> CatalogPage:
    return catalog.overview(Selection(sort="-created"), EVERY, EVERY, 0, 60)
