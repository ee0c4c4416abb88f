"""What was done to many episodes at once, so that it can be undone after a reload or a restart.

    <store>/.bulk/<change>.jsonl    the change and its episodes; its end; that it was undone

The versions, tags and reviews that a change writes carry its id, so what it did is found in the
episodes themselves, however far it came.
"""

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tapwright.errors import CorruptEpisodeError
from tapwright.files.atomic import refuse_link
from tapwright.files.jsonl import JsonlWriter, now_text, parse_lines, read_lines, to_json
from tapwright.store.records import FrozenRecord
from tapwright.web.errors import ResourceNotFoundError

__all__ = ["BulkChange", "BulkLedger", "ChangeFacts", "ChangeKind", "new_change_id"]

ChangeKind: TypeAlias = Literal["tag", "edit", "remove", "review"]

_FOLDER = ".bulk"
_KEPT = 200


class _Begun(FrozenRecord):
    line: Literal["begun"] = "begun"
    kind: ChangeKind
    words: str
    who: str
    time: str
    ids: tuple[str, ...]


class _Ended(FrozenRecord):
    line: Literal["ended"] = "ended"
    changed: int
    left: int
    time: str


class _Undone(FrozenRecord):
    line: Literal["undone"] = "undone"
    who: str
    time: str


_LINE: TypeAdapter[_Begun | _Ended | _Undone] = TypeAdapter(
    Annotated[_Begun | _Ended | _Undone, Field(discriminator="line")]
)


@dataclass(frozen=True, slots=True)
class ChangeFacts:
    """A change of many episodes: who made it when (ISO 8601, UTC), and in short `words` what.

    `words` are the tags, the modifiers, or the state and the reason of a review. `changed` is None
    while it goes on, and when a kill ended it. `undone_by` is "" until somebody undid it.
    """

    id: str
    kind: ChangeKind
    words: str
    who: str
    time: str
    changed: int | None
    undone_by: str


@dataclass(frozen=True, slots=True)
class BulkChange(ChangeFacts):
    """A change, with the episodes that it is of."""

    ids: tuple[str, ...]


class BulkLedger:
    """The changes of the store at `root`; the last 200 are kept."""

    def __init__(self, root: Path) -> None:
        self._folder = root / _FOLDER

    def begin(
        self, change: str, kind: ChangeKind, words: str, who: str, ids: Sequence[str]
    ) -> None:
        """Write down that a change begins.

        Raises:
            DiskError: the disk is full or not writable; then nothing may be changed.
        """
        refuse_link(self._folder)
        begun = _Begun(kind=kind, words=words[:1000], who=who, time=now_text(), ids=tuple(ids))
        with JsonlWriter(self._folder / f"{change}.jsonl") as file:
            file.append(to_json(begun))
        for name in self._names()[_KEPT:]:
            with suppress(OSError):
                (self._folder / f"{name}.jsonl").unlink()

    def end(self, change: str, *, changed: int, left: int) -> None:
        """Write down what has become of a change; raises as `begin` does."""
        self._append(change, _Ended(changed=changed, left=left, time=now_text()))

    def undo(self, change: str, who: str) -> None:
        """Write down that a change was undone; raises as `begin` does."""
        self._append(change, _Undone(who=who, time=now_text()))

    def find(self, change: str) -> BulkChange:
        """One change.

        Raises:
            ResourceNotFoundError: there is none of this id.
            CorruptEpisodeError: its file cannot be read.
        """
        if change not in self._names():
            raise ResourceNotFoundError(
                f"there is no change {change[:40]!r}", hint="look at the list of changes"
            )
        return self._read(change)

    def latest(self, count: int) -> Iterator[BulkChange]:
        """The changes of the last time, the latest first; broken files are passed over."""
        for name in self._names()[:count]:
            with suppress(CorruptEpisodeError):
                yield self._read(name)

    def _append(self, change: str, line: _Ended | _Undone) -> None:
        with JsonlWriter(self._folder / f"{change}.jsonl") as file:
            file.recover()
            file.append(to_json(line))

    def _names(self) -> list[str]:
        try:
            found = os.listdir(self._folder)
        except OSError:
            return []
        return sorted((name[:-6] for name in found if name.endswith(".jsonl")), reverse=True)

    def _read(self, change: str) -> BulkChange:
        path = self._folder / f"{change}.jsonl"
        lines = read_lines(path, CorruptEpisodeError)
        expected = "a change of many episodes"
        begun, ended, undone_by = None, None, ""
        for line in parse_lines(lines, _LINE, path, error=CorruptEpisodeError, expected=expected):
            match line:
                case _Begun():
                    begun = line
                case _Ended():
                    ended = line
                case _Undone(who=who):
                    undone_by = who
        if begun is None:
            raise CorruptEpisodeError(f"{path}: has no first line; expected {expected}")
        return BulkChange(
            id=change,
            kind=begun.kind,
            words=begun.words,
            who=begun.who,
            time=begun.time,
            ids=begun.ids,
            changed=None if ended is None else ended.changed,
            undone_by=undone_by,
        )


def new_change_id() -> str:
    """An id for a change; later ones are larger."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(4)}"
