"""The first catalog of a large store, which a server has another process make."""

import os
from pathlib import Path
from threading import Event

import pytest

from tapwright.store import catalog as catalog_module
from tapwright.store.catalog import Catalog, CatalogPage
from tapwright.store.filters import EVERY
from tapwright.store.selection import Selection
from tests.store.many import COUNT, make_many, while_reading


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


def test_what_is_changed_while_others_are_read_is_known_after_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, ended = make_many(tmp_path), Event()
    for number in range(COUNT):  # long ago, so that nothing is looked at for being new
        for path in (*(store.root / f"e{number}").iterdir(), store.root / f"e{number}"):
            os.utime(path, (number, number))
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


def test_what_is_not_a_page_waits_until_everything_is_read(tmp_path: Path) -> None:
    store = make_many(tmp_path)
    served = Catalog(store, freshness="served")
    assert len(served.ids(Selection())) == COUNT
    assert first_page(served).unread == 0


def test_a_catalog_that_no_other_process_can_make_is_made_here(tmp_path: Path) -> None:
    store = make_many(tmp_path)
    (store.root / ".catalog").write_text("in the way")  # so that it is in memory
    served = Catalog(store, freshness="served")
    assert (first_page(served).total, served.count()) == (COUNT, COUNT)


def first_page(catalog: Catalog) -> CatalogPage:
    return catalog.overview(Selection(sort="-created"), EVERY, EVERY, 0, 60)
