"""The tables of a catalog, and how an episode's entry becomes a row of them and is read again."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import fields

from tapwright.errors import CorruptEpisodeError, StoreError
from tapwright.store.catalog_entry import CatalogEntry, EpisodeRow
from tapwright.store.errors import SchemaVersionError

__all__ = [
    "SCHEMA", "SELECTED", "TABLES", "read_entry", "read_problems", "remove_rows", "to_sql",
    "write_entries", "write_rows",
]  # fmt: skip

SCHEMA = 11
"""The version of the tables; a file of another is made again."""

_FIELDS = tuple(field.name for field in fields(CatalogEntry))
_LISTS = ("apps", "tags", "annotators")
_JSON = (*_LISTS, "fit")
_NUMBERS = tuple(field.name for field in fields(CatalogEntry) if field.type in (int, float, bool))
_COLUMNS = (
    "directory", *_FIELDS,
    "words", "app_words", "tag_words", "annotator_words", "fit_words", "actions", "frames",
)  # fmt: skip
_NARROW = (
    "created", "id", "steps", "outcome", "agent", "task_id", "device", "language", "version",
    "duration_s", "suite", "reviewed", "app_words", "tag_words", "annotator_words", "words",
)  # fmt: skip
"""What most filters and orders need: an index of these is searched without opening the rows."""

SELECTED = ", ".join(_FIELDS)
"""The columns that `read_entry` takes."""

TABLES = f"""
CREATE TABLE files (
    directory PRIMARY KEY, stamp, settled_ns, inode, watch, watched, kind, code, message, hint
) WITHOUT ROWID;
CREATE INDEX by_watch ON files (watch) WHERE watch = 1;
CREATE INDEX by_code ON files (code) WHERE code <> '';
CREATE TABLE episodes (
    directory TEXT PRIMARY KEY, {", ".join(name for name in _COLUMNS[1:])}
);
CREATE INDEX by_time ON episodes ({", ".join(_NARROW)});
CREATE INDEX by_agent ON episodes (agent);
CREATE INDEX by_task ON episodes (agent, task_id);
CREATE INDEX by_outcome ON episodes (agent, outcome);
CREATE INDEX by_apps ON episodes (agent, apps);
CREATE TABLE changes (count);
INSERT INTO changes VALUES (random() >> 1);
CREATE TABLE state (text);
INSERT INTO state VALUES ('')
"""


def remove_rows(connection: sqlite3.Connection, directories: Iterable[str]) -> None:
    """Forget what was in these directories."""
    names = [(to_sql(name),) for name in directories]
    if names:
        _count_change(connection)
    for table in ("files", "episodes"):
        connection.executemany(f"DELETE FROM {table} WHERE directory = CAST(? AS TEXT)", names)


def write_rows(connection: sqlite3.Connection, rows: Iterable[EpisodeRow]) -> None:
    """Write what was found in directories, in place of what was known."""
    _count_change(connection)
    for row in rows:
        name = to_sql(row.directory)
        watched = json.dumps(row.watched) if row.watched else ""
        error = row.found if isinstance(row.found, StoreError) else None
        connection.execute(
            "INSERT OR REPLACE INTO files VALUES (CAST(? AS TEXT), ?, ?, ?, ?, CAST(? AS TEXT), "
            "?, ?, CAST(? AS TEXT), CAST(? AS TEXT))",
            (
                name,
                row.stamp,
                row.settled_ns,
                row.inode,
                row.likely_to_change,
                to_sql(watched),
                type(row.found).__name__,
                error.code if error else "",
                to_sql(str(error) if error else ""),
                to_sql(error.hint if error else ""),
            ),
        )
        found = row.found if isinstance(row.found, CatalogEntry) else None
        _write_entry(connection, row.directory, found, row.actions, row.frames)


def write_entries(
    connection: sqlite3.Connection, entries: Iterable[tuple[str, CatalogEntry | None, str, bytes]]
) -> None:
    """Write what is said of directories that need not be here: entry, actions, frames.

    Of those that are here, the files are read again.
    """
    _count_change(connection)
    for directory, entry, actions, frames in entries:
        connection.execute("DELETE FROM files WHERE directory = ?", (directory,))
        _write_entry(connection, directory, entry, actions, frames)


def _write_entry(
    connection: sqlite3.Connection,
    directory: str,
    entry: CatalogEntry | None,
    actions: str,
    frames: bytes,
) -> None:
    name = to_sql(directory)
    connection.execute("DELETE FROM episodes WHERE directory = CAST(? AS TEXT)", (name,))
    if entry is not None:
        connection.execute(_INSERT, _pack(directory, entry, actions, frames))


def read_entry(values: tuple[object, ...]) -> CatalogEntry:
    """The entry of a row of `SELECTED`."""
    found = dict(zip(_FIELDS, values, strict=True))
    for name in _LISTS:
        found[name] = tuple(json.loads(str(found[name])))
    found["fit"] = json.loads(str(found["fit"]))
    found["ended"] = bool(found["ended"])
    return CatalogEntry(**found)  # type: ignore[arg-type]  # as `_pack` wrote them


def read_problems(connection: sqlite3.Connection) -> dict[str, StoreError]:
    """The errors of the episodes that cannot be read, by their directories."""
    rows = connection.execute(
        "SELECT directory, code, message, hint FROM files INDEXED BY by_code WHERE code <> '' "
        "ORDER BY directory"
    )
    kinds = {kind.code: kind for kind in (CorruptEpisodeError, SchemaVersionError)}
    return {
        name: kinds.get(code, CorruptEpisodeError)(message, hint=hint)
        for name, code, message, hint in rows
    }


_INSERT = (
    f"INSERT INTO episodes ({', '.join(_COLUMNS)}) VALUES ("
    + ", ".join("?" if name in (*_NUMBERS, "frames") else "CAST(? AS TEXT)" for name in _COLUMNS)
    + ")"
)


def _pack(directory: str, entry: CatalogEntry, actions: str, frames: bytes) -> list[object]:
    values: list[object] = [to_sql(directory)]
    for name in _FIELDS:
        value = getattr(entry, name)
        if name in _JSON:
            value = json.dumps(value)
        values.append(to_sql(value) if isinstance(value, str) else value)
    words = f"{entry.id}\n{entry.task_id}\n{entry.instruction}".casefold()
    apps = [word for app in entry.apps for word in (app, app.rpartition(".")[2])]
    kinds = sorted(kind for kind in entry.fit if kind != "target")
    lists = (_join(apps), _join(entry.tags), _join(entry.annotators), _join(kinds))
    return [*values, *map(to_sql, (words, *lists, actions)), frames]


def _join(words: Iterable[str]) -> str:
    listed = [word.replace("\n", " ") for word in words]
    return "\n" + "\n".join(listed) + "\n" if listed else ""


def _count_change(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE changes SET count = count + 1")


def to_sql(text: str) -> str | bytes:
    """The text, or its bytes when half an emoji in it has no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text
