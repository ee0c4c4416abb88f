"""Unpacks a data set into a store of episodes, shard by shard, row by row.

Existing episodes are left alone, so the same call continues where an interrupted one stopped.
Pictures are checked by their hash, and no name in a table becomes a path.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tapwright.core.episode import Episode
from tapwright.errors import TapwrightError
from tapwright.files.atomic import write_atomically
from tapwright.files.jsonl import from_json, json_problem
from tapwright.files.regular import open_regular, read_regular
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.pack.tables import TableName, schema_of, wrap_read_errors
from tapwright.formats.temporary_storage import TemporaryStorage
from tapwright.store.changes import noting_change
from tapwright.store.errors import EpisodeExistsError
from tapwright.store.ids import directory_name
from tapwright.store.packing import unpack_episode
from tapwright.store.records import (
    HEADER_ADAPTER,
    LINE_ADAPTER,
    EndRecord,
    EpisodeHeader,
    ObservationRecord,
    StepRecord,
)
from tapwright.store.states import compress
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import TAGS, write_tags

__all__ = ["UnpackedEpisode", "count_packed_episodes", "unpack_store"]

_Row = dict[str, Any]
_BATCH_ROWS = 16
# Earlier packs have no such columns; the instruction is in the line, too.
_UNREAD = frozenset({"step_instruction"})
_OPTIONAL = frozenset({"tags"})
_ANNOTATIONS = re.compile(r"[a-z0-9][a-z0-9._~-]{0,120}\.jsonl", re.ASCII)


@dataclass(frozen=True, slots=True)
class UnpackedEpisode:
    """An episode that is in the store now; `new` if it was not before."""

    id: str
    new: bool


def count_packed_episodes(directory: Path) -> int:
    """Returns how many episodes a packed data set has.

    Raises:
        BrokenPackError: `directory` is not a packed data set, or a shard is broken.
    """
    count = 0
    for path in _shards(directory):
        with wrap_read_errors(path), open_regular(path) as file:
            count += pq.read_metadata(file).num_rows
    return count


def unpack_store(
    directory: Path, store: EpisodeStore
) -> Iterator[UnpackedEpisode | UnreadableEpisode]:
    """Unpacks a packed data set into a store; yields each episode when it is stored.

    Raises:
        BrokenPackError: `directory` is not a packed data set.
        DiskError: the disk is full or not writable; the episodes before it are complete.
    """
    for path in _shards(directory):
        try:
            yield from _ShardReader(directory, path.name, store).unpack()
        except BrokenPackError as error:
            yield UnreadableEpisode.of(str(path), error)
    for path in sorted((directory / "annotate").glob("annotate-*.jsonl")):
        if not (store.root / path.name).exists():
            write_atomically(store.root / path.name, read_regular(path))


def _shards(directory: Path) -> list[Path]:
    found = sorted((directory / "episodes").glob("*.parquet"))
    if not found:
        raise BrokenPackError(
            f"{directory}: not a packed data set: no episodes/*.parquet in it",
            hint="name the directory that `tapwright episodes pack` wrote",
        )
    return found


class _ShardReader:
    """Reads one shard of the tables, which have their rows in the same order."""

    def __init__(self, directory: Path, name: str, store: EpisodeStore) -> None:
        self._path = directory / "episodes" / name
        self._steps = _TableReader(directory / "steps" / name, "steps")
        self._screens = _TableReader(directory / "screens" / name, "screens")
        self._store = store

    def unpack(self) -> Iterator[UnpackedEpisode | UnreadableEpisode]:
        for head in _read_rows(self._path, "episodes"):
            id_ = str(head["episode_id"])
            steps, screens = self._steps.rows_of(id_), self._screens.rows_of(id_)
            try:
                yield self._one(head, steps, screens)
            except TapwrightError as error:
                if error.fatal:
                    raise
                yield UnreadableEpisode.of(id_, error)
            for _ in chain(steps, screens):  # rows that a bad episode has left
                pass

    def _one(self, head: _Row, steps: Iterator[_Row], screens: Iterator[_Row]) -> UnpackedEpisode:
        id_ = str(head["episode_id"])
        exists = id_ in self._store
        episode = self._episode(head, steps, screens)
        if exists and _differ(self._store.read(id_), episode):
            raise EpisodeExistsError(
                f"{self._path}: {id_}: the store has another episode of this id",
                hint="unpack it into a store of its own",
            )
        if not exists:
            self._store.write(episode)
        place = self._store.root / directory_name(id_)
        if not (place / TAGS).exists():
            write_tags(place, add=head.get("tags", ()))
        for file in head["annotations"]:
            if not _ANNOTATIONS.fullmatch(file["name"]):
                raise BrokenPackError(
                    f"{self._path}: {id_}: annotations called {file['name']!r}; "
                    "expected the plain name of a .jsonl file"
                )
            path = place / "annotations" / file["name"]
            if not path.exists():
                with noting_change(place):
                    write_atomically(path, file["bytes"])
        return UnpackedEpisode(id_, new=not exists)

    def _episode(self, head: _Row, steps: Iterator[_Row], screens: Iterator[_Row]) -> Episode:
        where = f"{self._path}: {head['episode_id']}"
        files = _EpisodeFiles(where)
        records: list[StepRecord | EndRecord] = []
        try:
            header = from_json(HEADER_ADAPTER, head["header"].encode())
            for row in steps:
                files.add(row)
                records.append(from_json(LINE_ADAPTER, row["line"].encode()))
            for row in screens:
                files.add(row)
            records.append(from_json(LINE_ADAPTER, head["end"].encode()))
        except (ValueError, RecursionError) as error:
            raise BrokenPackError(
                f"{where}: not an episode's records: {json_problem(error)}"
            ) from error
        *kinds, last = [type(record) for record in records]
        if kinds != [StepRecord] * head["steps"] or last is not EndRecord:
            found = kinds.count(StepRecord)
            raise BrokenPackError(f"{where}: {found} rows of steps; expected {head['steps']}")
        if header.id != head["episode_id"]:
            raise BrokenPackError(f"{where}: its header is that of {header.id!r}")
        for record in (header, *records):
            files.check(record)
        return unpack_episode(header, records, self._path, files.load)


class _EpisodeFiles:
    """Holds the pictures and trees of an episode until they are written."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._storage = TemporaryStorage()
        self._loads: dict[str, Callable[[], bytes]] = {}

    def add(self, row: _Row) -> None:
        image = row["image"]["bytes"] or b""
        sha256 = hashlib.sha256(image).hexdigest()
        if sha256 != row["image_sha256"]:
            raise BrokenPackError(
                f"{self._where}, step {row['step']}: the picture is not the packed one"
            )
        self._keep(sha256, image)
        if row["ui_tree"] is not None:
            self._keep(hashlib.sha256(row["ui_tree"]).hexdigest(), compress(row["ui_tree"]))

    def check(self, record: EpisodeHeader | StepRecord | EndRecord) -> None:
        """Check that every file that a record names is here."""
        if not isinstance(record, EndRecord) and record.state_files:
            raise BrokenPackError(f"{self._where}: a record without its state")
        match record:
            case EpisodeHeader():
                screens: tuple[ObservationRecord | None, ...] = ()
            case StepRecord():
                screens = record.screens
            case EndRecord(final=final):
                screens = (final,)
        for one in screens:
            if one is None:
                continue
            for name in (one.frame.partition(".")[0], one.ui):
                if name is not None and name not in self._loads:
                    raise BrokenPackError(f"{self._where}: no row has the file {name}")

    def load(self, path: str) -> bytes:
        """Return the contents of a file that a record names."""
        return self._loads[path.rpartition("/")[2].partition(".")[0]]()

    def _keep(self, name: str, data: bytes) -> None:
        if name not in self._loads:
            self._loads[name] = self._storage.add(data)


class _TableReader:
    """Reads the rows of a table, episode by episode."""

    def __init__(self, path: Path, table: TableName) -> None:
        self._rows = _read_rows(path, table)
        self._next: _Row | None = None

    def rows_of(self, id_: str) -> Iterator[_Row]:
        """Yields the next rows as long as they belong to this episode."""
        while True:
            if self._next is None:
                self._next = next(self._rows, None)
            if self._next is None or self._next["episode_id"] != id_:
                return
            row, self._next = self._next, None
            yield row


def _read_rows(path: Path, table: TableName) -> Iterator[_Row]:
    with wrap_read_errors(path), open_regular(path) as opened, pq.ParquetFile(opened) as file:
        left_out = _UNREAD | (_OPTIONAL - set(file.schema_arrow.names))
        schema = pa.schema([field for field in schema_of(table) if field.name not in left_out])
        for batch in file.iter_batches(batch_size=_BATCH_ROWS):
            # A tool that rewrote the file may have widened types and added columns.
            rows = batch.select(schema.names).cast(schema)
            for name in schema.names:
                if name != "ui_tree" and rows.column(name).null_count:
                    raise BrokenPackError(f"{path}: the column {name} has gaps")
            yield from rows.to_pylist()


def _differ(stored: Episode, found: Episode) -> bool:
    """Whether two recordings have the same id; pictures are encoded anew, so they do not count."""

    def content(episode: Episode) -> tuple[object, ...]:
        decisions = tuple((one.decision.actions, one.observation.time_s) for one in episode.steps)
        return episode.version, episode.created, episode.instruction, decisions

    return stored.version == found.version and content(stored) != content(found)
