"""Temporary files and directories that a killed process left behind: found and removed.

Whoever makes one holds a lock on it; the kernel lets go of the lock however its owner ends. So what
nobody holds is left over. Temporary directories are swept whenever the next one of their kind is
made, and with half-written files beside their targets by `tapwright clean`.
"""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tapwright.files.links import is_mine
from tapwright.files.lock import DirectoryLock, try_lock
from tapwright.files.regular import BYTES, NO_LINK, NO_WAIT

__all__ = [
    "OwnedDirectory", "is_left_over", "left_over_directories", "left_over_parts",
    "owned_directory", "remove_part",
]  # fmt: skip

_PART = re.compile(r"\..{0,60}\.[0-9a-f]{8}\.(part|lock)", re.DOTALL)
_LOCK = "owner.lock"
# A file or folder is made a moment before it is locked.
_YOUNG_S = 2.0
_YOUNG_FOLDER_S = 60.0


class OwnedDirectory:
    """A new directory at `path`, in the system's own for temporary files; named by `prefix`."""

    def __init__(self, prefix: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | BYTES, 0o600)
        try_lock(self._lock)
        for path in left_over_directories(self.path.parent, prefix):
            _remove(path)

    def remove(self) -> None:
        """Remove it with all that is in it; more than once is allowed."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)
        _remove(self.path)


@contextmanager
def owned_directory(prefix: str) -> Iterator[Path]:
    """An empty directory below an `OwnedDirectory`, which goes when the block ends."""
    owned = OwnedDirectory(prefix)
    try:
        inner = owned.path / "files"
        inner.mkdir()
        yield inner
    finally:
        owned.remove()


def left_over_directories(folder: Path, prefix: str) -> Iterator[Path]:
    """The directories of dead processes with this prefix."""
    for path in folder.glob(f"{prefix}*"):
        # Another process may sweep at the same time, and other users' folders are not ours.
        with suppress(OSError):
            status = path.lstat()
            if time.time() - status.st_mtime < _YOUNG_FOLDER_S or not is_mine(status):
                continue
            lock = os.open(path / _LOCK, os.O_RDWR | BYTES | NO_LINK)
            try:
                is_dead = try_lock(lock)
            finally:
                os.close(lock)
            if is_dead:
                yield path


def left_over_parts(root: Path) -> Iterator[Path]:
    """What dead processes left half-written below a directory; links are not followed."""
    for folder, folders, names in os.walk(root):
        for name in [*folders, *names]:
            path = Path(folder, name)
            if _PART.fullmatch(name) and is_left_over(path):
                yield path
        folders[:] = [name for name in folders if not _PART.fullmatch(name)]


def is_left_over(path: Path) -> bool:
    """Whether nobody is writing this file or directory any more."""
    try:
        if path.is_symlink() or time.time() - path.stat().st_mtime < _YOUNG_S:
            return False
        if path.is_dir():
            with DirectoryLock(path) as lock:
                return lock.take()
        handle = os.open(path, os.O_RDONLY | BYTES | NO_LINK | NO_WAIT)
    except OSError:
        return False
    try:
        return try_lock(handle)
    finally:
        os.close(handle)


def remove_part(path: Path) -> int:
    """Remove a half-written file or directory; returns the bytes that this freed."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    freed = sum(one.lstat().st_size for one in files)
    if path.is_dir():
        _remove(path)
    else:
        path.unlink(missing_ok=True)
    return freed


def _remove(directory: Path) -> None:
    """Remove a directory, its lock last: what a kill leaves of it is known to be a dead one's."""
    with suppress(OSError):
        for path in directory.iterdir():
            if path.name != _LOCK:
                shutil.rmtree(path, ignore_errors=True)
                path.unlink(missing_ok=True)
    shutil.rmtree(directory, ignore_errors=True)
