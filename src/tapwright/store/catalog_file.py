"""SQLite files of what is found in other files: a store's episodes, a run's rows.

Nothing in one is the truth: a file that is torn, or of another version, is deleted and made again.
Where such a file is of no use (a directory that cannot be written, a network file system, whose
locks SQLite cannot rely on) its tables are in memory, for one program.
"""

import errno
import os
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TypeVar
from weakref import finalize

from tapwright.files.atomic import wrap_disk_errors
from tapwright.files.lock import DirectoryLock
from tapwright.store.catalog_rows import SCHEMA, TABLES
from tapwright.store.changes import CATALOG

__all__ = ["CatalogFile", "CatalogLayout", "CatalogWarning", "changing", "is_changed_elsewhere"]

R = TypeVar("R")

_WAIT_S = 30.0
_CACHE_KB = 32_000
_NETWORKS = (
    "nfs", "cifs", "smb", "9p", "fuse", "lustre", "ceph", "gluster", "beegfs", "gpfs", "afs",
)  # fmt: skip


class CatalogWarning(UserWarning):
    """A catalog was of no use, and is made again from what it is a copy of."""


@dataclass(frozen=True, slots=True)
class CatalogLayout:
    """Where in its directory a catalog is, its tables as SQL, and what they are a copy of."""

    path: str
    tables: str
    version: int
    source: str


_OF_STORE = CatalogLayout(CATALOG, TABLES, SCHEMA, "the episodes")


@dataclass(frozen=True, slots=True)
class _Opened:
    """A connection, the process and the file that it is of, and what closes it."""

    connection: sqlite3.Connection
    place: tuple[int, ...]
    close: Callable[[], object]


_of_parents: list[_Opened] = []
"""Connections that came with a fork, which SQLite lets nobody but the parent use or close."""


class CatalogFile:
    """The catalog in `root`, for one query or change at a time: without a `layout` that of a store.

    It stays open between them, as closing writes what others may still need, and waits for the
    disk. Whether the file is still that at its path is looked at each time. With `in_memory` there
    is none, nor is one begun in a directory that does not have what it is `of`.
    """

    def __init__(
        self,
        root: Path,
        layout: CatalogLayout = _OF_STORE,
        *,
        in_memory: bool = False,
        of: Callable[[Path], bool] = Path.is_dir,
    ) -> None:
        self.root, self._layout, self._of = root, layout, of
        self.path = root / layout.path
        self._has_file = not in_memory
        self._lock = RLock()
        self._memory: sqlite3.Connection | None = None
        self._opened: _Opened | None = None

    def is_in_memory(self, connection: sqlite3.Connection) -> bool:
        """Whether a connection that `use` gave is to no file."""
        return connection is self._memory

    def use(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """What `work` returns; it is called again on a new catalog when this one cannot be used."""
        with self._lock:
            has_source = self.path.exists() or self._of(self.root)
            if self._has_file and self._memory is None and has_source:
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
                finalize(self, self._memory.close)
                _prepare(self._memory)
                self._memory.executescript(self._layout.tables)
            try:
                return work(self._memory)
            finally:
                if not has_source:  # there will be a file when there is a store
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

        Raises:
            OSError: a link is in its place, which may lead to what is no catalog.
        """
        if self.path.is_symlink() or self.path.parent.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(self.path))
        self.path.parent.mkdir(exist_ok=True)
        with DirectoryLock(self.path.parent) as lock:
            lock.wait()
            yield

    def _delete(self) -> None:
        for ending in ("", "-wal", "-shm", "-journal"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)

    def _warn(self, reason: str) -> None:
        warnings.warn(
            f"{self.root}: its catalog cannot be used ({reason}); "
            f"it is made again from {self._layout.source}",
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
                if self.path.exists() and self.path.stat().st_nlink > 1:
                    self._warn("another store has the same file, as after cp -al")
                    self._delete()
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
                    for statement in self._layout.tables.split(";"):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {self._layout.version}")
            elif version != self._layout.version:
                raise sqlite3.DatabaseError(
                    f"it is of version {version}, not {self._layout.version}"
                )
        except BaseException:
            connection.close()
            raise
        return connection


def _prepare(connection: sqlite3.Connection) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
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


def is_changed_elsewhere(connection: sqlite3.Connection) -> bool:
    """Whether another connection has begun a change of the catalog; that is not waited for."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return True
    finally:
        connection.execute(f"PRAGMA busy_timeout = {_WAIT_S * 1000:.0f}")
    connection.execute("ROLLBACK")
    return False


def is_on_network(root: Path) -> bool:
    """Whether a directory is on a file system of another machine, by the kernel's table.

    On Windows by its full path, which for a drive of another machine begins with that one's name.
    """
    if not hasattr(os, "major"):
        return os.path.realpath(root).startswith("\\\\")
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
