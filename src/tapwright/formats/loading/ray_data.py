"""Recorded steps and episodes in Ray Data, and packs that its workers write.

A task reads part after part (`rows`) and holds a few rows; columns that nobody takes are not read.
https://docs.ray.io/en/latest/data/custom-datasource-example.html
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import ray.data
from ray.data.block import BlockAccessor, BlockMetadata
from ray.data.datasource import Datasink, Datasource, ReadTask

from tapwright.errors import UsageError
from tapwright.files.place import Place
from tapwright.files.temporary import owned_directory
from tapwright.files.urls import url_of
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.loading.rows import SCHEMAS, RowPart, Unit, list_parts
from tapwright.formats.pack import pack
from tapwright.formats.pack.tables import ShardWriter, shard_writer

__all__ = ["PackSink", "RecordedRows", "read"]

_WRITTEN_BYTES = 64 << 20
"""What a task that writes is given at least: many small ones would make many small shards."""


def read(
    location: Path | str,
    unit: Unit = "steps",
    *,
    where: str = "",
    at: int | None = None,
    cache: Path | str | None = None,
    **options: Any,
) -> "ray.data.Dataset":
    """The steps or the episodes of a store, a shared store or a pack, here or at a URL.

    A step has the columns of `steps` in a pack, and its episode's `task_id` and `outcome`; an
    episode those of `episodes`, and `step_rows` and `screen_rows`. `where` filters the episodes of
    stores. A shared store is read as it was after its commit `at`, by default the last one; its
    catalog is kept below `cache`, or goes with the program. Workers read a store and a pack at
    their paths or URLs. `options` are those of `ray.data.read_datasource`.

    Raises:
        NothingFoundError: there is no episode, or none fits.
        UsageError: the filter cannot be understood, or is for a pack, which has no catalog; or
            there is no such commit.
        MissingExtraError: it is a URL, and fsspec is not installed.
        BrokenPackError: it is a pack, and cannot be read; later, a part of it cannot be.
        RemoteFileError: a shared store cannot be read.
    """
    parts = list_parts(location, unit, where=where, at=at, cache=cache)
    return ray.data.read_datasource(RecordedRows(parts, unit), **options)


class RecordedRows(Datasource):  # type: ignore[misc]
    """Rows of parts; Ray asks for the columns that are used."""

    def __init__(self, parts: Sequence[RowPart], unit: Unit) -> None:
        super().__init__()
        self._projection_map: dict[str, str] | None = None  # Ray's own mixin fills it in
        self._parts, self._unit = parts, unit

    def supports_projection_pushdown(self) -> bool:
        """That columns are left out is made use of."""
        return True

    def estimate_inmemory_data_size(self) -> int | None:
        """How many bytes the columns are; None for a store, of which nothing was opened."""
        return _add_sizes(self._parts, self._columns())

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: object = None
    ) -> list[ReadTask]:
        """At most `parallelism` tasks, each for parts beside each other."""
        columns, count = self._columns(), max(1, min(parallelism, len(self._parts)))
        schema = pa.schema([SCHEMAS[self._unit].field(name) for name in columns])
        edges = [len(self._parts) * number // count for number in range(count + 1)]
        tasks = []
        for start, end in pairwise(edges):
            parts = self._parts[start:end]
            about = BlockMetadata(
                num_rows=sum(part.rows for part in parts),
                size_bytes=_add_sizes(parts, columns),
                exec_stats=None,
                input_files=tuple(part.file for part in parts),
            )
            work = partial(_read_all, [part.read for part in parts], columns)
            tasks.append(ReadTask(work, about, schema, per_task_row_limit))
        return tasks

    def _columns(self) -> list[str]:
        taken, names = self.get_projection_map(), SCHEMAS[self._unit].names
        # Who counts rows takes no column, and a table without one has no rows.
        return [one for one in names if taken is None or one in taken] or ["episode_id"]


class PackSink(Datasink[list[pack.PackedShard]]):  # type: ignore[misc]
    """Writes rows of episodes as a pack: `read(STORE, "episodes").write_datasink(PackSink(OUT))`.

    Each task writes shards under names of its own, the same when it is done again after its worker
    died. The card, README.md, comes last: without it the pack is not whole.
    """

    def __init__(self, location: Path | str) -> None:
        """Nothing is written yet.

        Raises:
            UsageError: something is there.
            MissingExtraError: fsspec is not installed.
            RemoteFileError: there is no such kind of URL, or it cannot be read.
        """
        self._url = url_of(location)
        if found := Place(self._url).list(""):
            raise UsageError(
                f"{location}: has {found[0]!r} already; a pack begins empty",
                hint="name another directory",
            )

    @property
    def min_bytes_per_write(self) -> int:
        """What a task is given at least."""
        return _WRITTEN_BYTES

    def write(self, blocks: Iterable[Any], ctx: Any) -> list[pack.PackedShard]:
        """Write the shards of one task.

        Raises:
            BrokenPackError: a row is not that of an episode, or has another picture than it says.
            RemoteFileError: a shard cannot be written.
        """
        place, rows, shards = Place(self._url), _rows_in(blocks), list[pack.PackedShard]()
        row = next(rows, None)
        while row is not None:
            name = f"{ctx.task_idx:06d}-{len(shards):05d}"
            ids, steps, screens = list[str](), 0, 0
            with owned_directory("tapwright-") as directory:
                with shard_writer(directory, name) as writer:
                    while row is not None and (not ids or steps < pack.SHARD_STEPS):
                        _add_episode(writer, row)
                        ids.append(row["episode_id"])
                        steps += row["steps"]
                        screens += len(row["screen_rows"])
                        row = next(rows, None)
                files = list(pack.shard_files(directory, name))
                size, sha256 = (
                    sum(one.stat().st_size for one in files),
                    pack.hash_shard(directory, name),
                )
                shards.append(pack.PackedShard(name, tuple(ids), steps, screens, size, sha256, ()))
                # Readers list the table of episodes: its file is put when the others are there.
                for path in sorted(files, key=lambda one: one.parent.name == "episodes"):
                    place.put(path.relative_to(directory).as_posix(), path)
        return shards

    def on_write_complete(self, write_result: Any) -> None:
        """Write the card.

        Raises:
            UsageError: an episode came twice.
            RemoteFileError: it cannot be written.
        """
        shards = [shard for written in write_result.write_returns for shard in written]
        counts = Counter(id_ for shard in shards for id_ in shard.episodes)
        if twice := [id_ for id_, count in counts.items() if count > 1]:
            raise UsageError(
                f"{self._url}: {len(twice)} ids came more than once, such as {twice[0]!r}",
                hint="an episode has one row; give a changed one an id of its own",
            )
        Place(self._url).put("README.md", pack.render_card(shards).encode())


def _read_all(
    reads: Sequence[Callable[[Sequence[str]], Iterator[pa.Table]]], columns: Sequence[str]
) -> Iterator[pa.Table]:
    for one in reads:
        yield from one(columns)


def _add_sizes(parts: Sequence[RowPart], columns: Sequence[str]) -> int | None:
    sizes = [part.size_bytes(columns) for part in parts]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _rows_in(blocks: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        for batch in BlockAccessor.for_block(block).to_arrow().to_batches(max_chunksize=1):
            yield from batch.to_pylist()


def _add_episode(writer: ShardWriter, row: Mapping[str, Any]) -> None:
    """Add the rows of an episode.

    Raises:
        BrokenPackError: they are not all of one episode, or a picture is another than it says.
    """
    missing = [name for name in SCHEMAS["episodes"].names if name not in row]
    id_ = row.get("episode_id")
    if missing:
        raise BrokenPackError(
            f"{id_}: a row without {missing[0]!r}; expected one of an episode",
            hint='read(location, "episodes"), and keep its columns',
        )
    parts = [*row["step_rows"], *row["screen_rows"]]
    if len(row["step_rows"]) != row["steps"] or any(one["episode_id"] != id_ for one in parts):
        raise BrokenPackError(
            f"{id_}: {len(row['step_rows'])} rows of steps, or some of another episode; "
            f"expected {row['steps']}"
        )
    for one in parts:
        if hashlib.sha256(one["image"]["bytes"]).hexdigest() != one["image_sha256"]:
            raise BrokenPackError(f"{id_}, step {one['step']}: the picture is not the packed one")
    for one in row["step_rows"]:
        writer.add_row("steps", one)
    for one in row["screen_rows"]:
        writer.add_row("screens", one)
    writer.add_row("episodes", row)
