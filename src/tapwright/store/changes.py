"""Notes of which episodes change, so that a catalog need not look at the files of all of them.

`<store>/.catalog/changes.log` has a line before each change of an episode that is stored, and one
after it; the line before lets a change be found whose writer was killed. A file begins with a word
of its own, so that another file in its place is noticed. Only a store with a catalog has one.
"""

import errno
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tapwright.files.atomic import wrap_disk_errors
from tapwright.files.lock import wait_for_lock
from tapwright.files.regular import open_regular

__all__ = ["CATALOG", "ChangeMark", "Changes", "noting_change", "read_changes", "shorten_changes"]

CATALOG = ".catalog/catalog.sqlite"
_LOG = ".catalog/changes.log"
_HEADER = 17
_LONG = 1 << 18


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """A place in a log: its inode and first word, the bytes before, and when the log changed."""

    inode: int
    word: str
    offset: int
    changed_ns: int


@dataclass(frozen=True, slots=True)
class Changes:
    """The directories noted since a mark, the changes not ended (by their tokens), and a mark."""

    names: frozenset[str]
    open: Mapping[str, str]
    mark: ChangeMark


@contextmanager
def noting_change(directory: Path) -> Iterator[None]:
    """Note that the stored episode in `directory` changes, before and after the block.

    Who may not write beside the catalog notes nothing; a catalog then finds the change when it
    compares all files.

    Raises:
        DiskError: the note cannot be written, so nothing may be changed.
    """
    root, rest = directory.parent, f"{secrets.token_hex(6)} {json.dumps(directory.name)}\n"
    with wrap_disk_errors(root / _LOG):
        _note(root, f"+{rest}")
    try:
        yield
    finally:
        # Without the second line the episode is looked at each time, which costs little.
        with suppress(OSError):
            _note(root, f"-{rest}")


def read_changes(root: Path, since: ChangeMark | None, open_: Mapping[str, str]) -> Changes | None:
    """What was noted since a mark; None when the log is not that of the mark, or is broken.

    Without a mark it is the changes that are open, and a log is made where there is none.

    Raises:
        OSError: the log cannot be read or made.
    """
    path = root / _LOG
    try:
        file = open_regular(path)
    except FileNotFoundError:
        if since is not None:
            return None
        _append(path, "")
        file = open_regular(path)
    with file:
        found = os.fstat(file.fileno())
        word = file.read(_HEADER).decode("ascii", "replace")
        begin = _HEADER if since is None else since.offset
        if since is not None:
            # The time tells one of the same word and length that was put in its place.
            same = found.st_size > begin or found.st_ctime_ns == since.changed_ns
            if (found.st_ino, word) != (since.inode, since.word) or not same:
                return None
        if found.st_size < begin:
            return None
        file.seek(begin)
        data = file.read(found.st_size - begin)
    whole = data[: data.rfind(b"\n") + 1]
    try:
        names, left = _follow(whole.decode(), open_)
    except ValueError:
        return None
    mark = ChangeMark(found.st_ino, word, begin + len(whole), found.st_ctime_ns)
    return Changes(frozenset(names), left, mark)


def shorten_changes(root: Path, mark: ChangeMark) -> ChangeMark:
    """Empty a log that is long and was read to its end; the mark in it then.

    Raises:
        OSError: the log cannot be written.
    """
    if mark.offset < _LONG:
        return mark
    with (root / _LOG).open("r+b") as file:
        wait_for_lock(file)
        found = os.fstat(file.fileno())
        if (found.st_ino, found.st_size) != (mark.inode, mark.offset):
            return mark
        word = _make_word()
        file.truncate(0)
        file.write(word.encode())
        file.flush()
        found = os.fstat(file.fileno())
    return ChangeMark(found.st_ino, word, _HEADER, found.st_ctime_ns)


def _note(root: Path, line: str) -> None:
    if os.path.exists(f"{root}/{CATALOG}"):
        with suppress(PermissionError):
            _append(root / _LOG, line)


def _append(path: Path, line: str) -> None:
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        wait_for_lock(file)
        length = os.fstat(file).st_size
        data = (line if length else _make_word() + line).encode()
        if os.write(file, data) != len(data):
            os.ftruncate(file, length)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(file)


def _make_word() -> str:
    return secrets.token_hex(_HEADER // 2) + "\n"


def _follow(text: str, open_: Mapping[str, str]) -> tuple[set[str], dict[str, str]]:
    names, left = set[str](), dict(open_)
    for line in text.splitlines():
        token, _, quoted = line.partition(" ")
        name = json.loads(quoted)
        if not isinstance(name, str) or token[:1] not in ("+", "-"):
            raise ValueError(line)
        names.add(name)
        if token[0] == "+":
            left[token[1:]] = name
        else:
            left.pop(token[1:], None)
    return names, left
