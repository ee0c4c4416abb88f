"""Reads episodes and steps of a packed data set one by one, here or at a URL, without unpacking it.

Only the row groups that are asked for are read: at most 16 steps and 4 MB, by ranges of bytes. On
this machine the file is mapped, and one step costs its own bytes. Files are opened by each process
for itself, so a reader may be forked or pickled.
"""

import hashlib
import os
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq
from pydantic import TypeAdapter

from tapwright.core.episode import Episode, Step
from tapwright.files.jsonl import from_json, json_problem
from tapwright.files.place import open_system
from tapwright.files.regular import open_regular
from tapwright.files.urls import file_path, is_url
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.loading.steps import EpisodeSpans, RecordedStep
from tapwright.formats.pack.tables import UNREADABLE, wrap_read_errors
from tapwright.store.errors import EpisodeMissingError
from tapwright.store.lazy import LazyStep
from tapwright.store.packing import unpack_episode, unpack_step
from tapwright.store.records import HEADER_ADAPTER, LINE_ADAPTER, EndRecord, StepRecord
from tapwright.store.states import compress

__all__ = ["PackFiles", "PackFolder", "PackedEpisodes", "PackedSteps"]

_Record = TypeVar("_Record")

_HELD_BYTES = 128_000_000
_OPEN_FILES = 32


class PackedEpisodes:
    """The episodes of a packed data set, in its order: a directory, or one of fsspec's URLs."""

    def __init__(self, location: Path | str) -> None:
        """Read the ids of all episodes.

        Raises:
            MissingExtraError: it is a URL, and fsspec is not installed.
            BrokenPackError: it is not a packed data set, or cannot be read.
        """
        self._location = str(location)
        self._places = {
            head["episode_id"]: shard for shard in _open_shards(location) for head in shard.heads
        }

    def ids(self) -> list[str]:
        """The ids of all episodes."""
        return list(self._places)

    def open(self, id_: str) -> Episode:
        """An episode whose steps, screens and trees are read on access.

        Raises:
            EpisodeMissingError: the set has none of this id.
            BrokenPackError: its row cannot be read; errors of steps come on access.
        """
        if id_ not in self._places:
            raise EpisodeMissingError(f"{self._location}: no episode {id_!r}", values={"id": id_})
        shard = self._places[id_]
        return shard.episode(shard.number(id_))


class PackedSteps:
    """The steps of a packed data set, in its order: a directory, or one of fsspec's URLs."""

    def __init__(self, location: Path | str) -> None:
        """Read the lengths of all episodes, and nothing of their steps.

        Raises:
            MissingExtraError: it is a URL, and fsspec is not installed.
            BrokenPackError: it is not a packed data set, or cannot be read.
        """
        self._shards = _open_shards(location)
        self._starts = [0, *accumulate(len(shard) for shard in self._shards)]

    @property
    def blocks(self) -> Sequence[int]:
        """The lengths of the row groups at a URL; empty for a directory."""
        if not self._shards[0].is_remote:
            return ()
        return [rows for shard in self._shards for rows in shard.steps.group_rows]

    def __len__(self) -> int:
        return self._starts[-1]

    def read(self, index: int) -> RecordedStep:
        """A step by its number.

        Raises:
            IndexError: there is none.
            BrokenPackError: its shard cannot be read.
        """
        if not 0 <= index < len(self):
            raise IndexError(f"step {index} of {len(self)}")
        shard = bisect_right(self._starts, index) - 1
        return self._shards[shard].read(index - self._starts[shard])


class PackFolder:
    """The packs below a directory or a URL, of one shard each, which are opened when they are used.

    One thread at a time may use it.
    """

    def __init__(self, location: str, shard: str) -> None:
        self._files = PackFiles(location)
        self._name = f"{shard}.parquet"
        self._shards: dict[str, _Shard] = {}

    @property
    def is_remote(self) -> bool:
        """Whether it is at a URL, where what lies together is fetched together."""
        return self._files.is_remote

    def episode(self, pack: str, id_: str) -> Episode:
        """An episode, as `PackedEpisodes.open` returns it; raises likewise."""
        shard = self._shard(pack)
        return shard.episode(shard.number(id_))

    def step(self, pack: str, id_: str, number: int) -> RecordedStep:
        """A step of an episode.

        Raises:
            EpisodeMissingError: the pack has none of this id.
            BrokenPackError: the pack cannot be read.
        """
        shard = self._shard(pack)
        return shard.read(shard.steps_of(shard.number(id_))[number])

    def _shard(self, pack: str) -> "_Shard":
        if pack not in self._shards:
            self._shards[pack] = _Shard(self._files, self._name, f"{pack}/")
        return self._shards[pack]


def _open_shards(location: Path | str) -> "list[_Shard]":
    files = PackFiles(str(location).rstrip("/"))
    return [_Shard(files, name) for name in files.shards()]


class _Shard:
    """One file of each table, which have their rows in the same order."""

    def __init__(self, files: "PackFiles", name: str, below: str = "") -> None:
        self.is_remote = files.is_remote
        self._files, self._name, self._below = files, name, below
        columns = ["episode_id", "task_id", "instruction", "outcome", "steps"]
        path = f"{below}episodes/{name}"
        with wrap_read_errors(f"{files.root}/{path}"), files.open(path) as table:
            self.heads = table.read(columns=columns, use_threads=False).to_pylist()
        self._numbers = {one["episode_id"]: number for number, one in enumerate(self.heads)}
        self._spans = EpisodeSpans([one["steps"] for one in self.heads])
        self.steps = _Table(files, f"{below}steps/{name}")
        if len(self.steps) != len(self._spans):
            raise BrokenPackError(
                f"{self.steps.path}: {len(self.steps)} rows of steps; expected {len(self._spans)}"
            )

    def __len__(self) -> int:
        return len(self._spans)

    def number(self, id_: str) -> int:
        if id_ not in self._numbers:
            path = f"{self._files.root}/{self._below}"
            raise EpisodeMissingError(f"{path}: no episode {id_!r}", values={"id": id_})
        return self._numbers[id_]

    def steps_of(self, episode: int) -> range:
        return self._spans.steps_of(episode)

    def read(self, row: int) -> RecordedStep:
        episode, number = self._spans.find(row)
        head, first = self.heads[episode], row - number
        before = tuple(LazyStep.of(partial(self._step, one)) for one in range(first, row))
        return RecordedStep(
            head["episode_id"], head["task_id"], head["instruction"], head["outcome"],
            number, self._step(row), before,
        )  # fmt: skip

    def episode(self, number: int) -> Episode:
        head, rows = self.heads[number], self._spans.steps_of(number)
        table = self._episodes
        where = f"{table.path}, row {number}"
        header = _parse(HEADER_ADAPTER, table.value(number, "header"), where)
        end = _parse(LINE_ADAPTER, table.value(number, "end"), where)
        if not isinstance(end, EndRecord) or header.id != head["episode_id"]:
            raise BrokenPackError(f"{where}: not the header and the end of {head['episode_id']!r}")
        steps = [LazyStep.of(partial(self._step, row)) for row in rows]
        final = partial(self._load, where, header.id, len(steps), None)
        return unpack_episode(header, [*steps, end], where, final)

    def _step(self, row: int) -> Step:
        episode, number = self._spans.find(row)
        where = f"{self.steps.path}, row {row}"
        record = _parse(LINE_ADAPTER, self.steps.value(row, "line"), where)
        if not isinstance(record, StepRecord):
            raise BrokenPackError(f"{where}: not a step")
        id_ = self.heads[episode]["episode_id"]
        return unpack_step(record, where, partial(self._load, where, id_, number, row))

    def _load(self, where: str, id_: str, step: int, row: int | None, path: str) -> bytes:
        """The picture or the tree that `path` names by its hash, of the screens of a step."""
        folder, _, file = path.rpartition("/")
        name, is_tree = file.partition(".")[0], folder.endswith("/ui")
        for table, at in self._screens_of(id_, step, row):
            if is_tree:
                tree = table.value(at, "ui_tree")
                if tree is not None and hashlib.sha256(tree).hexdigest() == name:
                    return compress(tree)
            elif table.value(at, "image_sha256") == name:
                data: bytes = table.value(at, "image")["bytes"]
                return data
        raise BrokenPackError(f"{where}: no row has the file {file}")

    def _screens_of(self, id_: str, step: int, row: int | None) -> "Iterator[tuple[_Table, int]]":
        if row is not None:
            yield self.steps, row
        for at in self._further.get((id_, step), ()):
            yield self._screens, at

    @cached_property
    def _episodes(self) -> "_Table":
        return _Table(self._files, f"{self._below}episodes/{self._name}")

    @cached_property
    def _screens(self) -> "_Table":
        return _Table(self._files, f"{self._below}screens/{self._name}")

    @cached_property
    def _further(self) -> dict[tuple[str, int], list[int]]:
        """The rows of the table of screens, by episode and number of the step."""
        found: dict[tuple[str, int], list[int]] = {}
        with wrap_read_errors(self._screens.path), self._files.open(self._screens.name) as table:
            rows = table.read(columns=["episode_id", "step"], use_threads=False).to_pylist()
        for at, one in enumerate(rows):
            found.setdefault((one["episode_id"], one["step"]), []).append(at)
        return found


def _parse(adapter: TypeAdapter[_Record], line: str, where: str) -> _Record:
    try:
        return from_json(adapter, line.encode())
    except (ValueError, RecursionError) as error:
        raise BrokenPackError(
            f"{where}: not a line of an episode: {json_problem(error)}"
        ) from error


class _Table:
    """One file of a table, of which one value at a time is read."""

    def __init__(self, files: "PackFiles", name: str) -> None:
        self._files, self.name = files, name
        self.path = f"{files.root}/{self.name}"
        with wrap_read_errors(self.path), files.open(self.name) as opened:
            meta = opened.metadata
            self.group_rows = [meta.row_group(one).num_rows for one in range(meta.num_row_groups)]
        self._ends = list(accumulate(self.group_rows))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def value(self, row: int, column: str) -> Any:
        group = bisect_right(self._ends, row)
        start = self._ends[group - 1] if group else 0
        try:
            return self._files.group(self.name, group, column)[row - start].as_py()
        except UNREADABLE:
            with wrap_read_errors(self.path):  # around each value it takes as long as that
                raise


class PackFiles:
    """The files of a pack, and the row groups of them that were read last, for one process."""

    def __init__(self, location: str) -> None:
        here = file_path(location)
        self.is_remote = here is None and is_url(location)
        self.root = location if here is None else str(here)
        self._process = 0
        self._tables: OrderedDict[str, pq.ParquetFile] = OrderedDict()
        self._groups: OrderedDict[tuple[str, int, str], Any] = OrderedDict()
        self._held = 0

    def __getstate__(self) -> dict[str, Any]:
        return {"is_remote": self.is_remote, "root": self.root}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["root"])  # type: ignore[misc]

    def shards(self) -> list[str]:
        """The names of the files of each table, sorted.

        Raises:
            BrokenPackError: it is not a packed data set, or cannot be listed.
        """
        if self.is_remote:
            with wrap_read_errors(f"{self.root}/episodes"):
                system, root = open_system(self.root)
                names = [
                    str(one).rpartition("/")[2] for one in system.glob(f"{root}/episodes/*.parquet")
                ]
        else:
            names = [path.name for path in Path(self.root, "episodes").glob("*.parquet")]
        if not names:
            raise BrokenPackError(
                f"{self.root}: not a packed data set: no episodes/*.parquet in it",
                hint="name the directory that `tapwright episodes pack` wrote",
            )
        return sorted(names)

    def open(self, name: str) -> pq.ParquetFile:
        """A file, to be closed after use."""
        if not self.is_remote:
            path = Path(self.root, name)
            open_regular(path).close()  # or a named pipe would hold whoever maps it
            return pq.ParquetFile(path, memory_map=True)
        system, root = open_system(self.root)
        return pq.ParquetFile(system.open(f"{root}/{name}", "rb"))

    def group(self, name: str, group: int, column: str) -> Any:
        """A column of a row group."""
        if self._process != os.getpid():  # a file's position is shared with a forked process
            self._process = os.getpid()
            self._tables, self._groups, self._held = OrderedDict(), OrderedDict(), 0
        key = name, group, column
        if (found := self._groups.get(key)) is None:
            table = self._tables.get(name)
            if table is None:
                table = self._tables[name] = self.open(name)
                if len(self._tables) > _OPEN_FILES:
                    self._tables.popitem(last=False)[1].close()
            found = table.read_row_group(group, columns=[column], use_threads=False)[column]
            self._groups[key] = found
            self._held += found.nbytes
            while self._held > _HELD_BYTES and len(self._groups) > 1:
                self._held -= self._groups.popitem(last=False)[1].nbytes
        else:
            self._groups.move_to_end(key)
        return found
