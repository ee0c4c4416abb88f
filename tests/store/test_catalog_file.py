"""The catalog's file, which several programs open, find broken and delete."""

import os
import sqlite3
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest

from tapwright.errors import DiskError
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_file import CatalogFile, CatalogWarning
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode
from tests.store.test_catalog import entries_of, make_torn, scan


def file_of(root: Path) -> Path:
    return root / ".catalog" / "catalog.sqlite"


@pytest.mark.slow
def test_many_that_find_a_torn_file_at_once_make_one_new(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for number in range(40):
        store.write(episode(id_=f"e{number}"))
    expected = scan(store)
    for _ in range(5):
        catalogs = [Catalog(store) for _ in range(4)]
        entries_of(catalogs[0])  # one has it open already
        make_torn(file_of(tmp_path))
        found: list[object] = []
        begin = threading.Barrier(len(catalogs))

        def ask(catalog: Catalog, begin: threading.Barrier, found: list[object]) -> None:
            begin.wait()
            found.append(entries_of(catalog))

        threads = [threading.Thread(target=ask, args=(one, begin, found)) for one in catalogs]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CatalogWarning)
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert found == [expected] * len(catalogs)
        with sqlite3.connect(file_of(tmp_path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()


FORKED = """
import os, sys
from pathlib import Path
from tapwright.store.catalog import Catalog
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode

store = EpisodeStore(Path(sys.argv[1]))
store.write(episode(id_="a"))
catalog = Catalog(store)
assert catalog.count() == 1
child = os.fork()
if child == 0:
    store.write(episode(id_="b"))
    os._exit(0 if catalog.count() == 2 else 9)
_, status = os.waitpid(child, 0)
assert status == 0, status
store.write(episode(id_="c"))
assert catalog.count() == 3
"""


def test_a_fork_and_its_parent_both_use_the_catalog(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", FORKED, str(tmp_path / "store")], cwd=root, check=True)
    assert len(entries_of(Catalog(EpisodeStore(tmp_path / "store")))) == 3


def test_a_file_that_stays_open_is_left_for_the_one_at_its_path(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    first, second = Catalog(store), Catalog(store)
    assert entries_of(first) == entries_of(second) == scan(store)
    second.rebuild()
    store.write(episode(id_="b"))
    assert entries_of(second) == scan(store)
    assert entries_of(first) == scan(store)
    with sqlite3.connect(file_of(tmp_path)) as connection:
        assert connection.execute("SELECT count(*) FROM episodes").fetchone() == (2,)
    connection.close()


def test_a_catalog_without_its_log_is_told_or_right(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for number in range(20):
        store.write(episode(id_=f"e{number}"))
    catalog = Catalog(store)
    entries_of(catalog)
    for ending in ("-wal", "-shm"):
        Path(f"{file_of(tmp_path)}{ending}").unlink(missing_ok=True)
    store.write(episode(id_="late"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CatalogWarning)
        assert entries_of(Catalog(store)) == scan(store)
        assert entries_of(catalog) == scan(store)
        assert entries_of(Catalog(store)) == scan(store)


def test_a_catalog_that_cannot_be_deleted_is_told(tmp_path: Path) -> None:
    EpisodeStore(tmp_path).write(episode(id_="a"))
    (tmp_path / ".catalog").write_text("a file where the directory should be")
    with pytest.raises(DiskError, match="catalog"):
        CatalogFile(tmp_path).discard()


def test_a_file_is_closed_when_nobody_needs_it(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    entries_of(Catalog(store))
    held = {os.path.realpath(f"/proc/self/fd/{one}") for one in os.listdir("/proc/self/fd")}
    assert str(file_of(tmp_path)) not in held


def test_a_folder_that_is_no_store_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/data.json").write_text("{}")
    catalog = Catalog(EpisodeStore(tmp_path))
    assert catalog.read() == ([], {})
    assert sorted(one.name for one in tmp_path.iterdir()) == ["theirs"]
    catalog.store.write(episode(id_="a"))
    assert entries_of(catalog).keys() == {"a"}
    assert file_of(tmp_path).exists()
