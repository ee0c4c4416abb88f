"""A training set's rows as Parquet: files, shards, and reading them.

It follows what Hugging Face's `datasets` writes: an image is {"bytes", "path"}, the schema's
metadata has the features (https://huggingface.co/docs/datasets/about_dataset_features), row groups
are small, so that one row is read without its neighbours, and images are not compressed again.
`path` is null: where it names a file of the current directory, `datasets` would discard the bytes.

An image of many rows is stored once: rows that follow each other and share images are of one row
group, in which a column's dictionary has each value once.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import JsonValue

from tapwright.core.screenshot import Screenshot
from tapwright.files.regular import open_regular
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters.training_set import Split, TrainingSample
from tapwright.formats.exporters.writers import SampleRows

IMAGE_TYPE = pa.struct({"bytes": pa.binary(), "path": pa.string()})
IMAGE_LIST_TYPE = pa.list_(IMAGE_TYPE)
_GROUP_ROWS, _GROUP_BYTES = 16, 16 << 20
_DICTIONARY_BYTES = 1 << 30  # no limit: past it, values are stored as often as they occur
_SHARD_BYTES, _SHARD_GROUPS = 500 << 20, 512
_CARD_SPLITS: Mapping[Split, str] = {"train": "train", "val": "validation"}
_TYPES = MappingProxyType(
    {
        pa.string(): "string",
        pa.int64(): "int64",
        pa.float32(): "float32",
        pa.float64(): "float64",
        pa.bool_(): "bool",
    }
)


class ParquetFileWriter:
    """Writes one Parquet file in row groups of a few rows. The same rows give the same bytes.

    A group goes on for as long as rows share images, up to some megabytes of them.

    `size` counts the bytes of the images in it, `groups` its row groups, all of which it remembers
    until its end, where a Parquet file describes them.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.size = self.groups = 0
        self._schema = schema
        self._rows: list[Mapping[str, Any]] = []
        self._images: set[bytes] = set()
        self._read_bytes = 0  # what a reader of the group has in memory
        self._thread = ThreadPoolExecutor(1, "parquet")
        self._writing: Future[None] | None = None
        self._writer = pq.ParquetWriter(
            path,
            schema,
            compression=dict(_compression(schema)),
            dictionary_pagesize_limit=_DICTIONARY_BYTES,
        )

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row; images are `image_struct`s."""
        images = list(_image_bytes(row))
        enough = len(self._rows) >= _GROUP_ROWS and self._images.isdisjoint(images)
        if enough or self._read_bytes >= _GROUP_BYTES:
            self._flush()
        self._rows.append(row)
        self._images.update(images)
        self._read_bytes += sum(map(len, images))

    def close(self) -> None:
        """Write the last row group and the end of the file."""
        self._flush()
        self._wait()
        self._thread.shutdown()
        self._writer.close()

    def _wait(self) -> None:
        if self._writing is not None:
            self._writing.result()

    def _flush(self) -> None:
        if self._rows:
            table = pa.Table.from_pylist(self._rows, self._schema)
            self._wait()
            # Arrow needs no lock of Python's to compress and write: others make rows meanwhile.
            self._writing = self._thread.submit(self._writer.write_table, table)
            self.size += sum(map(len, self._images))
            self.groups += 1
            self._rows, self._images, self._read_bytes = [], set(), 0


class ParquetShardWriter:
    """Writes shards `<stem>-00000.parquet`, … of some hundred megabytes or some thousand rows."""

    def __init__(self, stem: Path, schema: pa.Schema) -> None:
        self._stem = stem
        self._schema = add_features(schema)
        self._file: ParquetFileWriter | None = None
        self._shards = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row."""
        file = self._file
        if file and (file.size >= _SHARD_BYTES or file.groups >= _SHARD_GROUPS):
            self.close()
        if self._file is None:
            name = f"{self._stem.name}-{self._shards:05d}.parquet"
            self._file = ParquetFileWriter(self._stem.with_name(name), self._schema)
            self._shards += 1
        self._file.add(row)

    def close(self) -> None:
        """Close the last shard."""
        if self._file is not None:
            self._file.close()
            self._file = None


def add_features(schema: pa.Schema) -> pa.Schema:
    """Returns the schema with the metadata in which `datasets` looks for features."""
    features = {field.name: _feature(field.type) for field in schema}
    info = json.dumps({"info": {"features": features}})
    return schema.with_metadata({"huggingface": info})


def _image_bytes(row: Mapping[str, Any]) -> Iterator[bytes]:
    for value in row.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict) and "bytes" in one:
                yield one["bytes"]


def write_dataset_card(directory: Path, splits: Iterable[Split]) -> None:
    """Write README.md, so that `load_dataset(directory)` finds each split's shards in `data/`.

    Follows https://huggingface.co/docs/hub/datasets-manual-configuration. All that `datasets` knows
    its cache of a set by is the directory's own name and what the card says: without the hash of
    the rows, a set would be answered with the cached rows of another one of the same name.
    """
    digest = hashlib.sha256()
    for path in sorted((directory / "data").glob("*.parquet")):
        with open_regular(path) as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    files = "".join(
        f'  - split: {_CARD_SPLITS[split]}\n    path: "data/{split}-*.parquet"\n'
        for split in splits
    )
    config = f"- config_name: default\n  description: sha256 {digest.hexdigest()}\n"
    text = f"---\nconfigs:\n{config}  data_files:\n{files}---\n"
    (directory / "README.md").write_text(text, encoding="utf-8", newline="\n")


def image_struct(picture: Screenshot) -> dict[str, bytes | None]:
    """Returns a picture as `datasets` stores it."""
    return {"bytes": picture.data, "path": None}


def image_structs(pictures: list[Screenshot]) -> list[dict[str, bytes | None]]:
    """Returns pictures as `datasets` stores them."""
    return [image_struct(picture) for picture in pictures]


def read_parquet(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the rows of a Parquet file, a few of them in memory at a time.

    Raises:
        BadTrainingSetError: it cannot be read, or is not a Parquet file.
    """
    try:
        with open_regular(path) as opened, pq.ParquetFile(opened) as file:
            for group in range(file.num_row_groups):  # a reader of several keeps what it has read
                # So few rows are read sooner than threads are woken.
                for batch in file.iter_batches(_GROUP_ROWS, [group], use_threads=False):
                    yield from batch.to_pylist()
    except OSError as error:
        raise BadTrainingSetError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise BadTrainingSetError(f"{path}: not Parquet: {error}") from error


def read_parquet_rows(
    directory: Path, columns: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the rows of all Parquet files below a directory, each after its place.

    Raises:
        BadTrainingSetError: there is no row, or a column is missing.
    """
    paths = sorted(directory.rglob("*.parquet"))
    if not paths:
        raise BadTrainingSetError(f"{directory}: has no samples")
    for path in paths:
        for number, row in enumerate(read_parquet(path)):
            where = f"{path}, sample {number}"
            missing = [name for name in columns if row.get(name) is None]
            if missing:
                raise BadTrainingSetError(f"{where}: has no {missing[0]}")
            yield where, row


def check_rows(
    directory: Path, columns: Sequence[str], check: Callable[[dict[str, Any], str], object]
) -> int:
    """Checks each row with these columns of all shards; returns how many there are."""
    count = 0
    for where, row in read_parquet_rows(directory, columns):
        check(row, where)
        count += 1
    return count


def sample_shards(
    directory: Path, schema: pa.Schema, row: Callable[[TrainingSample], Mapping[str, Any]]
) -> SampleRows:
    """Writes `train-00000.parquet`, `val-00000.parquet` and so on."""
    return SampleRows(lambda split: ParquetShardWriter(directory / split, schema), row)


def carded_shards(
    directory: Path, schema: pa.Schema, row: Callable[[TrainingSample], Mapping[str, Any]]
) -> SampleRows:
    """The same in `data/`, with the card by which `load_dataset` finds them."""
    return SampleRows(
        lambda split: ParquetShardWriter(directory / "data" / split, schema),
        row,
        lambda splits: write_dataset_card(directory, splits),
    )


def _feature(type_: pa.DataType) -> JsonValue:
    """Returns the feature of `datasets` for an Arrow type."""
    if type_ == IMAGE_TYPE:
        return {"_type": "Image"}
    if pa.types.is_struct(type_):
        return {field.name: _feature(field.type) for field in type_}
    if pa.types.is_fixed_size_list(type_):
        inner = _feature(type_.value_type)
        return {"feature": inner, "length": type_.list_size, "_type": "List"}
    if pa.types.is_list(type_):
        return {"feature": _feature(type_.value_type), "_type": "List"}
    return {"dtype": _TYPES[type_], "_type": "Value"}


def _compression(schema: pa.Schema) -> Iterator[tuple[str, str]]:
    for field in schema:
        for path, type_ in _leaves(field.name, field.type):
            yield path, "none" if pa.types.is_binary(type_) else "zstd"


def _leaves(path: str, type_: pa.DataType) -> Iterator[tuple[str, pa.DataType]]:
    if pa.types.is_struct(type_):
        for field in type_:
            yield from _leaves(f"{path}.{field.name}", field.type)
    elif pa.types.is_list(type_) or pa.types.is_fixed_size_list(type_):
        yield from _leaves(f"{path}.list.element", type_.value_type)
    else:
        yield path, type_
