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

from tapwright.files.errors import ResourceLimitError
from tapwright.files.limits import MAX_FILE_BYTES

__all__ = ["open_regular", "open_regular_text", "read_regular"]

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
        ResourceLimitError: too many files are open.
    """
    try:
        # Without blocking: to open a pipe is to wait for who writes to it.
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise ResourceLimitError(
                f"{path}: cannot be read: {error.strerror}",
                hint="what was written is intact; allow more open files: ulimit -n 4096, and "
                "repeat the command",
            ) from error
        raise
    try:
        kind = _KINDS.get(stat.S_IFMT(os.fstat(handle).st_mode))
        if kind is not None:
            raise OSError(errno.EINVAL, kind, str(path))
        return os.fdopen(handle, "rb")
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
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_FILE_BYTES:
            why = f"{size:,} bytes; at most {MAX_FILE_BYTES:,} are read at once"
            raise OSError(errno.EFBIG, why, str(path))
        return file.read()
