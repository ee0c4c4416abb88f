"""The rows of a run as a file: CSV for a table program, or the lines of the log as JSON."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Literal, TypeAlias

from tapwright.evaluate.error_analysis import answered_point, diagnose
from tapwright.evaluate.run_log import SampleRow, row_json
from tapwright.evaluate.sample_gallery import row_verdict

__all__ = ["ExportFormat", "export_rows"]

ExportFormat: TypeAlias = Literal["csv", "json"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_rows(rows: Sequence[SampleRow], format_: ExportFormat) -> bytes:
    """The rows, in their order, as UTF-8.

    CSV has a line with the columns' names, then one for each row, as RFC 4180 has it; text that a
    table program would take for a formula has an apostrophe before it. JSON is a list of the rows
    as they are in the log.
    """
    if format_ == "json":
        lines = ",\n".join(json.dumps(row_json(row)) for row in rows)
        return f"[\n{lines}\n]\n".encode()
    labels = list(dict.fromkeys(name for row in rows for name in row.labels))
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    names = [label if label not in _COLUMNS else f"label_{label}" for label in labels]
    writer.writerow([*_COLUMNS, *map(_plain, names)])
    for row in rows:
        cells = [*_cells(row), *(row.labels.get(label, "") for label in labels)]
        writer.writerow([_plain(cell) if isinstance(cell, str) else cell for cell in cells])
    # Half an emoji, which a model that is cut short does write, has no UTF-8.
    return file.getvalue().encode("utf-8", "replace")


_COLUMNS = (
    "key", "epoch", "verdict", "mistake", "score", "status", "instruction", "answer", "x", "y",
    "error", "latency_s", "input_tokens", "output_tokens", "steps", "episode",
)  # fmt: skip


def _cells(row: SampleRow) -> list[object]:
    point, error = answered_point(row), row.error
    return [
        row.key,
        row.about.epoch,
        row_verdict(row),
        diagnose(row),
        row.score,
        row.status,
        row.about.instruction,
        row.answer,
        None if point is None else point.x,
        None if point is None else point.y,
        None if error is None else f"{error.code}: {error.message}",
        row.latency_s,
        row.usage.input_tokens,
        row.usage.output_tokens,
        row.detail.get("steps"),
        row.detail.get("episode"),
    ]


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
