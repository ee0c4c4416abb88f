"""The catalog of a store: what its episodes say of themselves, in a table that answers at once.

It is a copy, never the truth: before an answer it is brought up to date, as `catalog_follow` says.
No picture, tree or state is opened.
"""

import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from math import inf
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from tapwright.errors import StoreError
from tapwright.jobs.processes import run_apart
from tapwright.store.catalog_entry import CatalogEntry
from tapwright.store.catalog_file import CatalogFile, CatalogWarning, changing, is_changed_elsewhere
from tapwright.store.catalog_follow import Advance, CatalogFollower, ReadRows
from tapwright.store.catalog_queries import count_facets, count_rows, make_query
from tapwright.store.catalog_rows import read_entry, read_problems
from tapwright.store.catalog_stale import has_episodes
from tapwright.store.filters import COLUMNS, EVERY, Condition, parse_filter
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore

__all__ = ["Catalog", "CatalogPage", "Freshness"]

_R = TypeVar("_R")

Freshness: TypeAlias = Literal["whole", "noted", "served"]

_LARGE = 5000
"""Above this many episodes not every answer compares every file; see `Catalog`."""

_MANY = 1000
"""While its catalog is begun, a server has more unread directories than this read elsewhere."""

_POLL_S = 0.05
_SHARE = 20
_PAUSE_S = 30.0
_MOST_KEPT = 50


@dataclass(frozen=True, slots=True)
class CatalogPage:
    """Some entries of a selection; how many it has, and how many there are to select from.

    `unread` directories of the store have yet to be read, and are in no count. `unreadable` has the
    errors of episodes, by their directories.
    """

    entries: list[CatalogEntry]
    found: int
    total: int
    unread: int
    unreadable: dict[str, StoreError]


class Catalog:
    """The catalog of one store; any thread may use it.

    With up to 5000 episodes every answer compares the files of all; one that is "served" does so in
    a twentieth of the time at most. With more, `freshness` says when that is done, beside following
    what tapwright itself changed: for the first answer ("whole"), never ("noted"), or by a thread,
    half a minute after it was done last ("served").

    When "served" another process makes a catalog that is not whole, the newest episodes first, if
    more than 1000 are unread or another program reads them. Every answer waits for it, but for
    an `overview`, which says what is missing.
    """

    def __init__(
        self,
        store: EpisodeStore,
        read_rows: ReadRows | None = None,
        *,
        freshness: Freshness = "whole",
    ) -> None:
        self.store = store
        self._read_rows = read_rows
        self._freshness = freshness
        self._file = CatalogFile(store.root, of=has_episodes)
        self._lock = threading.Lock()
        self._compared_s: tuple[float, float] | None = None
        self._comparing = threading.Lock()
        self._compared = threading.Event()
        self._there = self._unread = 0
        self._begun_with: int | None = None
        self._changed: set[str] = set()
        self._kept: tuple[int, dict[Hashable, Any]] = 0, {}

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
            UsageError: the filter or the column of the order cannot be understood.
        """
        return self.page(selection, also, 0, -1)

    def page(
        self, selection: Selection, also: Condition, start: int, count: int
    ) -> list[CatalogEntry]:
        """At most `count` entries of a selection from the one numbered `start`; -1 for all."""
        return list(map(read_entry, self._ask(make_query(selection, also, start, count))))

    def overview(
        self, selection: Selection, also: Condition, visible: Condition, start: int, count: int
    ) -> CatalogPage:
        """What `page` returns for the episodes that meet `visible`, with all counts of them.

        While the store is read for the first time these are the episodes that have been read.
        """
        entries = make_query(selection, also & visible, start, count)
        found = parse_filter(selection.where) & also & visible

        def query(connection: sqlite3.Connection) -> CatalogPage:
            return CatalogPage(
                entries=list(map(read_entry, entries(connection))),
                found=count_rows(connection, found),
                total=count_rows(connection, visible),
                unread=self._unread,
                unreadable=read_problems(connection),
            )

        asked = "page", selection, also, visible, start, count
        return self._ask(lambda one: self._keep((asked, self._unread), query, one), partly=True)

    def ids(self, selection: Selection, also: Condition = EVERY) -> list[str]:
        """The ids of the entries that `select` returns."""
        return [str(id_) for (id_,) in self._ask(make_query(selection, also, 0, -1, "id"))]

    def same_actions(self) -> list[list[tuple[str, bytes]]]:
        """The episodes whose actions are the same, a list for each; those without steps are none.

        An episode is its id, and the SHA-256 of its steps' pictures one after the other. The oldest
        is the first of its list, and the list of the oldest comes first.
        """

        def query(connection: sqlite3.Connection) -> list[tuple[str, str, str, bytes]]:
            return connection.execute(
                "SELECT actions, created, id, frames FROM episodes WHERE actions IN (SELECT "
                "actions FROM episodes WHERE steps > 0 GROUP BY actions HAVING count(*) > 1) "
                "ORDER BY actions, created, id"
            ).fetchall()

        found = [list(rows) for _, rows in groupby(self._ask(query), key=lambda row: row[0])]
        found.sort(key=lambda rows: rows[0][1:3])
        return [[(id_, frames) for _, _, id_, frames in rows] for rows in found]

    def action_rows(self) -> list[tuple[str, str, str, bytes]]:
        """Each episode with steps: a hash of its actions, its time, its id, and its pictures.

        The same actions have the same hash in every store; pictures are as in `same_actions`.
        """
        return self._ask(
            lambda connection: connection.execute(
                "SELECT actions, created, id, frames FROM episodes WHERE steps > 0"
            ).fetchall()
        )

    def count(self, condition: Condition = EVERY) -> int:
        """How many episodes meet a condition."""
        return self._ask(lambda connection: count_rows(connection, condition))

    def unreadable(self) -> dict[str, StoreError]:
        """The error of each unreadable episode, by its directory."""
        return self._ask(read_problems)

    def facets(self, condition: Condition = EVERY) -> Mapping[str, Mapping[str, int]]:
        """How many episodes have each task, app, outcome and agent; the most frequent first."""

        def query(connection: sqlite3.Connection) -> Mapping[str, Mapping[str, int]]:
            return count_facets(connection, condition)

        return self._ask(lambda one: self._keep(("facets", condition), query, one))

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

    def rebuild(self, advance: Advance = lambda _: None) -> None:
        """Make the catalog again from the episodes.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """

        def work(connection: sqlite3.Connection) -> None:
            with changing(connection):  # one in memory cannot be discarded
                for table in ("files", "episodes"):
                    connection.execute(f"DELETE FROM {table}")
                connection.execute("UPDATE state SET text = ''")
            self._follower(connection).renew(connection, advance)

        with self._lock:
            self._file.discard()
            self._file.use(work)

    def compare(self) -> None:
        """Compare the files of all episodes with the catalog's file, however many there are.

        One in memory is left as it is.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """

        def work(connection: sqlite3.Connection) -> None:
            if self._file.is_in_memory(connection):
                return  # this would be for nobody but itself
            follower = self._follower(connection)
            if follower.follow(connection):
                follower.compare(connection)
            else:
                follower.renew(connection)

        self._file.use(work)

    def _ask(self, query: Callable[[sqlite3.Connection], _R], *, partly: bool = False) -> _R:
        """What a query says when the catalog is whole, or if `partly` has anything in it."""

        def work(connection: sqlite3.Connection) -> tuple[_R] | None:
            self._refresh(connection)
            if self._unread and not (partly and self._unread < self._there):
                return None
            return (query(connection),)

        while True:
            with self._lock:
                found = self._file.use(work)
            if found is not None:
                return found[0]
            self._compared.wait(_POLL_S if partly else None)

    def _refresh(self, connection: sqlite3.Connection) -> None:
        follower = self._follower(connection)
        whole = not follower.follow(connection, self._changed)
        if whole:
            self._unread = self._count_unread(connection, follower)
        else:
            self._unread, self._begun_with = 0, None
        if self._unread:
            return
        self._changed.clear()
        large = (follower.count(connection) or 0) > _LARGE
        in_memory = self._file.is_in_memory(connection)
        begun = time.monotonic()
        if whole:
            follower.renew(connection)
        elif not self._is_due(begun, large=large, in_memory=in_memory):
            return
        elif large and self._freshness == "served" and not in_memory:
            self._compare_behind()
            return
        else:
            follower.compare(connection)
        ended = time.monotonic()
        # How long all took to read does not say how long it takes to compare, so that comes next.
        took_s = 0.0 if whole and self._freshness == "served" else ended - begun
        self._compared_s = ended, took_s

    def _count_unread(self, connection: sqlite3.Connection, follower: CatalogFollower) -> int:
        """How many directories another process has yet to read; 0 when it is to be done here."""
        if self._freshness != "served" or self._file.is_in_memory(connection):
            return 0
        known = follower.count_known(connection)
        if self._comparing.locked() and self._begun_with is not None:
            return max(1, self._there - known)
        self._there = follower.count_there()
        left = self._there - known
        in_vain = self._begun_with is not None and known <= self._begun_with
        # Of the few that are left, those that another program is reading are waited for, too.
        if in_vain or not (left > _MANY or (known and is_changed_elsewhere(connection))):
            self._begun_with = None
            return 0
        self._begun_with = known
        self._compare_behind()
        return max(1, left)

    def _is_due(self, now_s: float, *, large: bool, in_memory: bool) -> bool:
        """Whether the store is to be compared whole, beside what was noted of its changes."""
        at_s, took_s = self._compared_s or (-inf, 0.0)
        served, often_s = self._freshness == "served", took_s * _SHARE
        if not large:
            return now_s - at_s > often_s or not served
        if in_memory:
            return now_s - at_s > often_s
        if self._freshness == "whole":
            return self._compared_s is None
        return served and now_s - at_s > max(_PAUSE_S, often_s)

    def _compare_behind(self) -> None:
        if not self._comparing.acquire(blocking=False):
            return
        self._compared.clear()

        def work() -> None:
            begun = time.monotonic()
            try:
                # Here it would hold up the answers of all other threads.
                run_apart(_compare, str(self.store.root))
            finally:
                ended = time.monotonic()
                self._compared_s = ended, ended - begun
                self._comparing.release()
                self._compared.set()

        threading.Thread(target=work, name="compare-catalog", daemon=True).start()

    def _follower(self, connection: sqlite3.Connection) -> CatalogFollower:
        in_memory = self._file.is_in_memory(connection)
        return CatalogFollower(self.store.root, self._read_rows, notes=not in_memory)

    def _keep(
        self,
        asked: Hashable,
        query: Callable[[sqlite3.Connection], _R],
        connection: sqlite3.Connection,
    ) -> _R:
        """What a query says, kept under the question until the catalog changes."""
        (changes,) = connection.execute("SELECT count FROM changes").fetchone()
        kept = self._kept[1] if self._kept[0] == changes else {}
        if asked not in kept:
            kept[asked] = query(connection)
            self._kept = changes, kept if len(kept) <= _MOST_KEPT else {}
        answer: _R = kept[asked]
        return answer


def _compare(root: str) -> None:
    # What is wrong with the store, the next answer says.
    warnings.simplefilter("ignore", CatalogWarning)
    with suppress(StoreError, OSError, sqlite3.Error):
        Catalog(EpisodeStore(Path(root))).compare()
