"""Keeps the rows of a catalog as its store is.

A small store is compared with its catalog whole, each time: the times and sizes of all files. In a
large one that takes seconds. There the notes of `changes` tell which episodes tapwright changed.
Whether anybody else made, removed or renamed one, the times of the store's directory tell, and
listing it which; episodes that were just written or have not ended, and directories that hold no
episode yet, are looked at each time. What else changes files in place is found when everything is
compared.

Rows are read while no other program may write any, so an older one never replaces a newer.
"""

import json
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from time import sleep
from typing import TypeAlias

from tapwright.files.regular import read_ahead
from tapwright.store import catalog_stale
from tapwright.store.catalog_entry import EpisodeRow, read_row
from tapwright.store.catalog_file import CatalogWarning, changing
from tapwright.store.catalog_rows import remove_rows, write_rows
from tapwright.store.changes import (
    ChangeMark,
    Changes,
    DirectoryTimes,
    directory_times,
    mark_directory,
    read_changes,
    shorten_changes,
)
from tapwright.store.lines import RECORDED, wrap_read_errors

__all__ = ["Advance", "CatalogFollower", "ReadRows"]

Advance: TypeAlias = Callable[[int], object]
"""Is told of so many more directories that were read."""

ReadRows: TypeAlias = Callable[[str, Sequence[str]], Iterable[EpisodeRow]]
"""Reads the rows of these directories of a store, in their order."""

_BATCH = 1000
_FEW = 10
"""Up to this many directories are read one after the other."""
_NOTED = 20_000
"""How many noted directories are read before other programs may write."""

_FIRST = 500
"""How many are read at first of many, so that there is something to be shown."""

_CALM = 2000
"""A catalog is whole when a look at all of the store found no more than this to read."""

_GAP_S = 0.02
"""How long other programs may begin to write; SQLite tries again after 0.1 s at most."""

_PASSES = 100
_TOLD = 2000
"""How many episodes are read without a word."""

_SETTLED_NS = 2_000_000_000
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class _State:
    """What the rows were made of: the store's directory at a time, and the notes up to a mark.

    `changed_ns` is empty when the directory changed so shortly before that it may change again
    within one tick of the clock of its file system. Notes may be lost when the machine stops, so a
    state is good for one `boot`. `open` are the changes that have not ended, by their tokens.
    """

    boot: str
    root: Sequence[int]
    changed_ns: Sequence[int]
    size: int = 0
    mark: ChangeMark | None = None
    open: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Found:
    """What differs from the rows; and the state of the store, which was another if it is `news`."""

    state: _State
    stale: Sequence[str]
    gone: Sequence[str]
    news: bool


@dataclass(frozen=True, slots=True)
class _Look:
    """The state of the store, the directories noted, and whether others may have changed names."""

    state: _State
    noted: Sequence[str]
    unknown: bool


class CatalogFollower:
    """Keeps the rows of the catalog of the store at `root`; with `notes`, by those, too."""

    def __init__(self, root: Path, read_rows: ReadRows | None = None, *, notes: bool) -> None:
        self._root = root
        self._read_rows = read_rows or _read_here
        self._notes = notes

    def count(self, connection: sqlite3.Connection) -> int | None:
        """How many directories the store had at the last look; None when that is not known."""
        state = _read_state(connection)
        return None if state is None else state.size

    def count_known(self, connection: sqlite3.Connection) -> int:
        """How many directories the rows are of."""
        (count,) = connection.execute("SELECT count(*) FROM files").fetchone()
        return int(count)

    def count_there(self) -> int:
        """How many directories the store has now.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """
        return len(catalog_stale.list_inodes(self._root))

    def follow(self, connection: sqlite3.Connection, also: Iterable[str] = ()) -> bool:
        """Read what was noted and what came; False when only comparing everything can tell.

        The directories `also` are looked at, too.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """
        found = self._find_changes(connection, also, listing=False)
        if found is None or not (found.stale or found.gone or found.news):
            return found is not None
        for _ in range(_PASSES):
            with changing(connection):
                found = self._find_changes(connection, also, listing=True)
                if found is None:
                    return False
                remove_rows(connection, found.gone)
                self._read(connection, found.stale[:_NOTED])
                if len(found.stale) <= _NOTED:
                    self._write_state(connection, found.state)
                    return True
        return False

    def compare(self, connection: sqlite3.Connection) -> None:
        """Compare the files of all episodes with the rows, and read what differs.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """
        known, there = catalog_stale.read_known(connection), catalog_stale.list_times(self._root)
        stale = catalog_stale.find_stale(str(self._root), there, known)
        gone = [name for name in known if name not in there]
        if gone:
            with changing(connection):
                remove_rows(
                    connection,
                    [one for one in gone if not catalog_stale.stat_directory(self._root, one)],
                )
        self._read_in_parts(connection, stale, known)

    def renew(self, connection: sqlite3.Connection, advance: Advance = lambda _: None) -> None:
        """Compare everything, and write down the state of the store, which was not known.

        Of what has to be read, what changed last comes first.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """
        for number in range(_PASSES):
            with changing(connection):
                look = self._look(None, listing=True)
                known = catalog_stale.read_known(connection)
                there = catalog_stale.list_times(self._root)
                stale = catalog_stale.find_stale(str(self._root), there, known)
                stale.sort(key=there.__getitem__, reverse=True)
                if not known and len(stale) > _TOLD:
                    warnings.warn(
                        f"{self._root}: has no catalog yet; it is made of {len(stale)} directories",
                        CatalogWarning,
                        stacklevel=2,
                    )
                remove_rows(connection, (name for name in known if name not in there))
                done = len(stale) <= (_CALM if known else _FIRST) or number == _PASSES - 1
                now = len(stale) if done else _FIRST
                self._read(connection, stale[:now], advance)
                # What a killed writer changed since the catalog was begun has no note yet.
                if done and look is not None:
                    self._write_state(connection, replace(look.state, size=len(there)))
            if done:
                return
            self._read_in_parts(connection, stale[now:], known, advance)

    def _find_changes(
        self, connection: sqlite3.Connection, also: Iterable[str], *, listing: bool
    ) -> _Found | None:
        """What differs from the rows; None when only comparing everything can tell.

        Without `listing`, that others may have changed names is `news`, and not which.
        """
        before = _read_state(connection)
        looked = None if before is None else self._look(before, listing=listing)
        if before is None or looked is None:
            return None
        state, names = looked.state, set(looked.noted)
        news = looked.unknown or state != before
        if news and not listing:
            return _Found(state, (), (), news)
        # An episode may be noted while it is made, under another name.
        names.update(name for name in (*state.open.values(), *also) if not name.startswith("."))
        gone, size = set[str](), before.size
        if looked.unknown and listing:
            there = catalog_stale.list_inodes(self._root)
            inodes = dict(connection.execute("SELECT directory, inode FROM files").fetchall())
            names.update(name for name, inode in there.items() if inodes.get(name) != inode)
            gone, size = inodes.keys() - there.keys(), len(there)
        known = catalog_stale.read_known(connection, "WHERE watch = 1")
        calm = known.keys() - names
        known |= catalog_stale.read_known_of(connection, names - known.keys())
        names |= calm
        times = {
            name: changed
            for name in names
            if (changed := catalog_stale.stat_directory(self._root, name))
        }
        # A note may also name what was never made.
        gone |= known.keys() - times.keys()
        if not looked.unknown:
            size += len(times.keys() - known.keys()) - len(gone)
        stale = catalog_stale.find_stale(str(self._root), times, known, calm)
        return _Found(replace(state, size=size), stale, sorted(gone), news)

    def _look(self, before: _State | None, *, listing: bool) -> _Look | None:
        """The store now; None when it does not continue the state before, or there is none.

        For a `listing` that comes after this, its directory may be given times of its own.
        """
        root, changes = self._root, None
        with wrap_read_errors(root):
            if not root.is_dir():
                return None
            found = root.stat()
        if self._notes:
            mark, open_ = (None, {}) if before is None else (before.mark, before.open)
            changes = read_changes(root, mark, open_)
            if changes is None:
                return None
        now = directory_times(found)
        joined = _join(before, now, changes)
        settled = now if found.st_mtime_ns < time.time_ns() - _SETTLED_NS else None
        marked = mark_directory(root) if listing and changes and not (joined or settled) else None
        state = _State(
            boot=_read_boot(),
            root=(found.st_dev, found.st_ino),
            changed_ns=joined or settled or marked or (),
            size=0 if before is None else before.size,
            mark=None if changes is None else changes.mark,
            open={} if changes is None else changes.open,
        )
        if before is not None and (state.boot, state.root) != (before.boot, before.root):
            return None
        noted = () if changes is None else changes.names
        return _Look(state, [name for name in noted if not name.startswith(".")], not joined)

    def _read_in_parts(
        self,
        connection: sqlite3.Connection,
        names: Sequence[str],
        known: catalog_stale.Known,
        advance: Advance = lambda _: None,
    ) -> None:
        """Read directories that differ from what is `known`; other programs write in between.

        What they read meanwhile is left out.
        """
        for start in range(0, len(names), _BATCH):
            part = names[start : start + _BATCH]
            if start:
                sleep(_GAP_S)
            with changing(connection):
                now = catalog_stale.read_known_of(connection, part)
                left = [name for name in part if now.get(name) == known.get(name)]
                self._read(connection, left, advance)

    def _read(
        self,
        connection: sqlite3.Connection,
        names: Sequence[str],
        advance: Advance = lambda _: None,
    ) -> None:
        for start in range(0, len(names), _BATCH):
            batch = names[start : start + _BATCH]
            if len(batch) > _FEW:
                read_ahead(f"{self._root}/{name}/{file}" for name in batch for file in RECORDED)
            write_rows(connection, self._read_rows(str(self._root), batch))
            advance(len(batch))

    def _write_state(self, connection: sqlite3.Connection, state: _State) -> None:
        if state.mark is not None:
            state = replace(state, mark=shorten_changes(self._root, state.mark))
        if state != _read_state(connection):
            connection.execute("UPDATE state SET text = ?", (json.dumps(asdict(state)),))


def _join(
    before: _State | None, now: DirectoryTimes, changes: Changes | None
) -> DirectoryTimes | None:
    """The times of the store's directory after the last note, if tapwright alone changed names.

    `now` are those that it had before the notes were read.
    """
    if before is None or len(before.changed_ns) != 2:
        return None
    first, second = before.changed_ns
    times = first, second
    passed = times == now
    for start, end in () if changes is None else changes.renamed:
        if start == times:
            times = end
            passed = passed or times == now
    return times if passed else None


def _read_state(connection: sqlite3.Connection) -> _State | None:
    (text,) = connection.execute("SELECT text FROM state").fetchone()
    return _parse_state(text) if text else None


@lru_cache(maxsize=16)
def _parse_state(text: str) -> _State:
    found = json.loads(text)
    for name in ("root", "changed_ns"):
        found[name] = tuple(found[name])
    if found["mark"] is not None:
        found["mark"] = ChangeMark(**found["mark"])
    return _State(**found)


def _read_here(root: str, names: Sequence[str]) -> Iterable[EpisodeRow]:
    return (row for name in names if (row := read_row(root, name)) is not None)


@cache
def _read_boot() -> str:
    try:
        return _BOOT.read_text("ascii")
    except OSError:
        return ""  # another system than Linux
