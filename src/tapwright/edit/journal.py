"""An edit of many episodes that is under way, on disk, so that after a kill it can go on.

    <store>/.edits/<name>/journal.json      which edit it is, and of which episodes

`name` is made of what the command named: the same command finds the edit that it began. Each
version that the edit makes carries its id, so that none is made twice. The directory goes when the
edit is done; while it is under way it is locked.
"""

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from tapwright.files.atomic import wrap_disk_errors, write_atomically
from tapwright.files.jsonl import to_json
from tapwright.files.lock import try_lock
from tapwright.files.regular import read_regular
from tapwright.store.errors import EditConflictError
from tapwright.store.records import FrozenRecord

__all__ = ["EditJournal", "PendingEdit", "open_journal", "pending_edits"]

_FOLDER = ".edits"
_FILE = "journal.json"


class PendingEdit(FrozenRecord):
    """An edit that was begun: its `modifiers` on the episodes `ids`, of which `named` were named.

    `named` is empty when the command named none, which means all. `new` are the episodes that the
    edit adds.
    """

    edit_id: str
    modifiers: str
    named: tuple[str, ...]
    ids: tuple[str, ...]
    new: tuple[str, ...]


_ADAPTER = TypeAdapter(PendingEdit)


@dataclass(slots=True)
class EditJournal:
    """The journal of one edit; `pending` is what an earlier command began, if one did."""

    directory: Path
    modifiers: str
    named: tuple[str, ...]
    pending: PendingEdit | None

    def begin(self, ids: Sequence[str], new: Sequence[str]) -> PendingEdit:
        """Write down that the edit of `ids` begins; one that was begun goes on as it is.

        Raises:
            DiskError: the disk is full or not writable.
        """
        if self.pending is None:
            self.pending = PendingEdit(
                edit_id=secrets.token_hex(8),
                modifiers=self.modifiers,
                named=self.named,
                ids=tuple(ids),
                new=tuple(new),
            )
            write_atomically(self.directory / _FILE, to_json(self.pending))
        return self.pending


@contextmanager
def open_journal(root: Path, modifiers: str, named: Sequence[str]) -> Iterator[EditJournal]:
    """The journal of an edit of the store at `root`; it goes when the block ends well.

    Raises:
        EditConflictError: another process is making just this edit.
        DiskError: the disk is full or not writable.
    """
    words = "\0".join((modifiers, *named))
    digest = hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    directory = root / _FOLDER / digest
    with wrap_disk_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        handle = os.open(directory, os.O_RDONLY)
    try:
        if not try_lock(handle):
            raise EditConflictError(
                f"{root}: another process is making this edit",
                hint="wait for it; `tapwright episodes log` shows what it has changed",
            )
        journal = EditJournal(directory, modifiers, tuple(named), _read(directory))
        try:
            yield journal
        except BaseException:
            if journal.pending is None:
                _remove(directory)
            raise
        _remove(directory)
    finally:
        os.close(handle)


def pending_edits(root: Path) -> list[PendingEdit]:
    """The edits of a store that were begun and did not end."""
    found = sorted((root / _FOLDER).glob(f"*/{_FILE}"))
    return [edit for path in found if (edit := _read(path.parent)) is not None]


def _read(directory: Path) -> PendingEdit | None:
    try:
        return _ADAPTER.validate_json(read_regular(directory / _FILE))
    except (OSError, ValidationError):
        return None  # it was not begun, for a journal is written in one move


def _remove(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    with suppress(OSError):  # another edit is under way
        directory.parent.rmdir()
