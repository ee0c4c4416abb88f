"""The routes of evaluation runs, all of them for reviewers."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, Json
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.evaluate.error_analysis import answered_point, diagnose
from tapwright.evaluate.run_log import SampleRow, row_json
from tapwright.evaluate.sample_gallery import row_verdict
from tapwright.web import api
from tapwright.web.library.library import Library
from tapwright.web.library.row_tables import RowFilter
from tapwright.web.library.run_comparison import ComparisonView, MatrixView
from tapwright.web.library.run_views import RowPage, RunList, RunView, SampleDetail
from tapwright.web.table_files import ExportFormat, table_response, write_csv, write_json

__all__ = ["export_rows", "routes"]


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


class RunQuery(api.Query):
    """A run by its name."""

    name: str


class RowsQuery(RunQuery):
    """The rows of a run that fit; what is empty fits every row.

    `label` has lines "name:value". `sort` is a column or a label, with "-" before it from the
    largest down; "" is the order of the log.
    """

    q: str = ""
    verdict: str = ""
    mistake: str = ""
    label: str = ""
    sort: str = ""

    def filter(self) -> RowFilter:
        """The filter that these parameters name."""
        pairs = [line.partition(":") for line in self.label.split("\n") if line]
        return RowFilter(
            text=self.q,
            verdict=self.verdict,
            mistake=self.mistake,
            labels={name: value for name, _, value in pairs},
            sort=self.sort,
        )


class RowPageQuery(RowsQuery):
    """A page of these rows, from 0."""

    page: Annotated[int, Field(ge=0, lt=10**9)] = 0


class ExportQuery(RowsQuery):
    """These rows as a file."""

    format: ExportFormat = "csv"


class SampleQuery(RowsQuery):
    """A sample of a run by its key, among the rows that fit."""

    key: str


class SamplePictureQuery(RunQuery):
    """A sample's picture, whole or `w` pixels wide; `file` is its name in a static copy."""

    key: str
    w: api.ThumbnailWidth | None = None
    file: str = ""


def routes(library: Library) -> list[BaseRoute]:
    """The routes of the runs."""
    runs, comparison = library.runs, library.comparison

    def list_runs(request: Request) -> RunList:
        return runs.summaries()

    def read_run(request: Request, query: RunQuery) -> RunView:
        return runs.run(query.name)

    def list_rows(request: Request, query: RowPageQuery) -> RowPage:
        return runs.rows(query.name, query.filter(), query.page)

    def export(request: Request, query: ExportQuery) -> api.FileResponse:
        data = export_rows(runs.selected(query.name, query.filter()), query.format)
        return table_response(data, query.name, query.format)

    def read_sample(request: Request, query: SampleQuery) -> SampleDetail:
        return runs.sample(query.name, query.key, query.filter())

    def read_picture(request: Request, query: SamplePictureQuery) -> api.ImageResponse:
        shot = runs.screen(query.name, query.key).screenshot
        width_px = query.w
        if width_px is None:
            return api.image_response(request, shot, lambda: shot.data, shot.media_type)
        draw = library.episodes.thumbnail
        return api.image_response(request, shot, lambda: draw(shot, width_px), "image/jpeg")

    def compare(request: Request, a: str, b: str) -> ComparisonView:  # b is compared with a
        return comparison.compare(a, b)

    def compare_all(request: Request, runs: Json[tuple[str, ...]]) -> MatrixView:
        return comparison.matrix(runs)

    return [
        api.ApiRoute("/api/runs", list_runs, role="reviewer"),
        api.ApiRoute("/api/run", read_run, role="reviewer"),
        api.ApiRoute("/api/run/rows", list_rows, role="reviewer"),
        api.ApiRoute("/api/run/export", export, role="reviewer"),
        api.ApiRoute("/api/run/sample", read_sample, role="reviewer"),
        api.ApiRoute("/api/run/picture", read_picture, role="reviewer"),
        api.ApiRoute("/api/compare", compare, role="reviewer"),
        api.ApiRoute("/api/matrix", compare_all, role="reviewer"),
    ]
