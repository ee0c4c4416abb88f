"""Locks of one byte of an open file, for systems without `flock`: Windows, by `msvcrt.locking`.

https://learn.microsoft.com/cpp/c-runtime-library/reference/locking

Nobody else can read or write what is locked there, so the byte is one that no file has: far beyond
its end, as in SQLite's files (https://www.sqlite.org/lockingv3.html).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from typing import Any

from tapwright.errors import DiskError

__all__ = ["try_lock_byte", "unlock_byte"]

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
