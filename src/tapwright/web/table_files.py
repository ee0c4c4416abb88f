"""Tables as files to keep: CSV as RFC 4180 has it, or a list in JSON."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias
from urllib.parse import quote

from tapwright.evaluate.tables import escape_formula
from tapwright.store.catalog_entry import CatalogEntry
from tapwright.web.api import FileResponse

__all__ = ["ExportFormat", "export_entries", "table_response", "write_csv", "write_json"]

ExportFormat: TypeAlias = Literal["csv", "json"]

_MEDIA_TYPES: Mapping[ExportFormat, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}

_COLUMNS = (
    "id", "instruction", "task_id", "suite", "apps", "agent", "device", "language", "outcome",
    "evidence", "steps", "duration_s", "tags", "created", "version", "annotators", "reviewed",
    "comments", "comment", "rating", "unfit",
)  # fmt: skip


def table_response(table: bytes, name: str, format_: ExportFormat) -> FileResponse:
    """A table that the browser keeps as a file of this name, to which its ending is added."""
    file = quote(f"{name.replace('/', '-')}.{format_}", safe="")
    return FileResponse(
        table,
        media_type=_MEDIA_TYPES[format_],
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{file}"},
    )


def write_csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> bytes:
    """A line with the columns' names, then one for each row, as UTF-8.

    Text that a table program would take for a formula has an apostrophe before it.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(map(_plain, header))
    for row in rows:
        writer.writerow(map(_plain, row))
    # Half an emoji, which a model that is cut short does write, has no UTF-8.
    return file.getvalue().encode("utf-8", "replace")


def write_json(rows: Iterable[object]) -> bytes:
    """A list, with one row in each line."""
    lines = ",\n".join(map(json.dumps, rows))
    return f"[\n{lines}\n]\n".encode()


def export_entries(entries: Sequence[CatalogEntry], format_: ExportFormat) -> bytes:
    """Episodes in their order; in CSV the words of a list have a blank between them."""
    rows = [{name: getattr(entry, name) for name in _COLUMNS} for entry in entries]
    if format_ == "json":
        return write_json(rows)
    return write_csv(
        _COLUMNS,
        (
            [" ".join(value) if isinstance(value, tuple) else value for value in row.values()]
            for row in rows
        ),
    )


def _plain(cell: object) -> object:
    return escape_formula(cell) if isinstance(cell, str) else cell
