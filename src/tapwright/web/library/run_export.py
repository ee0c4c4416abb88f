"""The rows of a run as a file: CSV for a table program, or the lines of the log as JSON."""

from collections.abc import Sequence

from tapwright.evaluate.error_analysis import answered_point, diagnose
from tapwright.evaluate.run_log import SampleRow, row_json
from tapwright.evaluate.sample_gallery import row_verdict
from tapwright.web.library.table_files import ExportFormat, write_csv, write_json

__all__ = ["export_rows"]


def export_rows(rows: Sequence[SampleRow], format_: ExportFormat) -> bytes:
    """The rows, in their order, as UTF-8.

    In CSV each label has a column, too; JSON is a list of the rows as they are in the log.
    """
    if format_ == "json":
        return write_json(map(row_json, rows))
    labels = list(dict.fromkeys(name for row in rows for name in row.labels))
    names = [label if label not in _COLUMNS else f"label_{label}" for label in labels]
    return write_csv(
        (*_COLUMNS, *names),
        ([*_cells(row), *(row.labels.get(label, "") for label in labels)] for row in rows),
    )


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
