"""The account of an import: what a source holds, and of all that did not come in, why.

Readers note what they open, use and leave out as they go; the job that reads a source keeps the
account, of which `seen == read + left out` holds for each kind. Nobody keeps one where a format is
read by itself: then nothing is noted.

    files      every file below what was given; left out is what no reader opened
    episodes   what a reader came across
    steps      refused ones, and those that were lost with the rest of a recording
    pictures   one for each step; a stand-in takes the place of one that is missing
    fields     every field of a record, by its name; those that no reader uses
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

__all__ = [
    "KINDS", "Account", "Kind", "LeftOut", "OpenedFiles", "Totals", "keep_account", "note_broken",
    "note_fields", "note_file", "note_left_out", "note_passed_over", "take_last",
]  # fmt: skip

Kind: TypeAlias = Literal["files", "episodes", "steps", "pictures", "fields"]
KINDS: tuple[Kind, ...] = ("files", "episodes", "steps", "pictures", "fields")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What did not come in: where it is, the reason, and how many such there are.

    `is_fault` says that it should be there, or could not be read.
    """

    kind: Kind
    where: str
    reason: str
    count: int = 1
    is_fault: bool = False


@dataclass(frozen=True, slots=True)
class Totals:
    """How many of a kind were seen, and how many of them left out."""

    seen: int = 0
    left_out: int = 0

    @property
    def read(self) -> int:
        """How many came in."""
        return self.seen - self.left_out


@dataclass(slots=True)
class OpenedFiles:
    """The files read in one import; `is_partial` when some were read in an earlier one.

    `passed_over` are files that a reader knows and leaves out on purpose, with the reason.
    """

    names: set[str] = field(default_factory=set)
    passed_over: dict[str, str] = field(default_factory=dict)
    is_partial: bool = False

    def __contains__(self, path: Path) -> bool:
        return os.path.abspath(path) in self.names

    def why_passed_over(self, path: Path) -> str:
        """Why a reader left a file out on purpose; "" where none did."""
        return self.passed_over.get(os.path.abspath(path), "")


@dataclass(slots=True)
class Account:
    """What was seen of a source, and what of it was left out.

    `opened` are the files that were read, of this source and of those before it; `broken` is the
    first thing that should be there, and is not or cannot be read.
    """

    opened: OpenedFiles = field(default_factory=OpenedFiles)
    seen: Counter[Kind] = field(default_factory=Counter)
    left: Counter[Kind] = field(default_factory=Counter)
    broken: str = ""
    _noted: list[LeftOut] = field(default_factory=list)
    _fields: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def add(self, kind: Kind, count: int = 1) -> None:
        """Count what was seen and read."""
        self.seen[kind] += count

    def leave_out(self, one: LeftOut) -> None:
        """Count what was seen and left out."""
        self.seen[one.kind] += one.count
        self.left[one.kind] += one.count
        self._noted.append(one)

    def add_fields(self, used: int, unused: Iterable[tuple[str, bool]]) -> None:
        """Count fields that were used, and unused ones: their names, and whether known."""
        self.seen["fields"] += used
        for one in unused:
            self.seen["fields"] += 1
            self._fields[one] += 1

    def rename(self, old: str, new: str) -> None:
        """Name the places of what was unpacked by its archive."""
        self._noted = [
            replace(one, where=one.where.replace(old, new), reason=one.reason.replace(old, new))
            for one in self._noted
        ]

    def left_out(self) -> list[LeftOut]:
        """All that was left out."""
        fields = [
            LeftOut("fields", name, _UNUSED if known else _UNKNOWN, count)
            for (name, known), count in sorted(self._fields.items())
        ]
        return [*self._noted, *fields]


_UNUSED = "known, and not used by its reader"
_UNKNOWN = "a field that its reader does not know"
_KEPT: ContextVar[Account | None] = ContextVar("account", default=None)


@contextmanager
def keep_account(opened: OpenedFiles) -> Iterator[Account]:
    """Keep an account of what is read meanwhile; `opened` is what was read before."""
    account = Account(opened)
    token = _KEPT.set(account)
    try:
        yield account
    finally:
        _KEPT.reset(token)


def note_file(path: Path) -> None:
    """Note that a file was read; of a link also what it leads to, as in a hub's cache."""
    if (account := _KEPT.get()) is None:
        return
    names, name = account.opened.names, os.path.abspath(path)
    if name not in names:  # a picture is read a few times
        names.add(name)
        if path.is_symlink():
            names.add(os.path.realpath(path))


def note_passed_over(path: Path, reason: str) -> None:
    """Note that a file is known, and left out on purpose."""
    if (account := _KEPT.get()) is not None:
        account.opened.passed_over[os.path.abspath(path)] = reason


def note_fields(used: int, unused: Iterable[tuple[str, bool]]) -> None:
    """Note how many fields were used, and the unused ones: their names, and whether known."""
    if (account := _KEPT.get()) is not None:
        account.add_fields(used, unused)


def note_broken(reason: str) -> None:
    """Note that something of a recording is broken, and that the recording is kept all the same."""
    if (account := _KEPT.get()) is not None:
        account.broken = account.broken or reason


def note_left_out(
    kind: Kind, where: str, reason: str, count: int = 1, *, is_fault: bool = True
) -> None:
    """Note what is not in a recording, or cannot be read; a fault is what should be there."""
    if (account := _KEPT.get()) is not None:
        account.leave_out(LeftOut(kind, where, reason, count, is_fault))
        if is_fault:
            note_broken(reason)


def take_last(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A record of JSON by its names and values; a name that stands more than once is noted."""
    record = dict(pairs)
    if len(record) < len(pairs):
        for name, count in Counter(name for name, _ in pairs).items():
            if count > 1:
                reason = "stands more than once in a record, of which the last counts"
                note_left_out("fields", f"{where}: {name}", reason, count - 1)
    return record
