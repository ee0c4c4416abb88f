"""Recorded steps and episodes as rows of Arrow tables, part by part, for whoever reads in parallel.

Rows are those of a pack's tables (`formats.pack.tables`), out of a pack, a store or a shared store.
A part is what one process reads in one go, and is sent to it; the columns that nobody takes are not
read. That of an episode has the rows of its steps and screens in it, so that nothing that shuffles
rows takes them apart.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby, takewhile
from pathlib import Path
from shutil import rmtree
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from tapwright.errors import NothingFoundError, quote_path
from tapwright.files.temporary import owned_directory
from tapwright.files.urls import url_of
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.loading.episodes import find_kind, refuse_filter
from tapwright.formats.pack.pack import read_annotation_files
from tapwright.formats.pack.pictures import pack_pictures
from tapwright.formats.pack.reader import PackFiles
from tapwright.formats.pack.tables import TableName, rows_of, schema_of, wrap_read_errors
from tapwright.formats.shared.copy import SHARD, SharedCopy
from tapwright.formats.shared.log import SharedEntry
from tapwright.formats.shared.rows import list_episodes
from tapwright.formats.temporary_storage import TemporaryStorage, open_encoder_pool
from tapwright.store.catalog import Catalog
from tapwright.store.filters import parse_filter
from tapwright.store.ids import directory_name
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import read_tags

__all__ = ["SCHEMAS", "RowPart", "Unit", "list_parts"]

Unit: TypeAlias = Literal["steps", "episodes"]
"""What a row is."""

_Heads: TypeAlias = Mapping[str, Mapping[str, str]]
"""What the episodes of a shard say of each of their steps, by their ids."""

_OF_EPISODE = ("task_id", "instruction", "outcome")
_LISTS: Mapping[str, TableName] = {"step_rows": "steps", "screen_rows": "screens"}
_LARGE = frozenset(("image", "ui_tree", *_LISTS))
_BATCH_ROWS = 16
_PART_STEPS = 128
_THREADS = 16

SCHEMAS: Mapping[Unit, pa.Schema] = {
    "steps": pa.schema(
        [*schema_of("steps"), pa.field("task_id", pa.string()), pa.field("outcome", pa.string())]
    ),
    "episodes": pa.schema(
        [
            *schema_of("episodes"),
            *(
                pa.field(name, pa.list_(pa.struct(list(schema_of(table)))))
                for name, table in _LISTS.items()
            ),
        ]
    ),
}
"""The columns of both kinds of rows."""


@dataclass(frozen=True, slots=True)
class RowPart:
    """Some `rows` that are read together, out of `file`; of a pack, how large they are.

    `read` takes the names of columns and yields tables of few rows.
    """

    file: str
    rows: int
    read: Callable[[Sequence[str]], Iterator[pa.Table]]
    small_bytes: int | None = None
    large_bytes: int = 0

    def size_bytes(self, columns: Sequence[str]) -> int | None:
        """How large these columns are in the files; None where that was not looked at."""
        if self.small_bytes is None:
            return None
        return self.small_bytes + (0 if _LARGE.isdisjoint(columns) else self.large_bytes)


def list_parts(
    location: Path | str,
    unit: Unit,
    *,
    where: str = "",
    at: int | None = None,
    cache: Path | str | None = None,
) -> list[RowPart]:
    """The parts of a store, a shared store or a pack, of which `ray_data.read` says more.

    Raises:
        NothingFoundError: there is no episode, or none fits.
        UsageError: the filter cannot be understood, or is for a pack; there is no commit `at`.
        MissingExtraError: it is a URL, and fsspec is not installed.
        BrokenPackError: it is a pack, and cannot be read; later, a part of it cannot be.
        RemoteFileError: a shared store cannot be read.
    """
    copy, is_pack = find_kind(location, cache, at)
    if copy is not None:
        parts = list(_list_shared(copy, unit, where))
    elif is_pack:
        refuse_filter(location, where)
        files = PackFiles(url_of(location))
        with ThreadPoolExecutor(_THREADS) as pool:
            parts = list(pool.map(partial(_open_shard, files, unit), files.shards()))
    else:
        parts = list(_list_stored(Path(location).absolute(), unit, where))
    if not parts:
        fit = f" that fit {where!r}" if where else ""
        raise NothingFoundError(
            f"{location}: no {unit}{fit}",
            hint=f"tapwright episodes ls {quote_path(str(location))}",
        )
    return parts


def _open_shard(files: PackFiles, unit: Unit, name: str) -> RowPart:
    file = f"steps/{name}"
    with wrap_read_errors(f"{files.root}/{file}"), files.open(file) as table:
        rows, sizes = table.metadata.num_rows, [0, 0]
        for number in range(table.metadata.num_row_groups):
            group = table.metadata.row_group(number)
            for one in map(group.column, range(group.num_columns)):
                is_large = one.path_in_schema.partition(".")[0] in _LARGE
                sizes[is_large] += one.total_uncompressed_size
    where = f"{files.root}/{file}"
    if unit == "steps":
        return RowPart(where, rows, partial(_read_steps, files, "", name, None), *sizes)
    with wrap_read_errors(where), files.open(f"episodes/{name}") as table:
        rows = table.metadata.num_rows
    return RowPart(where, rows, partial(_read_episodes, files, name), 0, sum(sizes))


def _list_stored(root: Path, unit: Unit, where: str) -> Iterator[RowPart]:
    ids, steps = list[str](), 0

    def part() -> RowPart:
        rows = steps if unit == "steps" else len(ids)
        return RowPart(str(root), rows, partial(_read_stored, root, unit, tuple(ids)))

    for one in Catalog(EpisodeStore(root)).select(Selection(where)):
        ids.append(one.id)
        steps += one.steps
        if steps >= _PART_STEPS:
            yield part()
            ids, steps = [], 0
    if ids:
        yield part()


def _list_shared(copy: SharedCopy, unit: Unit, where: str) -> Iterator[RowPart]:
    """A part for each pack, of the episodes in it that fit."""
    url = f"{copy.url}/packs"
    entries = {one.id: one for one in copy.entries()}
    found = copy.use(partial(list_episodes, parse_filter(where)))
    for pack, group in groupby(found, key=lambda one: one.pack):
        episodes = list(group)
        if unit == "steps":
            heads = {
                one.id: {"instruction": one.instruction, "outcome": one.outcome} for one in episodes
            }
            rows = sum(one.steps for one in episodes)
            files, name = PackFiles(url), f"{SHARD}.parquet"
            yield RowPart(
                f"{url}/{pack}", rows, partial(_read_steps, files, f"{pack}/", name, heads)
            )
        else:
            chosen = [entries[one.id] for one in episodes]
            yield RowPart(f"{url}/{pack}", len(chosen), partial(_read_shared, copy.url, chosen))


def _read_steps(
    files: PackFiles, below: str, name: str, chosen: _Heads | None, columns: Sequence[str]
) -> Iterator[pa.Table]:
    """The steps of a shard; those of `chosen` episodes with what is said of these now."""
    head_file = f"{below}episodes/{name}"
    with wrap_read_errors(f"{files.root}/{head_file}"), files.open(head_file) as table:
        rows = table.read(columns=["episode_id", *_OF_EPISODE], use_threads=False).to_pylist()
    heads: dict[str, Mapping[str, str]] = {one["episode_id"]: one for one in rows}
    if chosen is not None:
        if missing := chosen.keys() - heads.keys():
            raise BrokenPackError(
                f"{files.root}/{head_file}: no {min(missing)}, which the log says is there"
            )
        heads = {id_: {**heads[id_], **now} for id_, now in chosen.items()}
    path = f"{below}steps/{name}"
    with wrap_read_errors(f"{files.root}/{path}"), files.open(path) as table:
        names = table.schema_arrow.names
        taken = ["episode_id", *(one for one in columns if one in names and one != "episode_id")]
        for group in range(table.num_row_groups):
            ids = table.read_row_group(group, columns=["episode_id"], use_threads=False)
            if heads.keys().isdisjoint(ids["episode_id"].to_pylist()):
                continue
            for batch in table.iter_batches(_BATCH_ROWS, [group], columns=taken):
                kept = [id_ in heads for id_ in batch["episode_id"].to_pylist()]
                yield _complete(pa.Table.from_batches([batch]).filter(kept), heads, columns)


def _complete(rows: pa.Table, heads: _Heads, columns: Sequence[str]) -> pa.Table:
    """The rows with the columns of their episodes; those that earlier packs lack are empty."""
    schema = pa.schema([SCHEMAS["steps"].field(name) for name in columns])
    ids = rows["episode_id"].to_pylist()

    def column(field: pa.Field) -> Any:
        if field.name in _OF_EPISODE:
            return pa.array([heads[id_][field.name] for id_ in ids], field.type)
        if field.name in rows.schema.names:
            return rows[field.name].cast(field.type)
        return pa.nulls(len(rows), field.type)

    return pa.Table.from_arrays([column(field) for field in schema], schema=schema)


def _read_episodes(files: PackFiles, name: str, columns: Sequence[str]) -> Iterator[pa.Table]:
    """The episodes of a shard, one at a time; its tables have their rows in one order."""
    schema = pa.schema([SCHEMAS["episodes"].field(one) for one in columns])
    parts = {one: _Rows(files, table, name) for one, table in _LISTS.items() if one in columns}
    file = f"episodes/{name}"
    with wrap_read_errors(f"{files.root}/{file}"), files.open(file) as table:
        names = table.schema_arrow.names
        taken = {"episode_id", "steps", *(one for one in columns if one in names)}
        for batch in table.iter_batches(_BATCH_ROWS, columns=sorted(taken)):
            for row in batch.to_pylist():
                lists = {one: rows.of(row["episode_id"]) for one, rows in parts.items()}
                steps = lists.get("step_rows")
                if steps is not None and len(steps[0]) != row["steps"]:
                    raise BrokenPackError(
                        f"{files.root}/steps/{name}: {len(steps[0])} rows of {row['episode_id']} "
                        f"in its place; expected {row['steps']}",
                        hint='read(location, "steps") takes them in any order',
                    )
                arrays = [
                    lists[field.name]
                    if field.name in lists
                    else pa.array([row.get(field.name)], field.type)
                    for field in schema
                ]
                yield pa.Table.from_arrays(arrays, schema=schema)


class _Rows:
    """The rows of a table, episode by episode, as lists of one value."""

    def __init__(self, files: PackFiles, table: TableName, name: str) -> None:
        self._schema = pa.schema(list(schema_of(table)))
        self._tables = self._read(files, f"{table}/{name}")
        self._rest: pa.Table | None = None

    def of(self, id_: str) -> pa.Array:
        """The next rows, as long as they are of this episode."""
        found = [self._schema.empty_table()]
        while (rest := self._rest or next(self._tables, None)) is not None:
            ids = rest["episode_id"].to_pylist()
            count = sum(1 for _ in takewhile(id_.__eq__, ids))
            found.append(rest.slice(0, count))
            self._rest = rest.slice(count) if count < len(ids) else None
            if self._rest is not None:
                break
        rows = pa.concat_tables(found).combine_chunks()
        values = rows.to_struct_array().combine_chunks()
        kind = pa.list_(pa.struct(list(self._schema)))
        return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values, type=kind)

    def _read(self, files: PackFiles, path: str) -> Iterator[pa.Table]:
        with wrap_read_errors(f"{files.root}/{path}"), files.open(path) as table:
            for group in range(table.num_row_groups):
                for batch in table.iter_batches(_BATCH_ROWS, [group]):
                    rows = pa.Table.from_batches([batch])
                    arrays = [
                        rows[field.name].cast(field.type)
                        if field.name in rows.schema.names
                        else pa.nulls(len(rows), field.type)
                        for field in self._schema
                    ]
                    yield pa.Table.from_arrays(arrays, schema=self._schema)


def _read_stored(
    root: Path, unit: Unit, ids: Sequence[str], columns: Sequence[str]
) -> Iterator[pa.Table]:
    """Episodes of a store, one at a time, as `pack` would write them."""
    store = EpisodeStore(root)
    schema = pa.schema([SCHEMAS[unit].field(name) for name in columns])
    with open_encoder_pool() as pool:
        for id_ in ids:
            episode = store.read(id_)
            if not _LARGE.isdisjoint(columns):
                pack_pictures(episode, "original", pool, TemporaryStorage())  # they are checked
            place = root / directory_name(id_)
            told = read_annotation_files(place), read_tags(place)
            rows: dict[TableName, list[dict[str, Any]]] = {"steps": [], "screens": []}
            for table, row in rows_of(episode, episode, *told):
                rows.setdefault(table, []).append(row)
            head = rows["episodes"][0]
            if unit == "steps":
                of = {name: head[name] for name in _OF_EPISODE}
                yield pa.Table.from_pylist([{**row, **of} for row in rows["steps"]], schema)
            else:
                lists = {name: rows[table] for name, table in _LISTS.items()}
                yield pa.Table.from_pylist([{**head, **lists}], schema)


def _read_shared(
    url: str, entries: Sequence[SharedEntry], columns: Sequence[str]
) -> Iterator[pa.Table]:
    """Episodes of one pack of a shared store with all that was said of them since."""
    with owned_directory("tapwright-") as folder:
        copy = SharedCopy(url, folder / "copy")
        for entry in entries:
            copy.bring([entry])
            yield from _read_stored(copy.directory, "episodes", [entry.id], columns)
            rmtree(copy.directory / entry.directory)
