"""The log of a shared store: numbered commits, each put by one writer, that name all that is there.

    <store>/shared.json                the store's own mark
    <store>/log/000000000042.jsonl.zst a commit: its head, then a line for each episode in it
    <store>/packs/<hex>/…              packed data sets (`pack`), which commits name
    <store>/texts/<hex>                the other files of the episodes of a commit, end to end
    <store>/checkpoints/000000000042/… all that was there after a commit, in parts, to begin with
    <store>/checkpoints/000000000042.json    how many parts, and what no episode named then

As Delta's log (https://github.com/delta-io/delta/blob/master/PROTOCOL.md): the number of a commit
is the one after the last, and a name that is taken is put by nobody else, so that all see one order
without a server, whatever their clocks say. Who lost the race reads what the winner wrote, and
tries the next number. Numbers have no gaps: a reader asks for the next until there is none, so that
a listing that lags hides nothing.
"""

import json
import os
import secrets
import socket
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Annotated

from pydantic import Field, TypeAdapter

from tapwright.errors import CorruptEpisodeError
from tapwright.files.errors import RemoteFileError
from tapwright.files.jsonl import from_json, json_problem, to_json
from tapwright.files.place import Place
from tapwright.files.urls import MARK
from tapwright.formats.errors import BrokenPackError
from tapwright.store.catalog_entry import CatalogEntry
from tapwright.store.ids import directory_name
from tapwright.store.records import FrozenRecord
from tapwright.store.states import compress, decompress

__all__ = [
    "Checkpoint", "Commit", "SharedEntry", "SharedLog", "is_shared", "make_shared", "new_name",
]  # fmt: skip

_MARK_DATA = b'{"format": "tapwright shared store", "schema": 1}\n'
_AHEAD = 16
_NAME = r"[0-9a-f]{32}"


class SharedEntry(FrozenRecord):
    """What a commit says of an episode; the last one counts.

    `was` is the number of the commit that it replaces, 0 for none. Its screens are in `pack`, which
    is empty when the episode was removed; its other files are the bytes of `texts` from `start`.
    `content` is the hash of those, `shown` that of the steps that were packed. `row` is what the
    catalog says of it, with the hash of its actions and those of its `frames`; None while hidden.
    """

    id: Annotated[str, Field(min_length=1, max_length=1000)]
    was: Annotated[int, Field(ge=0)] = 0
    pack: Annotated[str, Field(pattern=rf"^({_NAME})?$")] = ""
    texts: Annotated[str, Field(pattern=rf"^({_NAME})?$")] = ""
    start: Annotated[int, Field(ge=0)] = 0
    length: Annotated[int, Field(ge=0)] = 0
    content: str = ""
    shown: str = ""
    row: CatalogEntry | None = None
    actions: str = ""
    frames: Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$")] = ""
    revision: Annotated[int, Field(ge=0)] = 0
    """In a checkpoint, the number of the commit that it is of."""

    @property
    def directory(self) -> str:
        """The name of its directory in a store."""
        return directory_name(self.id)


class _Head(FrozenRecord):
    schema_: Annotated[int, Field(alias="schema", ge=1, le=1)] = 1
    commit: str
    writer: str = ""
    time: str = ""


_HEAD = TypeAdapter(_Head)
_ENTRY = TypeAdapter(SharedEntry)
_CHECKPOINTS = "checkpoints"
_PART_ENTRIES = 2_000


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its number, the word of its own by which its writer knows it, and its entries.

    A checkpoint comes as several, of which only the last `is_whole`.
    """

    number: int
    word: str
    entries: Sequence[SharedEntry]
    is_whole: bool = True


class Checkpoint(FrozenRecord):
    """What is said of a checkpoint; `unused` are files that no episode named at that commit."""

    number: Annotated[int, Field(ge=1)]
    parts: Annotated[int, Field(ge=1)]
    unused: tuple[str, ...] = ()


_CHECKPOINT = TypeAdapter(Checkpoint)


def is_shared(place: Place) -> bool:
    """Whether there is a shared store.

    Raises:
        RemoteFileError: it cannot be read, or is of another version of tapwright.
    """
    data = place.read(MARK)
    if data is None:
        return False
    try:
        schema = json.loads(data)["schema"]
    except (ValueError, TypeError, KeyError) as error:
        raise RemoteFileError(f"{place.url}/{MARK}: not the mark of a shared store") from error
    if schema != 1:
        raise RemoteFileError(
            f"{place.url}: a shared store of schema {schema}; this tapwright reads 1",
            hint="upgrade tapwright",
        )
    return True


def make_shared(place: Place) -> None:
    """Make a shared store of an empty place; one that is there stays as it is.

    Raises:
        RemoteFileError: something else is there, it cannot be written, or it has no way to put a
            file only where there is none.
    """
    if is_shared(place):
        return
    if found := place.list(""):
        raise RemoteFileError(
            f"{place.url}: has {found[0]!r} already; a shared store begins empty",
            hint=f"tapwright episodes share {place.url}/shared",
        )
    place.put_new(MARK, _MARK_DATA)
    if place.put_new(MARK, _MARK_DATA):
        raise RemoteFileError(
            f"{place.url}: puts a file though there is one, so writers would overwrite each other",
            hint="use a store with conditional puts: S3, GCS, Azure, MinIO, or a file system",
        )


class SharedLog:
    """The commits at a place."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def follow(self, after: int, until: int | None = None) -> Iterator[Commit]:
        """The commits after one, in order, up to `until` or until there is none.

        After 0 the last checkpoint among them comes first, if there is one.

        Raises:
            RemoteFileError: one cannot be read.
            BrokenPackError: one is broken.
        """
        with ThreadPoolExecutor(_AHEAD) as pool:
            found = [] if after else self.checkpoints()
            if found := [one for one in found if until is None or one.number <= until]:
                after, parts = found[-1].number, found[-1].parts
                for start in range(0, parts, _AHEAD):
                    names = [_name_part(after, one) for one in range(parts)[start:][:_AHEAD]]
                    for number, part in enumerate(
                        pool.map(partial(self._read, number=after), names), start=start + 1
                    ):
                        if part is None:
                            name = _name_part(after, number - 1)
                            raise BrokenPackError(f"{self._place.url}/{name}: is missing")
                        yield replace(part, is_whole=number == parts)
            ahead = 1  # more at a time, as long as there are more
            while until is None or after < until:
                numbers = range(after + 1, after + 1 + ahead)
                if until is not None:
                    numbers = numbers[: until - after]
                for commit in pool.map(self.read, numbers):
                    if commit is None:
                        return
                    after = commit.number
                    yield commit
                ahead = min(2 * ahead, _AHEAD)

    def put(self, number: int, entries: Sequence[SharedEntry], word: str) -> bool:
        """Put a commit; False when another writer has the number.

        Raises:
            RemoteFileError: it cannot be written. It may be there all the same.
        """
        name, data = _name(number), _pack(entries, word)
        try:
            if self._place.put_new(name, data):
                return True
        except RemoteFileError:
            found = self.read(number)  # the answer was lost, or what was asked
            if found is None:
                raise
        else:
            found = self.read(number)
        return found is not None and found.word == word

    def checkpoints(self) -> list[Checkpoint]:
        """The checkpoints that are whole, the oldest first.

        Raises:
            RemoteFileError: one cannot be read.
            BrokenPackError: one is broken.
        """
        names = [one for one in self._place.list(_CHECKPOINTS) if one.endswith(".json")]
        found = (self._place.read(f"{_CHECKPOINTS}/{name}") for name in names)
        try:
            return [from_json(_CHECKPOINT, data) for data in found if data is not None]
        except (ValueError, RecursionError) as error:
            raise BrokenPackError(
                f"{self._place.url}/{_CHECKPOINTS}: not a checkpoint: {json_problem(error)}"
            ) from error

    def put_checkpoint(
        self, number: int, entries: Iterable[SharedEntry], unused: Sequence[str]
    ) -> None:
        """Put what is there after a commit, for readers to begin with.

        Raises:
            RemoteFileError: it cannot be written.
        """
        left, parts = iter(entries), 0
        while part := list(islice(left, _PART_ENTRIES)):
            self._place.put(_name_part(number, parts), _pack(part, new_name()))
            parts += 1
        if parts:
            head = Checkpoint(number=number, parts=parts, unused=tuple(unused))
            self._place.put(f"{_CHECKPOINTS}/{number:012d}.json", to_json(head))

    def read(self, number: int) -> Commit | None:
        """A commit, each of its entries with its number; None for none. Raises as `follow` does."""
        commit = self._read(_name(number), number)
        if commit is None:
            return None
        of = {"revision": number}
        return replace(commit, entries=[one.model_copy(update=of) for one in commit.entries])

    def _read(self, name: str, number: int) -> Commit | None:
        data = self._place.read(name)
        if data is None:
            return None
        where = f"{self._place.url}/{name}"
        try:
            head, *lines = decompress(data, where).splitlines()
            entries = [from_json(_ENTRY, line) for line in lines]
            return Commit(number, from_json(_HEAD, head).commit, entries)
        except CorruptEpisodeError as error:
            raise BrokenPackError(str(error)) from error
        except (ValueError, RecursionError) as error:
            raise BrokenPackError(
                f"{where}: not a commit of a shared store: {json_problem(error)}",
                hint="another version of tapwright may have written it",
            ) from error


def new_name() -> str:
    """A name that nobody else gives."""
    return secrets.token_hex(16)


def _name_part(number: int, part: int) -> str:
    return f"{_CHECKPOINTS}/{number:012d}/{part:05d}"


def _name(number: int) -> str:
    return f"log/{number:012d}.jsonl.zst"


def _pack(entries: Iterable[SharedEntry], word: str) -> bytes:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    head = _Head(commit=word, writer=f"{socket.gethostname()} {os.getpid()}", time=now)
    lines = [head.model_dump_json(by_alias=True).encode(), *map(to_json, entries)]
    return compress(b"\n".join(lines) + b"\n")
