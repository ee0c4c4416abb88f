"""The tables of a packed data set, and the rows of one episode in them.

    episodes    a row for each episode, without a picture
    steps       a row for each step, with the screen before it
    screens     every other screen: the last one, and those of a step besides the one before it

Parquet that needs no code of ours: images are structs of bytes and path, as the `Image` of Hugging
Face is stored (https://huggingface.co/docs/datasets/about_dataset_features), and the schema's
metadata declares them. The path is null: `datasets` discards the bytes when it names an existing
file. An action is a JSON string, as a struct of all kinds would be full of nulls. `header`, `line`
and `end` are records of the store's own files, from which episodes are unpacked; the columns beside
them repeat their values for readers, with half an emoji as "?", which UTF-8 cannot hold.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from tapwright.core.episode import Episode, dump_actions
from tapwright.core.observation import Observation
from tapwright.files.atomic import atomic_file
from tapwright.files.jsonl import to_json
from tapwright.files.place import failures
from tapwright.formats.errors import BrokenPackError
from tapwright.store.packing import pack_end, pack_header, pack_step, schema_of_step
from tapwright.store.records import SCHEMA

__all__ = [
    "TABLES", "UNREADABLE", "ShardWriter", "TableName", "merge_shards", "rows_of", "schema_of",
    "shard_writer", "wrap_read_errors",
]  # fmt: skip

UNREADABLE = (pa.ArrowException, OSError, KeyError, UnicodeDecodeError)
"""What reading a table raises."""
TableName: TypeAlias = Literal["episodes", "steps", "screens"]
_Kind: TypeAlias = Literal["string", "int32", "float64", "binary", "image", "strings", "files"]
_Row: TypeAlias = dict[str, Any]

TABLES: Mapping[TableName, Mapping[str, _Kind]] = {
    "episodes": {
        "episode_id": "string",
        "task_id": "string",
        "instruction": "string",
        "outcome": "string",
        "steps": "int32",
        "agent": "string",
        "device": "string",
        "created": "string",
        "version": "int32",
        "header": "string",
        "end": "string",
        "annotations": "files",
        "tags": "strings",
    },
    "steps": {
        "episode_id": "string",
        "step": "int32",
        "instruction": "string",
        "step_instruction": "string",
        "image": "image",
        "image_sha256": "string",
        "source_sha256": "string",
        "width": "int32",
        "height": "int32",
        "app": "string",
        "action_type": "string",
        "action": "string",
        "reasoning": "string",
        "target": "string",
        "reward": "float64",
        "instructions": "strings",
        "time_s": "float64",
        "ui_tree": "binary",
        "line": "string",
    },
    "screens": {
        "episode_id": "string",
        "step": "int32",
        "place": "int32",
        "image": "image",
        "image_sha256": "string",
        "source_sha256": "string",
        "ui_tree": "binary",
    },
}
"""The columns of each table, and their types."""

# The lines of a store's first schema hold the whole state, so that a row needs no other.
_SCHEMA = 1
# A row group is what a reader has to fetch for one row of it.
_GROUP_ROWS = 16
_GROUP_BYTES = 4_000_000

_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_FILE = pa.struct([("name", pa.string()), ("bytes", pa.binary())])
_ARROW: Mapping[_Kind, pa.DataType] = {
    "string": pa.string(),
    "int32": pa.int32(),
    "float64": pa.float64(),
    "binary": pa.binary(),
    "image": _IMAGE,
    "strings": pa.list_(pa.string()),
    "files": pa.list_(_FILE),
}
_LEAVES: Mapping[_Kind, Sequence[str]] = {
    "image": (".bytes", ".path"),
    "strings": (".list.element",),
    "files": (".list.element.name", ".list.element.bytes"),
}


def schema_of(table: TableName) -> pa.Schema:
    """Returns the Arrow schema of a table, with its features as `datasets` reads them."""
    columns = TABLES[table]
    features = {name: _hf_feature(kind) for name, kind in columns.items()}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    fields = [pa.field(name, _ARROW[kind]) for name, kind in columns.items()]
    return pa.schema(fields, metadata=metadata)


def _hf_feature(kind: _Kind) -> _Row:
    match kind:
        case "image":
            return {"_type": "Image"}
        case "strings":
            return {"feature": _hf_feature("string"), "_type": "List"}
        case "files":
            file = {"name": _hf_feature("string"), "bytes": _hf_feature("binary")}
            return {"feature": file, "_type": "List"}
        case _:
            return {"dtype": kind, "_type": "Value"}


class ShardWriter:
    """Writes episodes as rows of the three tables; at most one row group of each is in memory."""

    def __init__(self, tables: "Mapping[TableName, _TableWriter]") -> None:
        self._tables = tables

    def add(
        self,
        recorded: Episode,
        packed: Episode,
        annotations: Mapping[str, bytes],
        tags: Sequence[str],
    ) -> None:
        """Add an episode as recorded and as packed, the annotators' files by name, its tags."""
        for table, row in rows_of(recorded, packed, annotations, tags):
            self.add_row(table, row)

    def add_row(self, table: TableName, row: Mapping[str, Any]) -> None:
        """Add a row that `rows_of` made, or that was read from another pack."""
        self._tables[table].add(row)


def rows_of(
    recorded: Episode,
    packed: Episode,
    annotations: Mapping[str, bytes],
    tags: Sequence[str],
) -> Iterator[tuple[TableName, dict[str, Any]]]:
    """The rows of an episode as recorded and as packed; see `ShardWriter.add`."""
    for number, (before, step) in enumerate(zip(recorded.steps, packed.steps, strict=True)):
        record, _ = pack_step(step, schema=_SCHEMA)
        seen, decision = step.observation, step.decision
        yield (
            "steps",
            {
                "episode_id": packed.id,
                "step": number,
                "instruction": _to_utf8(packed.instruction),
                "step_instruction": _to_utf8(step.step_instruction),
                **_image_columns(before.observation, seen),
                "width": seen.size.width,
                "height": seen.size.height,
                "app": _to_utf8(seen.app),
                "action_type": " ".join(action.type for action in decision.actions),
                "action": dump_actions(decision.actions),
                "reasoning": _to_utf8(decision.reasoning),
                "target": _to_utf8(decision.target),
                "reward": step.reward,
                "instructions": [_to_utf8(one) for one in step.instructions],
                "time_s": seen.time_s,
                "line": to_json(record).decode(),
            },
        )
        for place, one in enumerate(zip(before.screens[1:], step.screens[1:], strict=True)):
            yield "screens", _screen_row(packed.id, number, place, *one)
    if recorded.final is not None and packed.final is not None:
        yield "screens", _screen_row(packed.id, len(packed.steps), 0, recorded.final, packed.final)
    yield "episodes", _episode_row(packed, annotations, tags)


def _screen_row(id_: str, step: int, place: int, before: Observation, seen: Observation) -> _Row:
    return {"episode_id": id_, "step": step, "place": place, **_image_columns(before, seen)}


@contextmanager
def shard_writer(directory: Path, name: str) -> Iterator[ShardWriter]:
    """Opens a writer of the shard `name` in `directory`; its files appear when the block succeeds.

    Raises:
        DiskError: the disk is full or not writable; then no file of the shard is partial.
    """
    with ExitStack() as stack:
        tables: dict[TableName, _TableWriter] = {}
        for table in TABLES:
            file = stack.enter_context(atomic_file(directory / table / f"{name}.parquet"))
            tables[table] = stack.enter_context(_TableWriter(table, file))
        yield ShardWriter(tables)


def merge_shards(
    directory: Path, name: str, shards: Iterable[tuple[Path, Collection[str]]]
) -> None:
    """Writes the shard `name` of the rows of these episodes in other shards.

    Each comes as the directory of a pack, which has one shard of the same name.

    Raises:
        DiskError: the disk is full or not writable; then no file of the shard is partial.
        BrokenPackError: a table cannot be read.
    """
    shards = list(shards)
    for table in TABLES:
        with (
            atomic_file(directory / table / f"{name}.parquet") as file,
            _TableWriter(table, file) as writer,
        ):
            for pack, ids in shards:
                path = pack / table / f"{name}.parquet"
                with wrap_read_errors(path), pq.ParquetFile(path) as source:
                    for batch in source.iter_batches(batch_size=_GROUP_ROWS):
                        for row in batch.to_pylist():
                            if row["episode_id"] in ids:
                                writer.add(row)


@contextmanager
def wrap_read_errors(where: Path | str) -> Iterator[None]:
    """Raise what goes wrong in reading a table as a `BrokenPackError` about `where`."""
    try:
        yield
    except (*UNREADABLE, *failures()) as error:
        raise BrokenPackError(
            f"{where}: cannot be read as a table of a packed data set: {error}"
        ) from error


class _TableWriter:
    """Writes the rows of one table in row groups."""

    def __init__(self, table: TableName, file: Any) -> None:
        columns = TABLES[table]
        leaves = {
            name + leaf: kind for name, kind in columns.items() for leaf in _LEAVES.get(kind, ("",))
        }
        pictures = {leaf for leaf, kind in leaves.items() if kind == "image"}
        self._schema = schema_of(table)
        self._writer = pq.ParquetWriter(
            file,
            self._schema,
            # Images are compressed already: a second time would cost every reader.
            compression={leaf: "NONE" if leaf in pictures else "ZSTD" for leaf in leaves},
            # Large enough that a screen with many steps is in a row group once.
            dictionary_pagesize_limit=2 * _GROUP_BYTES,
        )
        self._rows: list[Mapping[str, Any]] = []
        self._pictures: dict[str, int] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        own = {row["image_sha256"]: len(row["image"]["bytes"])} if "image" in row else {}
        held = {**self._pictures, **own}
        full = len(self._rows) == _GROUP_ROWS or sum(held.values()) > _GROUP_BYTES
        if self._rows and full:
            self._flush()
            held = own
        self._rows.append(row)
        self._pictures = held

    def __enter__(self) -> "_TableWriter":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
        self._rows = []


def _episode_row(episode: Episode, annotations: Mapping[str, bytes], tags: Sequence[str]) -> _Row:
    later = bool(episode.evidence) or any(schema_of_step(step) > _SCHEMA for step in episode.steps)
    header, _ = pack_header(episode, schema=_SCHEMA)
    # Who reads no such lines refuses the header.
    header = header.model_copy(update={"schema_": SCHEMA}) if later else header
    end, _ = pack_end(episode.outcome, episode.final, evidence=episode.evidence)
    return {
        "episode_id": episode.id,
        "task_id": _to_utf8(episode.task_id),
        "instruction": _to_utf8(episode.instruction),
        "outcome": episode.outcome,
        "steps": len(episode.steps),
        "agent": _to_utf8(episode.agent),
        "device": _to_utf8(episode.device),
        "created": episode.created,
        "version": episode.version,
        "header": to_json(header).decode(),
        "end": to_json(end).decode(),
        "annotations": [{"name": name, "bytes": data} for name, data in annotations.items()],
        "tags": list(tags),
    }


def _image_columns(recorded: Observation, packed: Observation) -> _Row:
    tree = packed.ui_tree
    return {
        "image": {"bytes": packed.screenshot.data, "path": None},
        "image_sha256": packed.screenshot.sha256,
        "source_sha256": recorded.screenshot.sha256,
        # Unread, so that an episode of any length is never whole in memory.
        "ui_tree": None if tree is None else tree.unread().xml.encode("utf-8", "surrogatepass"),
    }


def _to_utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
