"""Reads tables of parameters: CSV, JSON lines or Parquet, one task per row.

A column fills the slots of its name in every step; a column `step.name` those of one step alone.
A list, as JSON and Parquet have them, becomes a list with commas.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tapwright.files.regular import open_regular, open_regular_text
from tapwright.tasks.errors import BadTableError
from tapwright.tasks.templates.confs import ConfValue, Values

__all__ = ["TableRow", "read_rows"]

_BATCH_ROWS = 1000


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: its table, its place there, and its values by column."""

    table: Path
    place: str
    values: Mapping[str, str]

    def for_step(self, step: str) -> Values:
        """Return the values by identifier, with this step's own columns before those of all."""
        mine: dict[str, ConfValue] = {}
        for column, text in self.values.items():
            owner, dot, name = column.rpartition(".")
            if dot and owner == step:
                mine[name] = ConfValue(text, f"{self.place}, column {column}")
            elif not dot and column not in mine:
                mine[column] = ConfValue(text, f"{self.place}, column {column}")
        return mine


def read_rows(path: Path) -> Iterator[TableRow | BadTableError]:
    """Yields the rows of a table, in order; for an invalid row, its error.

    Raises:
        BadTableError: the table as a whole cannot be read.
    """
    readers = {".csv": _csv_rows, ".jsonl": _json_rows, ".parquet": _parquet_rows}
    if path.suffix not in readers:
        raise BadTableError(f"{path}: unknown kind of table; expected {', '.join(readers)}")
    try:
        yield from readers[path.suffix](path)
    except OSError as error:
        raise BadTableError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadTableError(f"{path}: not UTF-8", hint="save the table as UTF-8") from error


def _csv_rows(path: Path) -> Iterator[TableRow | BadTableError]:
    with open_regular_text(path, "utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        columns: list[str] = []
        try:
            for cells in reader:
                place = f"{path}, line {reader.line_num}"
                if not columns:
                    columns = cells
                    twice = [name for name, count in Counter(columns).items() if count > 1]
                    if twice:
                        raise BadTableError(f"{place}: two columns are called {twice[0]!r}")
                elif cells:
                    if len(cells) == len(columns):
                        yield TableRow(path, place, dict(zip(columns, cells, strict=True)))
                    else:
                        yield BadTableError(
                            f"{place}: {len(cells)} cells; expected {len(columns)}, as the first "
                            f"line has {', '.join(columns)}",
                            hint='a cell with a comma is quoted: "milk,eggs"',
                        )
        except csv.Error as error:
            raise BadTableError(f"{path}, line {reader.line_num}: {error}") from error


def _json_rows(path: Path) -> Iterator[TableRow | BadTableError]:
    with open_regular_text(path, "utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"{path}, line {number}"
            try:
                fields = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield BadTableError(f"{place}: not JSON: {error}")
                continue
            if isinstance(fields, dict):
                yield _row(path, place, fields)
            else:
                yield BadTableError(f"{place}: found {line.strip()[:40]}; expected an object {{…}}")


def _parquet_rows(path: Path) -> Iterator[TableRow | BadTableError]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        number = 0
        with open_regular(path) as opened, pq.ParquetFile(opened) as file:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                for fields in batch.to_pylist():
                    number += 1
                    yield _row(path, f"{path}, row {number}", fields)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise BadTableError(f"{path}: not Parquet: {error}") from error


def _row(path: Path, place: str, fields: Mapping[str, Any]) -> TableRow | BadTableError:
    try:
        values = {name: _text(value, place, name) for name, value in fields.items()}
    except BadTableError as error:
        return error
    return TableRow(path, place, {name: text for name, text in values.items() if text is not None})


def _text(value: Any, place: str, column: str) -> str | None:
    """Renders a value as a conf file has it; None for no value."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case str():
            if not value.isprintable():
                _check_utf8(value, place, column)
            return value
        case int() | float():
            return str(value)
        case list():
            items = [_text(item, place, column) or "" for item in value]
            if comma := next((item for item in items if "," in item), None):
                raise BadTableError(
                    f"{place}, column {column}: the item {comma!r} has a comma, which "
                    "separates items"
                )
            return ",".join(items)
    raise BadTableError(
        f"{place}, column {column}: found {type(value).__name__}; expected a text, a number or a "
        "list of them"
    )


def _check_utf8(value: str, place: str, column: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadTableError(f"{place}, column {column}: half a character: {value!r}") from error
