"""Atomic files and directories: complete or absent, whatever happens while they are written.

They are built under a temporary name in the same directory, synced, and renamed; the directory is
synced too, so that the new name survives a power cut. After a failure nothing half-written is left;
a refusal of the disk is a `DiskError` that names the path.
"""

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice, takewhile
from pathlib import Path
from typing import BinaryIO

from tapwright.errors import DiskError, UsageError
from tapwright.files.lock import try_lock, unlock

_FILES_WORTH_A_SYNC = 500
_WAY_OUT = "free some space or choose another directory"
_MAY_WRITE = "give yourself the right to write there, or choose another directory"
_MORE_FILES = "allow more open files: ulimit -n 4096"
_WAYS_OUT = {
    errno.EACCES: _MAY_WRITE,
    errno.EPERM: _MAY_WRITE,
    errno.EROFS: _MAY_WRITE,
    errno.EMFILE: _MORE_FILES,
    errno.ENFILE: _MORE_FILES,
}


@contextmanager
def wrap_disk_errors(path: Path | str) -> Iterator[None]:
    """Raise every `OSError` as a `DiskError` about `path`."""
    try:
        yield
    except OSError as error:
        raise disk_error(path, error) from error


def disk_error(path: Path | str, error: OSError) -> DiskError:
    """The error about `path`, with the way out of what the system refused."""
    return DiskError(
        f"{path}: cannot be written: {error.strerror or error}",
        hint=f"what was written before is intact; {_WAYS_OUT.get(error.errno or 0, _WAY_OUT)}",
    )


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file, or replace it, in one move; directories above it are made.

    Raises:
        DiskError: the disk is full or not writable; then `path` is as it was.
    """
    with atomic_file(path) as file:
        file.write(data)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A new file to fill, which becomes `path` in one move when the block ends well.

    Raises:
        DiskError: the disk is full or not writable; then `path` is as it was.
    """
    with wrap_disk_errors(path):
        _make_directory(path.parent)
        beside = _beside(path)
        try:
            with beside.open("wb") as file:
                try_lock(file)  # until it is closed: what nobody holds was left by a kill
                yield file
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        _sync(path.parent)


def check_is_new(path: Path) -> None:
    """Check that there is nothing yet where a whole directory or file is to appear in one move.

    Raises:
        UsageError: there is something.
    """
    if path.exists():
        raise UsageError(
            f"{path}: already exists",
            hint="what a command writes there is whole when it appears; name a new path for more",
        )


@contextmanager
def atomic_directory(
    path: Path, renaming: Callable[[], AbstractContextManager[object]] = nullcontext
) -> Iterator[Path]:
    """A new directory to fill, which becomes `path` in one move when the block ends well.

    `renaming` is entered for the moments in which names beside `path` change.

    Raises:
        DiskError: the disk is full or not writable, or `path` is there already; then nothing is
            left behind.
    """
    with wrap_disk_errors(path):
        _make_directory(path.parent)
        beside = _beside(path)
        try:
            with renaming():
                beside.mkdir()
            with _held_directory(beside):
                yield beside
                _sync_tree(beside)
                with renaming():
                    beside.rename(path)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
        _sync(path.parent)


@contextmanager
def atomic_files(path: Path) -> Iterator[Path]:
    """A new directory to fill, whose files go to the directory `path` when the block ends well.

    A file that is there is replaced in one move; whatever else is there stays.

    Raises:
        DiskError: the disk is full or not writable.
    """
    if not path.exists():
        with atomic_directory(path) as beside:
            yield beside
        return
    with wrap_disk_errors(path):
        beside = _beside(path)
        try:
            beside.mkdir()
            with _held_directory(beside):
                yield beside
                _sync_tree(beside)
                for directory, _, names in os.walk(beside):
                    target = path / Path(directory).relative_to(beside)
                    _make_directory(target)
                    for name in names:
                        Path(directory, name).replace(target / name)
                    _sync(target)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def _held_directory(path: Path) -> Iterator[None]:
    """Lock a directory: what nobody holds was left by a kill (`temporary`)."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try_lock(handle)
        yield
    finally:
        unlock(handle)
        os.close(handle)


def _beside(path: Path) -> Path:
    # A name may have 255 bytes, which four times 40 and the rest stay below.
    return path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")


def _make_directory(path: Path) -> None:
    missing = list(takewhile(lambda one: not one.exists(), (path, *path.parents)))
    path.mkdir(parents=True, exist_ok=True)
    for one in missing:
        _sync(one.parent)


def _sync_tree(path: Path) -> None:
    """Sync all that is below a directory, and itself."""
    files = (entry for entry in _entries(path) if not entry.is_dir(follow_symlinks=False))
    if sum(1 for _ in islice(files, _FILES_WORTH_A_SYNC + 1)) > _FILES_WORTH_A_SYNC:
        # One for the whole machine takes less time than thousands one after the other.
        os.sync()
        return
    for entry in _entries(path):
        _sync(Path(entry.path))
    _sync(path)


def _entries(path: Path | str) -> Iterator[os.DirEntry[str]]:
    """All that is below a directory, one after the other: a listing of it may be long."""
    with os.scandir(path) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                yield from _entries(entry.path)
            yield entry


def sync_directory(path: Path) -> None:
    """Let the names in a directory survive a power cut.

    Raises:
        DiskError: the disk fails.
    """
    with wrap_disk_errors(path):
        _sync(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
