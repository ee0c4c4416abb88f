"""An edit of many episodes on disk, so that after a kill it goes on, and is not made twice.

    <store>/.edits/<name>/journal.json      which edit it is, and of which episodes

`name` is made of what the command named: the same command finds the edit that it began. Each
version that the edit makes carries its id, so that none is made twice. While the edit is under way
the directory is locked; the journal of the one that ended last stays, with the versions that it
left.
"""

import hashlib
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from tapwright.files.atomic import refuse_link, wrap_disk_errors, write_atomically
from tapwright.files.jsonl import to_json
from tapwright.files.lock import DirectoryLock
from tapwright.files.regular import read_regular
from tapwright.store.errors import EditConflictError
from tapwright.store.records import FrozenRecord

__all__ = ["EditJournal", "PendingEdit", "open_journal", "pending_edits"]

_FOLDER = ".edits"
_FILE = "journal.json"


class PendingEdit(FrozenRecord):
    """An edit that was begun: its `modifiers` on the episodes `ids`, of which `named` were named.

    `named` is empty when the command named none, which means all. `new` are the episodes that the
    edit adds. `left` is empty until the edit has ended; then it has the version that each of `ids`
    and `new` was left at.
    """

    edit_id: str
    modifiers: str
    named: tuple[str, ...]
    ids: tuple[str, ...]
    new: tuple[str, ...]
    left: dict[str, int] = Field(default_factory=dict)


_ADAPTER = TypeAdapter(PendingEdit)


@dataclass(slots=True)
class EditJournal:
    """The journal of one edit; `found` is what an earlier command wrote, if one did."""

    directory: Path
    modifiers: str
    named: tuple[str, ...]
    found: PendingEdit | None

    def begin(self, ids: Sequence[str], new: Sequence[str]) -> PendingEdit:
        """Write down that the edit of `ids` begins.

        Raises:
            DiskError: the disk is full or not writable.
        """
        self.found = PendingEdit(
            edit_id=secrets.token_hex(8),
            modifiers=self.modifiers,
            named=self.named,
            ids=tuple(ids),
            new=tuple(new),
        )
        write_atomically(self.directory / _FILE, to_json(self.found))
        return self.found

    def end(self, edit: PendingEdit, left: Mapping[str, int]) -> None:
        """Write down that the edit has ended; the journal of the one before it goes.

        Raises:
            DiskError: the disk is full or not writable; then the edit goes on when it is repeated.
        """
        self.found = edit.model_copy(update={"left": dict(left)})
        write_atomically(self.directory / _FILE, to_json(self.found))
        for other in self.directory.parent.iterdir():
            if other != self.directory and other.is_dir():
                _forget(other)


@contextmanager
def open_journal(root: Path, modifiers: str, named: Sequence[str]) -> Iterator[EditJournal]:
    """The journal of an edit of the store at `root`.

    Raises:
        EditConflictError: another process is making just this edit.
        DiskError: the disk is full or not writable.
    """
    words = "\0".join((modifiers, *named))
    digest = hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    directory = root / _FOLDER / digest
    refuse_link(directory.parent)
    with _hold(directory):
        journal = EditJournal(directory, modifiers, tuple(named), _read(directory))
        try:
            yield journal
        finally:
            if journal.found is None:  # it was not begun
                _remove(directory)


def pending_edits(root: Path) -> list[PendingEdit]:
    """The edits of a store that were begun and did not end."""
    found = [_read(path.parent) for path in sorted((root / _FOLDER).glob(f"*/{_FILE}"))]
    return [edit for edit in found if edit is not None and not edit.left]


def _hold(directory: Path) -> DirectoryLock:
    """The lock of the directory, which is made."""
    while True:
        with wrap_disk_errors(directory):
            try:
                directory.mkdir(parents=True, exist_ok=True)
                lock = DirectoryLock(directory)
            except FileNotFoundError:  # another edit, which ended, has just removed it
                continue
        if not lock.take():
            lock.release()
            raise EditConflictError(
                f"{directory.parent.parent}: another process is making this edit",
                hint="wait for it; `tapwright episodes log` shows what it has changed",
            )
        if lock.is_there():
            return lock
        lock.release()


def _forget(directory: Path) -> None:
    """Remove the journal of an edit that ended, or that was never begun."""
    with suppress(OSError), DirectoryLock(directory) as lock:
        if lock.take():
            edit = _read(directory)
            if edit is None or edit.left:
                _remove(directory)


def _read(directory: Path) -> PendingEdit | None:
    try:
        return _ADAPTER.validate_json(read_regular(directory / _FILE))
    except (OSError, ValidationError):
        return None  # it was not begun, for a journal is written in one move


def _remove(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    with suppress(OSError):  # another edit is under way
        directory.parent.rmdir()
