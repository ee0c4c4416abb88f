"""Reads steps of a packed data set one by one, here or at a URL, without unpacking it.

Only the row groups that are asked for are read: at most 16 steps and 4 MB, by ranges of bytes. On
this machine the file is mapped, and one step costs its own bytes. Files are opened by each process
for itself, so a reader may be forked or pickled.
"""

import os
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tapwright.core.episode import Step
from tapwright.errors import MissingExtraError
from tapwright.files.jsonl import from_json, json_problem
from tapwright.files.regular import open_regular
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.loading.steps import EpisodeSpans, RecordedStep
from tapwright.formats.pack.tables import wrap_read_errors
from tapwright.store.lazy import LazyStep
from tapwright.store.packing import unpack_step
from tapwright.store.records import LINE_ADAPTER, StepRecord

__all__ = ["PackedSteps"]

_HELD_BYTES = 128_000_000
_OPEN_FILES = 32


class PackedSteps:
    """The steps of a packed data set, in its order: a directory, or one of fsspec's URLs.

    A step's other screens (`between`, `after`) and its view hierarchy are not read: a picture or a
    tree that is asked for and not in the table of steps is a `BrokenPackError`.
    """

    def __init__(self, location: Path | str) -> None:
        """Read the lengths of all episodes, and nothing of their steps.

        Raises:
            MissingExtraError: it is a URL, and fsspec is not installed.
            BrokenPackError: it is not a packed data set, or cannot be read.
        """
        self._location = str(location).rstrip("/")
        self._files = _Files(self._location)
        self._shards: list[_Shard] = []
        names = self._files.list("episodes")
        if not names:
            raise BrokenPackError(
                f"{location}: not a packed data set: no episodes/*.parquet in it",
                hint="name the directory that `tapwright episodes pack` wrote",
            )
        for name in names:
            self._shards.append(_Shard(self._files, name))
        self._starts = [0, *accumulate(len(shard) for shard in self._shards)]

    @property
    def blocks(self) -> Sequence[int]:
        """The lengths of the row groups at a URL; empty for a directory."""
        if not self._files.is_remote:
            return ()
        return [rows for shard in self._shards for rows in shard.group_rows]

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


class _Shard:
    """One file of the tables of episodes and of steps."""

    def __init__(self, files: "_Files", name: str) -> None:
        self._files = files
        self._steps = f"steps/{name}"
        where = f"{files.root}/episodes/{name}"
        columns = ["episode_id", "task_id", "instruction", "outcome", "steps"]
        with wrap_read_errors(where), files.open(f"episodes/{name}") as table:
            heads = table.read(columns=columns, use_threads=False).to_pylist()
        self._heads = [one for one in heads if one["steps"]]
        self._spans = EpisodeSpans([one["steps"] for one in self._heads])
        with wrap_read_errors(f"{files.root}/{self._steps}"), files.open(self._steps) as table:
            meta = table.metadata
            self.group_rows = [meta.row_group(one).num_rows for one in range(meta.num_row_groups)]
        self._ends = list(accumulate(self.group_rows))
        if sum(self.group_rows) != len(self._spans):
            raise BrokenPackError(
                f"{files.root}/{self._steps}: {sum(self.group_rows)} rows of steps; "
                f"expected {len(self._spans)}"
            )

    def __len__(self) -> int:
        return len(self._spans)

    def read(self, row: int) -> RecordedStep:
        episode, number = self._spans.find(row)
        head, first = self._heads[episode], row - number
        before = tuple(LazyStep.of(partial(self._step, one)) for one in range(first, row))
        return RecordedStep(
            head["episode_id"], head["task_id"], head["instruction"], head["outcome"],
            number, self._step(row), before,
        )  # fmt: skip

    def _step(self, row: int) -> Step:
        where = f"{self._files.root}/{self._steps}, row {row}"
        line = self._value(row, "line")
        try:
            record = from_json(LINE_ADAPTER, line.encode())
        except (ValueError, RecursionError) as error:
            raise BrokenPackError(f"{where}: not a step: {json_problem(error)}") from error
        if not isinstance(record, StepRecord):
            raise BrokenPackError(f"{where}: not a step")

        def load(path: Path) -> bytes:
            if path.name != record.observation.frame:
                raise BrokenPackError(f"{where}: {path.name} is not in the table of steps")
            data: bytes = self._value(row, "image")["bytes"]
            return data

        return unpack_step(record, Path(where), load)

    def _value(self, row: int, column: str) -> Any:
        group = bisect_right(self._ends, row)
        start = self._ends[group - 1] if group else 0
        with wrap_read_errors(f"{self._files.root}/{self._steps}"):
            return self._files.group(self._steps, group, column)[row - start].as_py()


class _Files:
    """The files of a pack, and the row groups of them that were read last, for one process."""

    def __init__(self, location: str) -> None:
        self.is_remote = "://" in location
        self.root = location
        self._process = 0
        self._tables: OrderedDict[str, pq.ParquetFile] = OrderedDict()
        self._groups: OrderedDict[tuple[str, int, str], Any] = OrderedDict()
        self._held = 0

    def __getstate__(self) -> dict[str, Any]:
        return {"is_remote": self.is_remote, "root": self.root}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["root"])  # type: ignore[misc]

    def list(self, table: str) -> list[str]:
        """The names of a table's files, sorted."""
        if not self.is_remote:
            return sorted(path.name for path in Path(self.root, table).glob("*.parquet"))
        with wrap_read_errors(f"{self.root}/{table}"):
            system, root = _open_system(self.root)
            found = system.glob(f"{root}/{table}/*.parquet")
            return sorted(str(path).rpartition("/")[2] for path in found)

    def open(self, name: str) -> pq.ParquetFile:
        """A file, to be closed after use."""
        if not self.is_remote:
            path = Path(self.root, name)
            open_regular(path).close()  # or a named pipe would hold whoever maps it
            return pq.ParquetFile(path, memory_map=True)
        system, root = _open_system(self.root)
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


def _open_system(url: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ModuleNotFoundError as error:
        raise MissingExtraError("a URL", "ray") from error
    try:
        found: tuple[Any, str] = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise BrokenPackError(
            f"{url}: {error}", hint="such as s3://bucket/run, which needs: pip install s3fs"
        ) from error
    return found
