"""Atomic files and directories: complete or absent, whatever happens while they are written.

They are built under a temporary name in the same directory, synced, and renamed; the directory is
synced too, so that the new name survives a power cut. After a failure nothing half-written is left;
a refusal of the disk is a `DiskError` that names the path.
"""

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import islice, takewhile
from pathlib import Path
from typing import BinaryIO, TypeVar

from tapwright.errors import DiskError, UsageError
from tapwright.files.lock import DirectoryLock, try_lock
from tapwright.files.regular import BYTES, OPENS_DIRECTORIES

T = TypeVar("T")

_FILES_WORTH_A_SYNC = 500
_SYNCS_AT_ONCE = 8
_READERS_S = 2.0
_READERS_POLL_S = 0.01
_WAY_OUT = "free some space or choose another directory"
_MAY_WRITE = "give yourself the right to write there, or choose another directory"
_MORE_FILES = "allow more open files: ulimit -n 4096"
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""What a disk refuses to who writes, and to nobody who reads."""

_WAYS_OUT = {
    errno.EACCES: _MAY_WRITE,
    errno.EPERM: _MAY_WRITE,
    errno.EROFS: _MAY_WRITE,
    errno.EMFILE: _MORE_FILES,
    errno.ENFILE: _MORE_FILES,
    errno.ELOOP: "a link lies there, through which nothing is written: remove it",
    errno.EMLINK: "copy it to a file of its own: cp FILE COPY && mv COPY FILE",
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


def write_inside(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a directory of ours, by their names there, as `write_atomically` does.

    All are on disk then; after a failure some may be, each of them whole.

    Raises:
        DiskError: one of the folders on the way is a link, which may lead anywhere.
    """
    for folder in {folder for name in files for folder in Path(name).parents[:-1]}:
        refuse_link(root / folder)
    _side_by_side(lambda name: write_atomically(root / name, files[name]), list(files))


def refuse_link(path: Path) -> None:
    """Check that what is ours is no link: a stranger's store may have one there.

    Raises:
        DiskError: it is one, through which anything might be written or removed.
    """
    if path.is_symlink():
        raise disk_error(path, OSError(errno.ELOOP, os.strerror(errno.ELOOP)))


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
            replace_file(beside, path)
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
    path: Path,
    renaming: Callable[[], AbstractContextManager[object]] = nullcontext,
    *,
    sync: bool = True,
) -> Iterator[Path]:
    """A new directory to fill, which becomes `path` in one move when the block ends well.

    `renaming` is entered for the moments in which names beside `path` change. Without `sync` the
    block itself calls `sync_tree`.

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
                if sync:
                    sync_tree(beside)
                with renaming():
                    rename_directory(beside, path)
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
                sync_tree(beside)
                for directory, _, names in os.walk(beside):
                    target = path / Path(directory).relative_to(beside)
                    _make_directory(target)
                    for name in names:
                        replace_file(Path(directory, name), target / name)
                    _sync(target)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def _held_directory(path: Path) -> Iterator[None]:
    """Lock a directory: what nobody holds was left by a kill (`temporary`)."""
    with DirectoryLock(path) as lock:
        lock.take()
        yield


def _beside(path: Path) -> Path:
    # A name may have 255 bytes, which four times 40 and the rest stay below.
    return path.with_name(f".{path.name[:40]}.{os.urandom(4).hex()}.part")


def replace_file(source: Path, target: Path) -> None:
    """Give a file another name, which a file that has it loses.

    Raises:
        OSError: the system refuses.
    """
    _once_readers_let(lambda: source.replace(target))


def rename_directory(source: Path, target: Path) -> None:
    """Give a directory a name that no other has.

    Raises:
        OSError: the system refuses.
    """
    _once_readers_let(lambda: source.rename(target))


def _once_readers_let(rename: Callable[[], object]) -> None:
    """Windows renames nothing that anybody has open, and a reader has it open for a moment."""
    until_s = time.monotonic() + (0.0 if OPENS_DIRECTORIES else _READERS_S)
    while True:
        try:
            rename()
        except PermissionError:
            if time.monotonic() >= until_s:
                raise
            time.sleep(_READERS_POLL_S)
        else:
            return


def _make_directory(path: Path) -> None:
    missing = list(takewhile(lambda one: not one.exists(), (path, *path.parents)))
    path.mkdir(parents=True, exist_ok=True)
    for one in missing:
        _sync(one.parent)


def sync_tree(path: Path) -> None:
    """Sync all that is below a directory, and itself.

    Raises:
        OSError: the disk fails.
    """
    files = (entry for entry in _entries(path) if not entry.is_dir(follow_symlinks=False))
    # One for the whole machine takes less time than thousands one after the other.
    many = sum(1 for _ in islice(files, _FILES_WORTH_A_SYNC + 1)) > _FILES_WORTH_A_SYNC
    if many and sync_all():
        return
    _side_by_side(_sync, [*(Path(entry.path) for entry in _entries(path)), path])


def _side_by_side(call: Callable[[T], object], given: Sequence[T]) -> None:
    """Call it for each, to its end, whichever fails; then the first failure is raised.

    A disk syncs what is asked of it at once in about the time of one.
    """
    if len(given) == 1:
        call(given[0])
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SYNCS_AT_ONCE) as pool:
        called = [pool.submit(call, one) for one in given]
    for one in called:
        one.result()


def _entries(path: Path | str) -> Iterator[os.DirEntry[str]]:
    """All that is below a directory, one after the other: a listing of it may be long."""
    with os.scandir(path) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                yield from _entries(entry.path)
            yield entry


def sync_all() -> bool:
    """Let all that was written survive a power cut; False where a system has no call for it."""
    if not hasattr(os, "sync"):
        return False
    os.sync()
    return True


def sync_directory(path: Path) -> None:
    """Let the names in a directory survive a power cut.

    Raises:
        DiskError: the disk fails.
    """
    with wrap_disk_errors(path):
        _sync(path)


def _sync(path: Path) -> None:
    if not OPENS_DIRECTORIES:
        _sync_on_windows(path)
        return
    handle = os.open(path, os.O_RDONLY | BYTES)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_on_windows(path: Path) -> None:
    """Sync a file that one may write, as the system asks; names it keeps by itself."""
    with suppress(PermissionError):
        if not path.is_dir():
            with path.open("r+b") as file:
                os.fsync(file.fileno())
