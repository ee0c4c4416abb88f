"""The catalog of a store: what its episodes say of themselves, in a table that answers at once.

It is a copy, never the truth. Before an answer, the times and sizes of every episode's files are
compared with those that it was read at, and what differs is read again; so it follows writers that
know nothing of it. No picture, tree or state is opened.
"""

import json
import os
import random
import sqlite3
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from tapwright.errors import StoreError
from tapwright.store.catalog_entry import CatalogEntry, EpisodeRow, read_row, stamp_files
from tapwright.store.catalog_file import (
    SELECTED,
    CatalogFile,
    CatalogWarning,
    changing,
    read_entry,
    read_problems,
    remove_rows,
    write_rows,
)
from tapwright.store.filters import COLUMNS, EVERY, Condition, parse_filter
from tapwright.store.lines import wrap_read_errors
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore

__all__ = ["Catalog", "ReadRows"]

_R = TypeVar("_R")

ReadRows: TypeAlias = Callable[[str, Sequence[str]], Iterator[EpisodeRow | None]]
"""Reads the rows of these directories of a store, in their order."""

Known: TypeAlias = dict[str, tuple[int, str]]

_BATCH = 2000
_TOLD = 2000
"""How many episodes are read without a word."""

_LARGE = 5000
"""Above this many episodes not every answer compares every file; see `Catalog`."""

_SHARE = 20
_OPEN_RECORDINGS = 1000


class Catalog:
    """The catalog of one store; any thread may use it.

    A program that asks a store of more than 5000 episodes again and again compares all their files
    for a twentieth of its time: between that, it looks for episodes that are new or gone, for
    recordings that have not ended, and for what `changed` was told.
    """

    def __init__(self, store: EpisodeStore, read_rows: ReadRows | None = None) -> None:
        self.store = store
        self._read_rows = read_rows or _read_here
        self._file = CatalogFile(store.root)
        self._lock = threading.Lock()
        self._compared = (-1e9, 0.0, (0, 0))
        self._size = 0
        self._changed: set[str] = set()
        self._facets: dict[tuple[int, Condition], Mapping[str, Mapping[str, int]]] = {}

    def read(self) -> tuple[list[CatalogEntry], dict[str, StoreError]]:
        """The entries, oldest first; and the error of each unreadable episode, by its directory.

        Removed episodes are in neither.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """
        return self.select(Selection()), self.unreadable()

    def select(self, selection: Selection, also: Condition = EVERY) -> list[CatalogEntry]:
        """The entries of a selection that meet another condition, too; raises as `read` does.

        Raises:
            BadFilterError: the filter or the column of the order cannot be understood.
        """
        return self.page(selection, also, 0, -1)

    def page(
        self, selection: Selection, also: Condition, start: int, count: int
    ) -> list[CatalogEntry]:
        """At most `count` entries of a selection from the one numbered `start`; -1 for all."""
        condition, order = parse_filter(selection.where) & also, selection.order()

        def query(connection: sqlite3.Connection) -> list[CatalogEntry]:
            chosen, limit = condition, -1 if selection.limit is None else selection.limit
            if selection.sample is not None:
                chosen = _sample(connection, condition, selection.sample, selection.seed)
            rows = connection.execute(
                f"SELECT {SELECTED} FROM (SELECT * FROM episodes WHERE {chosen.sql} "
                f"ORDER BY {order} LIMIT ?) LIMIT ? OFFSET ?",
                (*chosen.parameters, limit, count, start),
            )
            return [read_entry(row) for row in rows]

        return self._ask(query)

    def ids(self, selection: Selection, also: Condition = EVERY) -> list[str]:
        """The ids of the entries that `select` returns."""
        return [entry.id for entry in self.select(selection, also)]

    def count(self, condition: Condition = EVERY) -> int:
        """How many episodes meet a condition."""

        def query(connection: sqlite3.Connection) -> int:
            sql = f"SELECT count(*) FROM episodes WHERE {condition.sql}"
            (count,) = connection.execute(sql, condition.parameters).fetchone()
            return int(count)

        return self._ask(query)

    def unreadable(self) -> dict[str, StoreError]:
        """The error of each unreadable episode, by its directory."""
        return self._ask(read_problems)

    def facets(self, condition: Condition = EVERY) -> Mapping[str, Mapping[str, int]]:
        """How many episodes have each task, app, outcome and agent; the most frequent first."""

        def query(connection: sqlite3.Connection) -> Mapping[str, Mapping[str, int]]:
            (changes,) = connection.execute("SELECT count FROM changes").fetchone()
            if (changes, condition) not in self._facets:
                self._facets = {(changes, condition): _count_facets(connection, condition)}
            return self._facets[changes, condition]

        return self._ask(query)

    def tally(
        self, columns: Sequence[str], condition: Condition = EVERY
    ) -> Mapping[tuple[str, ...], int]:
        """How many episodes that meet a condition have the same values in columns of text.

        The columns are named as in a filter; the values come in their order.
        """
        named = ", ".join(COLUMNS[name][0] for name in columns)

        def query(connection: sqlite3.Connection) -> Mapping[tuple[str, ...], int]:
            rows = connection.execute(
                f"SELECT {named}, count(*) FROM episodes WHERE {condition.sql} GROUP BY {named}",
                condition.parameters,
            )
            return {tuple(values): int(count) for *values, count in rows}

        return self._ask(query)

    def changed(self, directory: str) -> None:
        """Say that the episode in a directory has changed, so that the next answer knows it."""
        with self._lock:
            self._changed.add(directory)

    def rebuild(self, advance: Callable[[int], object] = lambda _: None) -> int:
        """Make the catalog again from the episodes; how many directories of episodes were read.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """

        def work(connection: sqlite3.Connection) -> int:
            with changing(connection):  # one in memory cannot be discarded
                connection.execute("DELETE FROM files")
                connection.execute("DELETE FROM episodes")
            return self._compare(connection, advance)

        with self._lock:
            self._file.discard()
            return self._file.use(work)

    def _ask(self, query: Callable[[sqlite3.Connection], _R]) -> _R:
        def work(connection: sqlite3.Connection) -> _R:
            self._refresh(connection)
            return query(connection)

        with self._lock:
            return self._file.use(work)

    def _refresh(self, connection: sqlite3.Connection) -> None:
        begun = time.monotonic()
        at, cost_s, identity = self._compared
        large = self._size > _LARGE and identity == self._file.identity
        if large and begun - at < cost_s * _SHARE:
            self._compare_some(connection)
            return
        self._compare(connection)
        ended = time.monotonic()
        self._compared = ended, ended - begun, self._file.identity

    def _compare(
        self, connection: sqlite3.Connection, advance: Callable[[int], object] = lambda _: None
    ) -> int:
        """Compare every episode's files with what the catalog knows, and read what differs."""
        known: Known = {
            name: (stamp, watched)
            for name, stamp, watched in connection.execute(
                "SELECT directory, stamp, watched FROM files"
            )
        }
        there = self._list()
        self._size = len(there)
        stale = _find_stale(str(self.store.root), there, known)
        if not known and len(stale) > _TOLD:
            warnings.warn(
                f"{self.store.root}: has no catalog yet; it is made of {len(stale)} directories",
                CatalogWarning,
                stacklevel=2,
            )
        return self._update(connection, stale, known.keys() - there.keys(), known, advance)

    def _compare_some(self, connection: sqlite3.Connection) -> None:
        """Look for what is new or gone, and at what is likely to have changed."""
        known = {name for (name,) in connection.execute("SELECT directory FROM files")}
        there = self._list(stat=False).keys()
        likely = {
            name
            for (name,) in connection.execute(
                "SELECT directory FROM episodes WHERE ended = 0 LIMIT ?", (_OPEN_RECORDINGS,)
            )
        }
        suspects = sorted((there - known) | ((likely | self._changed) & there))
        self._update(connection, suspects, known - there, {}, lambda _: None)

    def _update(
        self,
        connection: sqlite3.Connection,
        stale: Sequence[str],
        gone: Iterable[str],
        known: Known,
        advance: Callable[[int], object],
    ) -> int:
        gone, read = list(gone), 0
        if gone:
            with changing(connection):
                remove_rows(connection, gone)
        for start in range(0, len(stale), _BATCH):
            names = stale[start : start + _BATCH]
            rows = list(self._read_rows(str(self.store.root), names))
            found = [row for row in rows if row is not None]
            left = [name for name, row in zip(names, rows, strict=True) if row is None]
            if found or any(name in known for name in left):
                with changing(connection):
                    remove_rows(connection, (name for name in left if name in known))
                    write_rows(connection, found)
            read += len(found)
            advance(len(names))
        self._changed.clear()
        return read

    def _list(self, *, stat: bool = True) -> dict[str, int]:
        """The directories of the store, with the times at which they changed."""
        root = self.store.root
        with wrap_read_errors(root):
            if not root.is_dir():
                return {}
            with os.scandir(root) as entries:
                found = [one for one in entries if one.name[0] != "." and one.is_dir()]
        times: dict[str, int] = {}
        for one in found:
            try:
                times[one.name] = one.stat().st_mtime_ns if stat else 0
            except OSError:
                continue  # gone since
        return times


def _find_stale(root: str, there: Mapping[str, int], known: Known) -> list[str]:
    """The directories whose files are not those that the catalog was made of, in order."""
    stale = []
    for name, changed_ns in there.items():
        before = known.get(name)
        if before is None:
            stale.append(name)
            continue
        stamp, watched = before
        files = json.loads(watched) if watched else ()
        if not stamp or stamp != stamp_files(f"{root}/{name}", changed_ns, files):
            stale.append(name)
    return sorted(stale)


def _read_here(root: str, names: Sequence[str]) -> Iterator[EpisodeRow | None]:
    return (read_row(root, name) for name in names)


def _sample(
    connection: sqlite3.Connection, condition: Condition, count: int, seed: int
) -> Condition:
    """That an episode is one of `count` chosen by chance of those that meet a condition."""
    names = [
        name
        for (name,) in connection.execute(
            f"SELECT directory FROM episodes WHERE {condition.sql} ORDER BY directory",
            condition.parameters,
        )
    ]
    chosen = random.Random(seed).sample(names, min(count, len(names)))
    return Condition("directory IN (SELECT value FROM json_each(?))", (json.dumps(chosen),))


def _count_facets(
    connection: sqlite3.Connection, condition: Condition
) -> Mapping[str, Mapping[str, int]]:
    counts: dict[str, Counter[str]] = {}
    columns = {"task": "task_id", "app": "apps", "outcome": "outcome", "agent": "agent"}
    for facet, column in columns.items():
        counter = counts[facet] = Counter[str]()
        for value, count in connection.execute(
            f"SELECT {column}, count(*) FROM episodes WHERE {condition.sql} GROUP BY {column}",
            condition.parameters,
        ):
            for name in json.loads(value) if facet == "app" else (value,):
                counter[name] += count
    return {
        facet: dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
        for facet, found in counts.items()
    }
