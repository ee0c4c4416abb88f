"""Checks the episodes of a store by every core, and none again whose files are as they were.

What was found is remembered by the stamps of the files. `<store>/.catalog/checks.sqlite` may be
deleted at any time; where it cannot be written, or a network makes its locks unsure, every check is
done. What episodes say of each other is looked for each time: it changes with any of them.
"""

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tapwright.curate.check.check import check_episode
from tapwright.curate.check.contradictions import find_contradictions
from tapwright.curate.check.finding import EpisodeFinding
from tapwright.curate.duplicates import FindDuplicates, find_best
from tapwright.errors import CorruptEpisodeError
from tapwright.files.regular import read_ahead
from tapwright.jobs.processes import MapBatches, map_batches
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_file import is_on_network
from tapwright.store.errors import SchemaVersionError
from tapwright.store.filters import has_id
from tapwright.store.ids import directory_name
from tapwright.store.lines import RECORDED, read_header
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.store.store import EpisodeStore

__all__ = ["check_episodes", "compare_episodes", "list_checked"]

_RULES = 2
"""To be raised when a check finds something else in the same files."""

_SETTLED_NS = 2_000_000_000

_RECALL = "SELECT stamp, found FROM checks WHERE id = ? AND fast <= ? ORDER BY fast DESC"

_Checked: TypeAlias = tuple[str, str, str]
"""An episode's id, the stamp of its files, and what was found, as JSON."""


def _stamp_episode(directory: Path) -> str:
    """A stamp of all files of an episode: names, sizes, inodes and times of change.

    It is "" when one changed a moment ago, and may change again within the same tick of the clock.
    """
    parts: list[tuple[str, int, int, int]] = []
    newest, folders = 0, [str(directory)]
    try:
        while folders:
            with os.scandir(folders.pop()) as entries:
                for one in entries:
                    found = one.stat()
                    newest = max(newest, found.st_mtime_ns)
                    parts.append((one.path, found.st_size, found.st_mtime_ns, found.st_ino))
                    if one.is_dir():
                        folders.append(one.path)
    except OSError:
        return ""  # the check says what is wrong
    if newest > time.time_ns() - _SETTLED_NS:
        return ""
    return hashlib.sha256(repr((_RULES, sorted(parts))).encode("utf-8", "replace")).hexdigest()


class _CheckMemory:
    """Remembers the checks of the store at `root`; those of every byte apart from the fast ones."""

    def __init__(self, root: Path) -> None:
        self._connection: sqlite3.Connection | None = None
        if is_on_network(root):
            return
        path = root / ".catalog" / "checks.sqlite"
        if path.is_symlink() or path.parent.is_symlink():
            return
        for attempt in range(2):
            with suppress(OSError, sqlite3.Error):
                path.parent.mkdir(exist_ok=True)
                self._connection = _open(path)
                return
            if not attempt:
                with suppress(OSError):
                    path.unlink()

    def recall(self, ids: Sequence[str], *, fast: bool) -> Mapping[str, _Checked]:
        """The checks of episodes; one of every byte counts as a fast one, too."""
        found: dict[str, _Checked] = {}
        if self._connection is not None:
            with suppress(sqlite3.Error):
                for id_ in ids:
                    rows = self._connection.execute(_RECALL, (_key(id_), fast))
                    for stamp, text in rows:
                        found[id_] = id_, stamp, text
        return found

    def remember(self, checked: Iterable[_Checked], *, fast: bool) -> None:
        """Write down what was found."""
        if self._connection is None:
            return
        rows = [(_key(id_), fast, stamp, text) for id_, stamp, text in checked if stamp]
        with suppress(sqlite3.Error), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO checks VALUES (?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Close the file; more than once is allowed."""
        if self._connection is not None:
            self._connection.close()


def _write_findings(findings: Iterable[EpisodeFinding]) -> str:
    """Findings as JSON; "" for none."""
    listed = [asdict(one) for one in findings]
    return json.dumps(listed) if listed else ""


def _read_findings(text: str) -> list[EpisodeFinding]:
    """The findings that `_write_findings` wrote."""
    return [EpisodeFinding(**one) for one in json.loads(text)] if text else []


def _key(id_: str) -> bytes:
    return id_.encode("utf-8", "surrogatepass")


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30)
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS checks (id, fast, stamp, found, PRIMARY KEY (id, fast)) "
            "WITHOUT ROWID"
        )
        connection.execute("SELECT id, fast, stamp, found FROM checks LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


_BATCH = 50


def list_checked(store: EpisodeStore) -> tuple[list[str], list[EpisodeFinding]]:
    """The ids of all episodes that can be checked; and the fault of each that cannot be listed.

    Those are named by their directories.
    """
    catalog = Catalog(store)
    ids, broken = catalog.ids(Selection()), list[EpisodeFinding]()
    for name, error in catalog.unreadable().items():
        place = store.root / name
        try:
            ids.append(read_header(place / "episode.json").id)
        except (CorruptEpisodeError, SchemaVersionError):
            broken.append(EpisodeFinding(name, None, "error", "header", str(place), str(error)))
    return ids, broken


def check_episodes(
    store: EpisodeStore,
    ids: Sequence[str],
    *,
    fast: bool = False,
    again: bool = False,
    advance: Callable[[int], object] = lambda _: None,
    mapping: MapBatches = map_batches,
) -> Iterator[EpisodeFinding]:
    """The faults of episodes, in their order; `mapping` says who looks for them.

    A `fast` check opens no picture, tree or state. An episode whose files have not changed since it
    was checked is not checked, unless `again`.

    Raises:
        EpisodeMissingError: the store never had one of these ids.
    """
    work = partial(_check_batch, store.root, fast, again)
    with closing(_CheckMemory(store.root)) as memory:
        for batch, checked in mapping(work, ids, _BATCH):
            memory.remember((one for one, new in checked if new), fast=fast)
            for (_, _, found), _ in checked:
                yield from _read_findings(found)
            advance(len(batch))


def compare_episodes(store: EpisodeStore, ids: Sequence[str]) -> Iterator[EpisodeFinding]:
    """What these episodes say of each other: the same again, and another action at one point."""
    catalog = Catalog(store)
    for group in FindDuplicates(catalog, ids).run():
        best = find_best(catalog.select(EVERYTHING, has_id(group.ids))).id
        for id_ in group.ids:
            if id_ != best:
                message = f"the actions of {best}, on nearly the same screens"
                place = str(store.root / directory_name(id_))
                yield EpisodeFinding(id_, None, "warning", "duplicate", place, message)
    for one in find_contradictions(catalog, ids):
        message = f"another action than that of {one.other} at the same point of the same task"
        place = str(store.root / directory_name(one.episode))
        yield EpisodeFinding(one.episode, one.step, "warning", "contradicted", place, message)


def _check_batch(
    root: Path, fast: bool, again: bool, ids: Sequence[str]
) -> list[tuple[_Checked, bool]]:
    """The check of each episode, and whether it was done now."""
    store = EpisodeStore(root)
    known: Mapping[str, _Checked] = {}
    if not again:
        with closing(_CheckMemory(root)) as memory:
            known = memory.recall(ids, fast=fast)
    checked = []
    new = (f"{root}/{directory_name(id_)}" for id_ in ids if id_ not in known)
    read_ahead(f"{directory}/{name}" for directory in new for name in RECORDED)
    for id_ in ids:
        stamp = _stamp_episode(root / directory_name(id_))
        before = known.get(id_)
        if before is not None and stamp and before[1] == stamp:
            checked.append((before, False))
            continue
        try:
            found = check_episode(store, id_, fast=fast, threads=1)
        except (CorruptEpisodeError, SchemaVersionError) as error:
            place = str(root / directory_name(id_))
            found = [EpisodeFinding(id_, None, "error", "header", place, str(error))]
        checked.append(((id_, stamp, _write_findings(found)), True))
    return checked
