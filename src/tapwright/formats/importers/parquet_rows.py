"""Rows of Parquet and Arrow files that others made, read in pieces; needs PyArrow.

Arrow's are the file and the stream (https://arrow.apache.org/docs/format/Columnar.html), which
`Dataset.save_to_disk` of `datasets` writes; such a file is mapped, as a piece of it may hold a
thousand pictures. A picture in a row is a structure of its bytes and a path
(https://huggingface.co/docs/datasets/about_dataset_features), or one of these, or a text in base64;
a file is looked for beside the table. An address is not fetched.
"""

import json
import os
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import isnan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError, MissingExtraError
from tapwright.files.regular import open_regular
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.account import note_file
from tapwright.formats.importers.foreign_record import find_screen
from tapwright.formats.temporary_storage import TemporaryStorage

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TABLES", "has_columns", "look_at", "read_json_rows", "read_rows", "table_schema"]

TABLES = (".parquet", ".arrow")
"""How the files of tables are called."""
_MAGIC, _ARROW, _STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
_FOOTER_BYTES = 1 << 20
_ROWS = 16


def has_columns(path: Path, *names: str) -> bool:
    """Whether a file is a table whose schema names these columns; PyArrow is not needed."""
    if path.suffix.lower() not in TABLES or not path.is_file():
        return False
    schema = table_schema(path)
    return bool(schema) and all(name.encode() in schema for name in names)


def table_schema(path: Path) -> bytes:
    """What of a Parquet or an Arrow file names its columns; empty where it is none, or a part."""
    try:
        with open_regular(path) as file:
            start = file.read(8)
            if start.startswith(_MAGIC):
                return _parquet_footer(file)
            if start.startswith(_ARROW):
                start = file.read(8)
            # The first message of either: a mark, its length, and the schema.
            whole = start.startswith(_STREAM) and len(start) == 8
            size = int.from_bytes(start[4:], "little") if whole else 0
            return file.read(min(size, _FOOTER_BYTES))
    except OSError:
        return b""


def _parquet_footer(file: IO[bytes]) -> bytes:
    """The end of the file, where its length and the magic stand last; of a longer one the half."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - _FOOTER_BYTES))
    data = file.read(_FOOTER_BYTES)
    if len(data) < 8 or not data.endswith(_MAGIC):
        return b""
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def read_rows(
    path: Path, columns: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the rows of a file with these columns, or without any with all, each after its place.

    Raises:
        MissingExtraError: PyArrow is not installed.
        ForeignDataError: the file cannot be read, or lacks a column.
    """
    try:
        import pyarrow as pa
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{path} is a table, which", "parquet") from error
    note_file(path)
    number = 0

    def choose(there: Sequence[str]) -> Sequence[str]:
        if missing := [name for name in columns if name not in there]:
            raise ForeignDataError(f"{path}: has no column {', '.join(missing)}")
        return [*columns, *(one for one in optional if one in there)] if columns else there

    try:
        with open_regular(path) as file:
            is_parquet = file.read(4) == _MAGIC
        for batch in (_parquet_batches if is_parquet else _arrow_batches)(path, choose):
            for row in batch.to_pylist():
                yield f"{path}, row {number}", row
                number += 1
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ForeignDataError(f"{path}, row {number}: cannot be read: {error}") from error


_Choose = Callable[[Sequence[str]], Sequence[str]]


def _parquet_batches(path: Path, choose: _Choose) -> "Iterator[pa.RecordBatch]":
    import pyarrow.parquet as pq

    with open_regular(path) as opened, pq.ParquetFile(opened) as file:
        yield from file.iter_batches(batch_size=_ROWS, columns=choose(file.schema_arrow.names))


def _arrow_batches(path: Path, choose: _Choose) -> "Iterator[pa.RecordBatch]":
    import pyarrow as pa

    with pa.memory_map(str(path)) as mapped:
        is_file = mapped.read(len(_ARROW)) == _ARROW
        mapped.seek(0)
        reader = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(mapped)
        wanted = choose(reader.schema.names)
        numbers = range(reader.num_record_batches) if is_file else ()
        for batch in map(reader.get_batch, numbers) if is_file else reader:
            kept = batch.select(wanted)
            yield from (kept.slice(at, _ROWS) for at in range(0, batch.num_rows, _ROWS))


def read_json_rows(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the rows of a table as JSON, each after its place; raises as `read_rows`.

    What is null is not there, and a picture is a text in base64, or its name.
    """
    for where, row in read_rows(path, ()):
        yield where, json.dumps(_to_json(row), default=str).encode()


def _to_json(value: object) -> object:
    match value:
        case {"bytes": data, "path": name, **others} if not others:
            return _to_json(data or name)
        case dict():
            return {name: _to_json(one) for name, one in value.items() if not _is_null(one)}
        case list():
            return [_to_json(one) for one in value]
        case bytes():
            return b64encode(value).decode()
        case _:
            return value


def _is_null(value: object) -> bool:
    return value is None or (isinstance(value, float) and isnan(value))


def look_at(
    cell: object, file: Path, storage: TemporaryStorage, where: str
) -> Callable[[], Observation]:
    """What returns the screen in a cell of `file`, or raises what is wrong with it.

    Its bytes are kept in `storage` now.
    """
    try:
        kept = _keep_picture(cell, file, storage, where)
    except (ForeignDataError, BadImageError) as error:
        return partial(_fail, error)
    return lambda: kept


def _fail(error: Exception) -> Observation:
    raise error


def _keep_picture(value: object, file: Path, storage: TemporaryStorage, where: str) -> Observation:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    data = value.get("bytes") if isinstance(value, dict) else value
    if not data and isinstance(value, dict):
        data = value.get("path")
    if isinstance(data, str):
        if "://" in data:
            raise ForeignDataError(f"{where}: its picture is an address, not fetched: {data[:200]}")
        data = find_screen([file.parent, file.parent / "images"], data).screenshot.data
    if not isinstance(data, bytes):
        raise ForeignDataError(f"{where}: has no picture in it")
    whole = Screenshot(data, origin=where)
    size = whole.size  # a picture that is none is not kept
    return Observation(whole.reloaded_by(storage.add(data)), size)
