"""Notes of which episodes change, so that a catalog need not look at the files of all of them.

`<store>/.catalog/changes.log` has a line before each change of an episode that is stored, and one
after it; the line before lets a change be found whose writer was killed. A file begins with a word
of its own, so that another file in its place is noticed. Only a store with a catalog has one.

When an episode comes or goes the directory of the store changes, and its times do not say by whom.
So the writer holds the lock of the log for that moment, sees whether anybody else changed a name,
gives the directory times that no other change leaves as they are, and notes those before and after.
Where such notes lead from the times at the last look to those of now, nobody else changed a name,
and the directory need not be listed.
"""

import errno
import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tapwright.files.atomic import atomic_directory, wrap_disk_errors
from tapwright.files.lock import wait_for_lock
from tapwright.files.name_watch import watching_names
from tapwright.files.regular import open_regular, open_to_add

__all__ = [
    "CATALOG", "ChangeMark", "Changes", "DirectoryTimes", "adding_episode", "directory_times",
    "mark_directory", "noting_change", "noting_name", "read_changes", "shorten_changes",
]  # fmt: skip

CATALOG = ".catalog/catalog.sqlite"
_LOG = ".catalog/changes.log"
_HEADER = 17
_LONG = 1 << 18
_ATTEMPTS = 8

DirectoryTimes: TypeAlias = tuple[int, int]
"""When the names in a directory, and when anything of it, changed last; in nanoseconds."""


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """A place in a log: its inode and first word, the bytes before, and when the log changed."""

    inode: int
    word: str
    offset: int
    changed_ns: int


@dataclass(frozen=True, slots=True)
class Changes:
    """The directories noted since a mark, the changes not ended (by their tokens), and a mark.

    `renamed` are the times of the store's directory before and after each change of names by
    tapwright alone, in order.
    """

    names: frozenset[str]
    open: Mapping[str, str]
    mark: ChangeMark
    renamed: Sequence[tuple[DirectoryTimes, DirectoryTimes]]


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


@contextmanager
def noting_name(directory: Path) -> Iterator[None]:
    """Note that the block alone changed names in a store: `directory`, and hidden ones.

    It is for `noting_change`'s moment in which the episode comes or goes. Without the note, which
    may fail, a catalog lists the store.
    """
    root, file = directory.parent, None
    if _has_catalog(root):
        with suppress(OSError):
            file = open_to_add(root / _LOG)
    if file is None:
        yield
        return
    try:
        wait_for_lock(file)
        with watching_names(root) as changed_names:
            # What changes from here on is among the names, what changed before has another time.
            before = directory_times(os.stat(root))
            yield
            after = mark_directory(root)
            names = changed_names()
        if after is None or names is None:
            return
        if all(name.startswith(".") or name == directory.name for name in names):
            times = ",".join(map(str, (*before, *after)))
            with suppress(OSError):
                _write(file, f"={times} {json.dumps(directory.name)}\n")
    finally:
        os.close(file)


@contextmanager
def adding_episode(directory: Path, *, sync: bool = True) -> Iterator[Path]:
    """A new directory to fill, which becomes the episode's in one move; noted.

    `sync` is as of `atomic_directory`.

    Raises:
        DiskError: the disk is full or not writable, or `directory` is there already; then nothing
            is left behind.
    """
    renaming = partial(noting_name, directory)
    with noting_change(directory), atomic_directory(directory, renaming, sync=sync) as beside:
        yield beside


def directory_times(found: os.stat_result) -> DirectoryTimes:
    """The times of a directory, which differ after any change of its names but for a quick one.

    Within one tick of the clock of its file system they may be the same; see `mark_directory`.
    """
    return found.st_mtime_ns, found.st_ctime_ns


def mark_directory(root: Path) -> DirectoryTimes | None:
    """Give a directory times that every later change of its names changes; None if one cannot.

    A file system takes the time of a change from the last tick of its clock, which is before a
    time that was read since, and so is never equal to it.
    """
    for _ in range(_ATTEMPTS):
        now_ns = time.time_ns()
        try:
            os.utime(root, ns=(now_ns, now_ns))
            times = directory_times(os.stat(root))
        except OSError:
            return None
        if times[0] == now_ns != times[1]:
            return times
    return None


def read_changes(root: Path, since: ChangeMark | None, open_: Mapping[str, str]) -> Changes | None:
    """What was noted since a mark; None when the log is not that of the mark, or is broken.

    Without a mark it is the changes that are open, and a log is made where there is none.

    Raises:
        OSError: the log cannot be read or made.
    """
    path = root / _LOG
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
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
    mark = ChangeMark(found.st_ino, word, begin + len(whole), found.st_ctime_ns)
    try:
        return _follow(whole.decode(), open_, mark)
    except (ValueError, RecursionError):
        return None


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


def _has_catalog(root: Path) -> bool:
    """Whether the store has a catalog of its own; a link in its place may lead anywhere."""
    place = root / CATALOG
    return place.exists() and not place.parent.is_symlink()


def _note(root: Path, line: str) -> None:
    if _has_catalog(root):
        with suppress(PermissionError):
            _append(root / _LOG, line)


def _append(path: Path, line: str) -> None:
    try:
        file = open_to_add(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        if error.errno != errno.EMLINK:
            raise
        # That of a copy by `cp -al`, too. Each catalog compares everything once for a new one.
        path.unlink(missing_ok=True)
        file = open_to_add(path, os.O_RDWR | os.O_CREAT)
    try:
        wait_for_lock(file)
        _write(file, line)
    finally:
        os.close(file)


def _write(file: int, line: str) -> None:
    length = os.fstat(file).st_size
    data = (line if length else _make_word() + line).encode()
    if os.write(file, data) != len(data):
        os.ftruncate(file, length)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _make_word() -> str:
    return secrets.token_hex(_HEADER // 2) + "\n"


def _follow(text: str, open_: Mapping[str, str], mark: ChangeMark) -> Changes:
    names, left = set[str](), dict(open_)
    renamed: list[tuple[DirectoryTimes, DirectoryTimes]] = []
    for line in text.splitlines():
        token, _, quoted = line.partition(" ")
        name = json.loads(quoted)
        if not isinstance(name, str):
            raise ValueError(line)
        names.add(name)
        match token[:1]:
            case "+":
                left[token[1:]] = name
            case "-":
                left.pop(token[1:], None)
            case "=":
                made, changed, made_then, changed_then = map(int, token[1:].split(","))
                renamed.append(((made, changed), (made_then, changed_then)))
            case _:
                raise ValueError(line)
    return Changes(frozenset(names), left, mark, renamed)
