"""The catalog's SQLite file, `<store>/.catalog/catalog.sqlite`: a copy of what episodes say.

Nothing in it is the truth: a file that is torn, or of another version, is deleted and made again.
Where such a file is of no use (a directory that cannot be written, a network file system, whose
locks SQLite cannot rely on) the catalog is in memory, for one program.
"""

import json
import os
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from threading import RLock
from typing import TypeVar
from weakref import finalize

from tapwright.errors import CorruptEpisodeError, StoreError
from tapwright.files.atomic import wrap_disk_errors
from tapwright.files.lock import wait_for_lock
from tapwright.store.catalog_entry import CatalogEntry, EpisodeRow
from tapwright.store.changes import CATALOG
from tapwright.store.errors import SchemaVersionError

__all__ = [
    "CatalogFile",
    "CatalogWarning",
    "changing",
    "read_entry",
    "remove_rows",
    "to_sql",
    "write_rows",
]

R = TypeVar("R")

_SCHEMA = 4
_WAIT_S = 30.0
_NETWORKS = (
    "nfs",
    "cifs",
    "smb",
    "9p",
    "fuse",
    "lustre",
    "ceph",
    "gluster",
    "beegfs",
    "gpfs",
    "afs",
)
_FIELDS = tuple(field.name for field in fields(CatalogEntry))
_LISTS = ("apps", "tags", "annotators")
_COLUMNS = (
    "directory", *_FIELDS, "words", "app_words", "tag_words", "annotator_words", "actions", "frames"
)  # fmt: skip
_NARROW = (
    "created", "id", "steps", "outcome", "agent", "task_id", "device", "language", "version",
    "duration_s", "suite", "reviewed", "app_words", "tag_words", "annotator_words", "words",
)  # fmt: skip
"""What most filters and orders need: an index of these is searched without opening the rows."""

_TABLES = f"""
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
INSERT INTO changes VALUES (0);
CREATE TABLE state (text);
INSERT INTO state VALUES ('');
PRAGMA user_version = {_SCHEMA};
"""
_SELECT = ", ".join(_FIELDS)


class CatalogWarning(UserWarning):
    """A store's catalog was of no use, and is made again from the episodes."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """A connection, the process and the file that it is of, and what closes it."""

    connection: sqlite3.Connection
    place: tuple[int, ...]
    close: Callable[[], object]


_of_parents: list[_Opened] = []
"""Connections that came with a fork, which SQLite lets nobody but the parent use or close."""


class CatalogFile:
    """The catalog of the store at `root`, for one query or change at a time.

    It stays open between them, as closing writes what others may still need, and waits for the
    disk. Whether the file is still that at its path is looked at each time.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / CATALOG
        self._lock = RLock()
        self._memory: sqlite3.Connection | None = None
        self._opened: _Opened | None = None

    def is_in_memory(self, connection: sqlite3.Connection) -> bool:
        """Whether a connection that `use` gave is to no file."""
        return connection is self._memory

    def use(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """What `work` returns; it is called again on a new catalog when this one cannot be used."""
        with self._lock:
            if self._memory is None and self.root.is_dir():
                for attempt in range(2):
                    try:
                        return work(self._reach())
                    except (sqlite3.OperationalError, OSError):
                        self._close()
                        break  # locked for long, a full disk, or one that cannot be written
                    except sqlite3.DatabaseError as error:
                        if attempt or not self._discard_opened(str(error)):
                            self._close()
                            break
            if self._memory is None:
                self._memory = sqlite3.connect(":memory:", check_same_thread=False)
                _prepare(self._memory)
                self._memory.executescript(_TABLES)
            try:
                return work(self._memory)
            finally:
                if not self.root.is_dir():  # there will be a file when there is a store
                    self._memory.close()
                    self._memory = None

    def discard(self) -> None:
        """Delete the file.

        Raises:
            DiskError: it cannot be deleted.
        """
        self._close()
        with wrap_disk_errors(self.path):
            if self.path.parent.exists():
                with self._alone():
                    self._delete()

    def _discard_opened(self, reason: str) -> bool:
        """Delete the file that was of no use, unless another has done so; False when one cannot."""
        place = None if self._opened is None else self._opened.place
        self._close()
        try:
            with self._alone():
                if place == self._find_place():
                    self._warn(reason)
                    self._delete()
        except OSError:
            return False
        return True

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other program opens, makes or deletes the file meanwhile.

        Else one could delete the log (-wal) that another has just begun, and both go on with
        logs of their own for one file.
        """
        self.path.parent.mkdir(exist_ok=True)
        handle = os.open(self.path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            wait_for_lock(handle)
            yield
        finally:
            os.close(handle)

    def _delete(self) -> None:
        for ending in ("", "-wal", "-shm", "-journal"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)

    def _warn(self, reason: str) -> None:
        warnings.warn(
            f"{self.root}: its catalog cannot be used ({reason}); "
            "it is made again from the episodes",
            CatalogWarning,
            stacklevel=2,
        )

    def _reach(self) -> sqlite3.Connection:
        """The connection to the file that is at the path now."""
        opened = self._opened
        if opened is None or opened.place != self._find_place():
            self._close()
            if is_on_network(self.root):
                raise OSError("a network file system")
            with self._alone():
                try:
                    connection = self._open()
                except sqlite3.OperationalError:
                    raise
                except sqlite3.DatabaseError as error:
                    self._warn(str(error))
                    self._delete()
                    connection = self._open()
                opened = self._opened = _Opened(
                    connection, self._find_place(), finalize(self, connection.close)
                )
        return opened.connection

    def _find_place(self) -> tuple[int, ...]:
        """What tells the file, and the process that opened it: a fork must not share it."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return ()
        return os.getpid(), found.st_dev, found.st_ino

    def _close(self) -> None:
        if self._opened is not None:
            if self._opened.place[:1] == (os.getpid(),):
                self._opened.close()
            else:
                _of_parents.append(self._opened)
            self._opened = None

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                connection.execute("PRAGMA journal_mode = WAL")
                with changing(connection):
                    for statement in _TABLES.split(";"):
                        connection.execute(statement)
            elif version != _SCHEMA:
                raise sqlite3.DatabaseError(f"it is of version {version}, not {_SCHEMA}")
        except BaseException:
            connection.close()
            raise
        return connection


def _prepare(connection: sqlite3.Connection) -> None:
    connection.isolation_level = None
    connection.text_factory = lambda data: data.decode("utf-8", "surrogatepass")


@contextmanager
def changing(connection: sqlite3.Connection) -> Iterator[None]:
    """One change of the catalog, whole or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


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
        connection.execute("DELETE FROM episodes WHERE directory = CAST(? AS TEXT)", (name,))
        if isinstance(row.found, CatalogEntry):
            connection.execute(_INSERT, _pack(row, row.found))


def read_entry(values: tuple[object, ...]) -> CatalogEntry:
    """The entry of a row of `SELECTED`."""
    found = dict(zip(_FIELDS, values, strict=True))
    for name in _LISTS:
        found[name] = tuple(json.loads(str(found[name])))
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


SELECTED = _SELECT
"""The columns that `read_entry` takes."""

_INSERT = (
    f"INSERT INTO episodes ({', '.join(_COLUMNS)}) VALUES ("
    + ", ".join(
        "?"
        if name in ("version", "steps", "duration_s", "reviewed", "ended", "frames")
        else "CAST(? AS TEXT)"
        for name in _COLUMNS
    )
    + ")"
)


def _pack(row: EpisodeRow, entry: CatalogEntry) -> list[object]:
    values: list[object] = [to_sql(row.directory)]
    for name in _FIELDS:
        value = getattr(entry, name)
        if name in _LISTS:
            value = json.dumps(value)
        values.append(to_sql(value) if isinstance(value, str) else value)
    words = f"{entry.id}\n{entry.task_id}\n{entry.instruction}".casefold()
    apps = [word for app in entry.apps for word in (app, app.rpartition(".")[2])]
    lists = (_join(apps), _join(entry.tags), _join(entry.annotators))
    return [*values, *map(to_sql, (words, *lists, row.actions)), row.frames]


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


def is_on_network(root: Path) -> bool:
    """Whether a directory is on a file system of another machine, by the kernel's table."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
        device = os.stat(root).st_dev
    except OSError:
        return False
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in lines:
        words = line.split()
        if words[2] == number:
            return words[words.index("-") + 1].startswith(_NETWORKS)
    return False
