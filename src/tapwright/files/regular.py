"""Opens files: regular ones where a stranger may have put others, and many ahead of reading them.

A named pipe would let a reader wait for ever, and a device such as `/dev/zero` never ends. Either,
a socket and a directory are refused by an `OSError` whose `strerror` says what is there, so that
whoever reads a file reports it as any other that cannot be read. When the system gives no more open
files, that is no such error: nobody may take a whole file for a broken one and go on without it.
"""

import errno
import io
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

from tapwright.files.errors import RESOURCE_LIMIT

__all__ = [
    "BYTES", "MAX_FILE_BYTES", "NO_LINK", "NO_WAIT", "OPENS_DIRECTORIES", "OWN", "open_regular",
    "open_regular_text", "open_to_add", "read_ahead", "read_part", "read_regular", "write_new",
]  # fmt: skip

MAX_FILE_BYTES = 2_000_000_000
"""Bytes of a file that is read as a whole."""

BYTES: Final[int] = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""For every file: bytes as they are, for this process alone."""
NO_LINK: Final[int] = getattr(os, "O_NOFOLLOW", 0)
NO_WAIT: Final[int] = getattr(os, "O_NONBLOCK", 0)
OWN: Final[int] = BYTES | NO_LINK | NO_WAIT
"""For a file of one's own: a link or a named pipe in its place is refused, not followed."""
OPENS_DIRECTORIES: Final = hasattr(os, "O_DIRECTORY")
"""Whether a directory can be opened, as it can not on Windows."""


def read_ahead(paths: Iterable[str]) -> None:
    """Ask for these files, where the system takes such wishes; what cannot be opened is skipped."""
    if not hasattr(os, "posix_fadvise"):
        return  # macOS, Windows
    for path in paths:
        with suppress(OSError):
            handle = os.open(path, os.O_RDONLY | BYTES | NO_WAIT)
            try:
                os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_WILLNEED)
            finally:
                os.close(handle)


_MORE_BYTES = 1 << 20
_KINDS = {
    stat.S_IFIFO: "a named pipe, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFDIR: os.strerror(errno.EISDIR),
}


def open_regular(path: Path, *, follow: bool = True) -> io.BufferedReader:
    """Opens a regular file to read its bytes; unless `follow`, a link in its place is none.

    Raises:
        OSError: it cannot be opened, or is no regular file.
        TapwrightError: too many files are open.
    """
    handle, _ = _open(path, follow=follow)
    return os.fdopen(handle, "rb")


def _open(path: Path | str, *, follow: bool = True) -> tuple[int, int]:
    """The handle of a regular file, and its size in bytes; raises as `open_regular` does."""
    try:
        # Without blocking: to open a pipe is to wait for who writes to it.
        handle = os.open(path, os.O_RDONLY | BYTES | NO_WAIT | (0 if follow else NO_LINK))
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise OSError(errno.EINVAL, "a link, not a file", str(path)) from error
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise RESOURCE_LIMIT(
                f"{path}: cannot be read: {error.strerror}",
                hint="what was written is intact; allow more open files: ulimit -n 4096, and "
                "repeat the command",
            ) from error
        raise
    try:
        status = os.fstat(handle)
        kind = _KINDS.get(stat.S_IFMT(status.st_mode))
        if kind is not None:
            raise OSError(errno.EINVAL, kind, str(path))
        return handle, status.st_size
    except BaseException:
        os.close(handle)
        raise


def open_to_add(path: Path, flags: int = os.O_RDWR) -> int:
    """The handle of a file that is added to, under this name alone.

    Raises:
        OSError: it cannot be opened or made, a link is in its place, or it has a second name (a
            hard link), under which what is added would be in another file, too.
    """
    handle = os.open(path, flags | os.O_APPEND | OWN, 0o666)
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
        os.close(handle)
        raise OSError(errno.EMLINK, "it is another file as well (a hard link)", str(path))
    return handle


def open_regular_text(path: Path, encoding: str, *, newline: str | None = None) -> TextIO:
    """Opens a regular file to read its text.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    return io.TextIOWrapper(open_regular(path), encoding=encoding, newline=newline)


def read_part(path: Path | str, start: int, length: int) -> bytes:
    """Reads so many bytes of a regular file, or what there is of them.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    handle, _ = _open(path)
    try:
        os.lseek(handle, start, os.SEEK_SET)
        return os.read(handle, length)
    finally:
        os.close(handle)


def read_regular(path: Path | str) -> bytes:
    """Reads a regular file as a whole.

    Raises:
        OSError: it cannot be read, is no regular file, or is too large.
    """
    handle, size = _open(path)
    try:
        if size > MAX_FILE_BYTES:
            why = f"{size:,} bytes; at most {MAX_FILE_BYTES:,} are read at once"
            raise OSError(errno.EFBIG, why, str(path))
        # Python's file objects ask the system five things more for each file.
        parts = [os.read(handle, size + 1)]
        while parts[-1]:
            parts.append(os.read(handle, _MORE_BYTES))
        return b"".join(parts) if len(parts) > 2 else parts[0]
    finally:
        os.close(handle)


def write_new(path: Path | str, data: bytes) -> bool:
    """Writes a file, unless there is one; whether it was written.

    Raises:
        OSError: it cannot be written.
    """
    try:
        # One system call says whether there is one, and makes the file if not.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BYTES, 0o666)
    except FileExistsError:
        return False
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(handle, left) :]
    finally:
        os.close(handle)
    return True
