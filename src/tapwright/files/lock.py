"""One process at a time: locks on files and directories themselves.

A lock is the kernel's (`flock`), so it ends with the process however that ends, `kill -9` included,
and leaves nothing behind. The library filelock would need a lock file beside each ledger and each
episode, which it removes again: stores are copied and mirrored file by file while they are in use.

Windows has no `flock`. A file is locked there by a byte of its own, and a directory, which cannot
be opened, by an empty file beside it that is there while somebody has or wants the lock.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, Self

from tapwright.errors import DiskError
from tapwright.files.regular import BYTES

__all__ = ["DirectoryLock", "try_lock", "unlock", "wait_for_lock"]


try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

    _FLOCK = True
except ModuleNotFoundError:  # Windows
    _FLOCK = False

_POLL_S = 0.01


class _HasFileno(Protocol):
    def fileno(self) -> int: ...


def try_lock(file: int | _HasFileno) -> bool:
    """Lock an open file until it is closed; False when another holder has it."""
    if not _FLOCK:
        return try_lock_byte(_handle(file))
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_for_lock(file: int | _HasFileno) -> None:
    """Lock an open file until it is closed, after every other holder has closed it."""
    if _FLOCK:
        flock(file, LOCK_EX)
        return
    while not try_lock(file):
        time.sleep(_POLL_S)


def unlock(file: int | _HasFileno) -> None:
    """Give a lock back before the file is closed.

    A process that another thread is just starting holds every open file for a moment, and with it
    a lock that only its closing would end.
    """
    if _FLOCK:
        flock(file, LOCK_UN)
    else:
        unlock_byte(_handle(file))


class DirectoryLock:
    """The lock of the directory that is at `path` now; nobody has it yet.

    Raises:
        FileNotFoundError: there is none.
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._beside: Path | None = None
        if _FLOCK:
            self._handle = os.open(path, os.O_RDONLY | BYTES)
            self._found = os.fstat(self._handle)
        else:
            self._found = path.stat()
            self._beside = _file_beside(path)
            self._handle = os.open(self._beside, os.O_RDWR | os.O_CREAT | BYTES, 0o666)

    def take(self) -> bool:
        """Lock it; False when another holder has it."""
        return try_lock(self._handle)

    def wait(self) -> None:
        """Lock it, after every other holder has released it."""
        wait_for_lock(self._handle)

    def is_there(self) -> bool:
        """Whether its path still leads to the directory."""
        try:
            return os.path.samestat(self._found, self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give it back, if it was taken; once only."""
        unlock(self._handle)
        os.close(self._handle)
        if self._beside is not None:
            with suppress(OSError):  # another one, who has it open, removes it
                self._beside.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


def _handle(file: int | _HasFileno) -> int:
    return file if isinstance(file, int) else file.fileno()


def _file_beside(path: Path) -> Path:
    """The file by which a directory is locked; `tapwright clean` removes what a kill leaves."""
    name = os.path.normcase(path.name)  # two spellings of one directory have one lock
    import hashlib

    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return path.with_name(f".{name[:40]}.{digest}.lock")


_PLACE = 1 << 40


def try_lock_byte(handle: int) -> bool:
    """Lock an open file until it is closed; False when another handle has it locked."""
    system = _locking()
    with _at_the_byte(handle):
        try:
            system.locking(handle, system.LK_NBLCK, 1)
        except PermissionError:
            return False
    return True


def unlock_byte(handle: int) -> None:
    """Give a lock back; one that was not had, too."""
    system = _locking()
    with _at_the_byte(handle), suppress(OSError):
        system.locking(handle, system.LK_UNLCK, 1)


@cache
def _locking() -> Any:
    try:
        return import_module("msvcrt")  # by its name, as types know it on Windows alone
    except ModuleNotFoundError as error:
        raise DiskError(
            "this Python can lock no file: it has neither fcntl nor msvcrt",
            hint="reading needs no lock; to write, use a Python of Linux, macOS or Windows",
        ) from error


@contextmanager
def _at_the_byte(handle: int) -> Iterator[None]:
    """Put the file's place, from which `locking` counts, at the byte; then back."""
    place = os.lseek(handle, 0, os.SEEK_CUR)
    os.lseek(handle, _PLACE, os.SEEK_SET)
    try:
        yield
    finally:
        os.lseek(handle, place, os.SEEK_SET)
