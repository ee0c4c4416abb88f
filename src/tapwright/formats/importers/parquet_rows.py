"""Rows of Parquet files that others made, read in pieces; needs PyArrow.

A picture in a row is a structure of its bytes and a path
(https://huggingface.co/docs/datasets/about_dataset_features), or one of these, or a text in base64;
a file is looked for beside the table. An address is not fetched.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError, MissingExtraError
from tapwright.files.regular import open_regular
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.account import note_file
from tapwright.formats.importers.foreign_record import find_screen
from tapwright.formats.temporary_storage import TemporaryStorage

__all__ = ["has_columns", "look_at", "parquet_footer", "read_rows"]

_MAGIC = b"PAR1"
_FOOTER_BYTES = 1 << 20
_ROWS = 16


def has_columns(path: Path, *names: str) -> bool:
    """Whether a file is Parquet whose footer names these columns; PyArrow is not needed."""
    if path.suffix != ".parquet" or not path.is_file():
        return False
    footer = parquet_footer(path)
    return bool(footer) and all(name.encode() in footer for name in names)


def parquet_footer(path: Path) -> bytes:
    """The end of a Parquet file, which names its columns; empty where it is none."""
    try:
        with open_regular(path) as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - _FOOTER_BYTES))
            data = file.read(_FOOTER_BYTES)
    except OSError:
        return b""
    # Its length and the magic stand last; a longer one is looked at from its middle on.
    if len(data) < 8 or not data.endswith(_MAGIC):
        return b""
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def read_rows(
    path: Path, columns: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the rows of a file with these columns, each after its place.

    Raises:
        MissingExtraError: PyArrow is not installed.
        ForeignDataError: the file cannot be read, or lacks a column.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{path} is Parquet, which", "parquet") from error
    note_file(path)
    number = 0
    try:
        with open_regular(path) as opened, pq.ParquetFile(opened) as file:
            there = set(file.schema_arrow.names)
            if missing := [name for name in columns if name not in there]:
                raise ForeignDataError(f"{path}: has no column {', '.join(missing)}")
            wanted = [*columns, *(name for name in optional if name in there)]
            for batch in file.iter_batches(batch_size=_ROWS, columns=wanted):
                for row in batch.to_pylist():
                    yield f"{path}, row {number}", row
                    number += 1
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ForeignDataError(f"{path}, row {number}: cannot be read: {error}") from error


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
