"""What a local copy knows of a shared store: where its episodes are, beside the catalog's rows.

It is in the catalog's file, so that both go together when that is made again.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

from tapwright.core.episode import EpisodeOutcome
from tapwright.formats.shared.log import Commit, SharedEntry
from tapwright.store.catalog_file import changing
from tapwright.store.catalog_rows import SELECTED, read_entry, write_entries
from tapwright.store.filters import Condition

__all__ = [
    "TABLES", "PackedEpisode", "apply_commit", "find_entries", "forget", "list_behind",
    "list_entries", "list_episodes", "list_whole", "mark_caught_up", "read_number",
]  # fmt: skip

TABLES = """
CREATE TABLE IF NOT EXISTS shared (
    directory TEXT PRIMARY KEY, id, revision, pack, texts, start, length, content, shown
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shared_at (number);
CREATE TABLE IF NOT EXISTS shared_behind (directory TEXT PRIMARY KEY) WITHOUT ROWID
"""
_ROW = ", ".join(f"episodes.{name}" for name in SELECTED.split(", "))
_FIELDS = ("id", "revision", "pack", "texts", "start", "length", "content", "shown")


def read_number(connection: sqlite3.Connection) -> int:
    """The number of the last commit that was applied; 0 for none."""
    (found,) = connection.execute("SELECT max(number) FROM shared_at").fetchone()
    return int(found or 0)


def apply_commit(
    commit: Commit, is_here: Callable[[SharedEntry], bool], connection: sqlite3.Connection
) -> None:
    """Let the catalog say what a commit says; of episodes that are here, that they are behind."""
    with changing(connection):
        if commit.number <= read_number(connection):
            return
        connection.executemany(
            "INSERT OR REPLACE INTO shared VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((one.directory, *(getattr(one, name) for name in _FIELDS)) for one in commit.entries),
        )
        _write_rows(connection, commit.entries)
        connection.executemany(
            "INSERT OR IGNORE INTO shared_behind VALUES (?)",
            ((one.directory,) for one in commit.entries if is_here(one)),
        )
        if commit.is_whole:
            connection.execute("DELETE FROM shared_at")
            connection.execute("INSERT INTO shared_at VALUES (?)", (commit.number,))


def list_behind(connection: sqlite3.Connection) -> list[str]:
    """The directories of episodes here that may be of an earlier commit than the catalog says."""
    return [name for (name,) in connection.execute("SELECT directory FROM shared_behind")]


def mark_caught_up(directories: Sequence[str], connection: sqlite3.Connection) -> None:
    """Let episodes be behind no more."""
    with changing(connection):
        connection.executemany(
            "DELETE FROM shared_behind WHERE directory = ?", ((name,) for name in directories)
        )


def forget(
    commit: Commit | None, directories: Collection[str], connection: sqlite3.Connection
) -> None:
    """Let the catalog say what a commit says of directories that are not here any more."""
    with changing(connection):
        entries = () if commit is None else commit.entries
        _write_rows(connection, [one for one in entries if one.directory in directories])


def find_entries(directories: Collection[str], connection: sqlite3.Connection) -> list[SharedEntry]:
    """Where the episodes in these directories are, but for what the catalog says of them."""
    found = connection.execute(
        "SELECT * FROM shared WHERE directory IN (SELECT value FROM json_each(?))",
        (json.dumps(list(directories)),),
    )
    return list(map(_read, found))


def list_entries(connection: sqlite3.Connection) -> list[SharedEntry]:
    """Where all episodes are, in the order of their packs."""
    return list(
        map(_read, connection.execute("SELECT * FROM shared WHERE pack <> '' ORDER BY pack"))
    )


def list_whole(connection: sqlite3.Connection) -> Iterator[SharedEntry]:
    """All entries, those of removed episodes too, with what the catalog says of them."""
    found = connection.execute(
        f"SELECT shared.*, actions, frames, {_ROW} "
        "FROM shared LEFT JOIN episodes USING (directory) ORDER BY pack, start"
    )
    for one in found:
        where, (actions, frames, *row) = one[: len(_FIELDS) + 1], one[len(_FIELDS) + 1 :]
        entry = _read(where)
        if actions is not None:
            about = {"actions": actions, "frames": frames.hex(), "row": read_entry(tuple(row))}
            entry = entry.model_copy(update=about)
        yield entry


class PackedEpisode(NamedTuple):
    """An episode in a pack, with what the catalog says of it."""

    pack: str
    id: str
    steps: int
    instruction: str
    outcome: EpisodeOutcome


def list_episodes(condition: Condition, connection: sqlite3.Connection) -> list[PackedEpisode]:
    """The episodes with steps that meet a condition, as they lie in their packs."""
    found = connection.execute(
        "SELECT pack, shared.id, episodes.steps, episodes.instruction, episodes.outcome "
        "FROM shared JOIN episodes USING (directory) WHERE pack <> '' AND episodes.steps > 0 "
        f"AND directory IN (SELECT directory FROM episodes WHERE {condition.sql}) "
        "ORDER BY pack, start",
        condition.parameters,
    )
    return [PackedEpisode(*row) for row in found]


def _read(row: tuple[object, ...]) -> SharedEntry:
    values: dict[str, Any] = dict(zip(_FIELDS, row[1:], strict=True))
    return SharedEntry.model_construct(**values)


def _write_rows(connection: sqlite3.Connection, entries: Sequence[SharedEntry]) -> None:
    rows = ((one.directory, one.row, one.actions, bytes.fromhex(one.frames)) for one in entries)
    write_entries(connection, rows)
