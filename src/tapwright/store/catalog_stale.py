"""Which directories of a store are not as the rows of its catalog say, by their stamps alone."""

import json
import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from tapwright.store.catalog_entry import stamp_files
from tapwright.store.catalog_rows import to_sql
from tapwright.store.lines import RECORDED, wrap_read_errors

__all__ = [
    "Known", "find_stale", "has_episodes", "list_inodes", "list_times", "read_known",
    "read_known_of", "stat_directory",
]  # fmt: skip

Known: TypeAlias = Mapping[str, tuple[int, int, str]]
"""Stamp, when it settled, and watched files of directories; see `EpisodeRow`."""


def read_known(
    connection: sqlite3.Connection, which: str = "", *values: str | bytes
) -> dict[str, tuple[int, int, str]]:
    """What the rows of all directories say, or of those that a condition in SQL is true of."""
    rows = connection.execute(
        f"SELECT directory, stamp, settled_ns, watched FROM files {which}", values
    )
    return {name: (stamp, settled_ns, watched) for name, stamp, settled_ns, watched in rows}


def read_known_of(
    connection: sqlite3.Connection, names: Iterable[str]
) -> dict[str, tuple[int, int, str]]:
    """What the rows of these directories say; of one without a row nothing."""
    found: dict[str, tuple[int, int, str]] = {}
    for name in names:
        found |= read_known(connection, "WHERE directory = CAST(? AS TEXT)", to_sql(name))
    return found


def find_stale(
    root: str, there: Mapping[str, tuple[int, int]], known: Known, calm: Collection[str] = ()
) -> list[str]:
    """The directories whose files may not be those that the rows were made of, in order.

    Of `calm` ones nothing is known but that they were written a moment ago: they are read again
    when they look changed, and once when they have settled.
    """
    stale, now_ns = [], time.time_ns()
    for name, changed in there.items():
        before = known.get(name)
        if before is None:
            stale.append(name)
            continue
        stamp, settled_ns, watched = before
        files = json.loads(watched) if watched else ()
        unsure = bool(settled_ns) and (name not in calm or settled_ns <= now_ns)
        if not stamp or unsure or stamp != stamp_files(f"{root}/{name}", changed, files):
            stale.append(name)
    return sorted(stale)


def list_inodes(root: Path) -> dict[str, int]:
    """The directories of the store, and their inodes as far as the store's own directory says."""
    return {one.name: one.inode() for one in _directories(root)}


def has_episodes(root: Path) -> bool:
    """Whether a directory has an episode, so that it is a store; others' are left as they are.

    It is looked for no further than the first one.
    """
    return any(
        os.path.exists(f"{root}/{one.name}/{file}")
        for one in _directories(root)
        for file in RECORDED
    )


def _directories(root: Path) -> Iterator[os.DirEntry[str]]:
    with wrap_read_errors(root):
        if root.is_dir():
            with os.scandir(root) as entries:
                yield from (one for one in entries if one.name[0] != "." and one.is_dir())


def list_times(root: Path) -> dict[str, tuple[int, int]]:
    """The directories of the store, with the times at which they changed and their inodes."""
    return {name: found for name in list_inodes(root) if (found := stat_directory(root, name))}


def stat_directory(root: Path, name: str) -> tuple[int, int] | None:
    """When a directory of the store changed, and its inode; None when there is none."""
    try:
        found = os.stat(f"{root}/{name}")
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_ino
