"""Opens files that a stranger may have put there: regular ones only.

A named pipe would let a reader wait for ever, and a device such as `/dev/zero` never ends. Either,
a socket and a directory are refused by an `OSError` whose `strerror` says what is there, so that
whoever reads a file reports it as any other that cannot be read. When the system gives no more open
files, that is no such error: nobody may take a whole file for a broken one and go on without it.
"""

import errno
import io
import os
import stat
from pathlib import Path
from typing import TextIO

from tapwright.files.errors import RESOURCE_LIMIT
from tapwright.files.limits import MAX_FILE_BYTES
from tapwright.files.opening import BYTES, NO_WAIT

__all__ = ["open_regular", "open_regular_text", "read_regular"]

_MORE_BYTES = 1 << 20
_KINDS = {
    stat.S_IFIFO: "a named pipe, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFDIR: os.strerror(errno.EISDIR),
}


def open_regular(path: Path) -> io.BufferedReader:
    """Opens a regular file to read its bytes.

    Raises:
        OSError: it cannot be opened, or is no regular file.
        TapwrightError: too many files are open.
    """
    handle, _ = _open(path)
    return os.fdopen(handle, "rb")


def _open(path: Path) -> tuple[int, int]:
    """The handle of a regular file, and its size in bytes; raises as `open_regular` does."""
    try:
        # Without blocking: to open a pipe is to wait for who writes to it.
        handle = os.open(path, os.O_RDONLY | BYTES | NO_WAIT)
    except OSError as error:
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


def open_regular_text(path: Path, encoding: str, *, newline: str | None = None) -> TextIO:
    """Opens a regular file to read its text.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    return io.TextIOWrapper(open_regular(path), encoding=encoding, newline=newline)


def read_regular(path: Path) -> bytes:
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
