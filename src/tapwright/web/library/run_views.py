"""Evaluation runs as the pages read them: plain data for JSON, without pictures.

All figures are computed by `evaluate`, so that they equal those of the report.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import JsonValue, TypeAdapter, ValidationError

from tapwright.benchmarks.benchmark import StaticSample
from tapwright.benchmarks.metrics import Interval
from tapwright.core.actions import Action, ActionAdapter
from tapwright.core.episode import Episode, describe_actions
from tapwright.evaluate.error_analysis import answered_point, diagnose, target_box
from tapwright.evaluate.log_warnings import log_warnings
from tapwright.evaluate.report_data import level_tables
from tapwright.evaluate.run_log import RunLog, SampleRow, header_cost
from tapwright.evaluate.run_tally import RunTally
from tapwright.evaluate.sample_gallery import RowVerdict, row_verdict
from tapwright.models.query_endings import QueryEnding
from tapwright.web.episode_views import Edges, ScreenView, box_edges, screen_view, view_of

__all__ = [
    "FilmView", "Pair", "RowPage", "RunFigures", "RunList", "RunSummary", "RunView", "SampleDetail",
    "SampleView", "figures_of", "film_view", "pair_view", "sample_view", "summary_view",
    "table_views",
]  # fmt: skip

Pair: TypeAlias = tuple[float, float]

_MAX_ANSWER = 500
_MAX_FRAMES = 12


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run at a glance; `interval` is the score's 95 % confidence interval.

    `endings` counts how the queries ended, `answered` those whose answer was read.
    """

    name: str
    directory: str
    benchmark: str
    subject: str
    created: str
    score: float | None
    interval: Pair | None
    n: int
    answered: int
    expected: int
    complete: bool
    endings: Mapping[QueryEnding, int]
    cost: float | None
    wall_s: float
    data_sha256: str
    tapwright: str


@dataclass(frozen=True, slots=True)
class RunList:
    """Summaries, the newest first, and the errors of runs that could not be read."""

    runs: tuple[RunSummary, ...]
    unreadable: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FrameView:
    """A step of an attempt: its number from 0, the screen that was seen, and what was done.

    `more` are the actions that follow the first on the same look.
    """

    step: int
    screen: ScreenView
    action: Action | None
    more: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class FilmView:
    """An attempt as pictures: of `steps` steps the first and last six, then the final screen.

    The final screen has no action.
    """

    steps: int
    frames: tuple[FrameView, ...]


@dataclass(frozen=True, slots=True)
class SampleView:
    """A row of the log: the sample's labels, its result, and what is drawn on its picture.

    Rows of one `sample` are attempts at it. Places are fractions of the picture. `corners` outline
    a target that is not a rectangle; `picture` is the same for samples that share a picture, None
    when it was not found. `given` and `right` say in words what was answered and what would
    have been right: an option, or actions; empty where a box or a point says it. `episode` is the
    id of the attempt that was played, `steps` how many actions it took; `tokens` are those that
    came back.
    """

    key: str
    sample: str
    verdict: RowVerdict
    status: str
    score: float | None
    mistake: str | None
    labels: Mapping[str, str]
    instruction: str
    answer: str
    error: str | None
    box: Edges | None
    corners: tuple[Pair, ...] | None
    point: Pair | None
    size: Pair | None
    options: Mapping[str, str]
    truth: str | None
    chosen: str | None
    given: str
    right: str
    episode: str | None
    film: FilmView | None
    picture: str | None
    latency_s: float
    tokens: int
    steps: int | None


@dataclass(frozen=True, slots=True)
class CellView:
    """The score of one group of samples."""

    n: int
    value: float | None
    interval: Pair | None


@dataclass(frozen=True, slots=True)
class TableView:
    """The scores of a run by one dimension, a cell for each group.

    `label` is the name of the label whose values the groups are, None when they are none's.
    """

    dimension: str
    label: str | None
    groups: tuple[str, ...]
    cells: tuple[CellView, ...]


@dataclass(frozen=True, slots=True)
class RunView:
    """A run with its tables; `mistakes` counts the diagnoses, `labels` are those that rows have."""

    name: str
    directory: str
    summary: RunSummary
    mistakes: Mapping[str, int]
    tables: tuple[TableView, ...]
    warnings: tuple[str, ...]
    labels: tuple[str, ...]
    played: bool


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a page says of all rows together; the warnings are what lessens belief in the scores."""

    summary: RunSummary
    tables: tuple[TableView, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowFacets:
    """How many rows have each value, under the rest of the filter; the most frequent first."""

    verdict: Mapping[str, int]
    mistake: Mapping[str, int]
    labels: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class RowPage:
    """A page of a run's rows. Pages count from 0; `total` rows there are, `found` of them fit."""

    total: int
    found: int
    page: int
    pages: int
    facets: RowFacets
    rows: tuple[SampleView, ...]


@dataclass(frozen=True, slots=True)
class SampleDetail:
    """A row, as it is in the log too, with its place among the rows that a filter finds.

    `place` counts from 0 and is None when the row does not fit. `before` and `after` are the keys
    of its neighbours; `attempts` are all rows of the same sample.
    """

    row: SampleView
    log: JsonValue
    place: int | None
    found: int
    before: str | None
    after: str | None
    attempts: tuple[SampleView, ...]


_TABLE = TypeAdapter(TableView)
_CORNERS = TypeAdapter(tuple[Pair, ...])


def summary_view(name: str, log: RunLog, tally: RunTally) -> RunSummary:
    """A run at a glance; the tally is of its rows."""
    total = tally.whole.cell()
    header = log.header
    return view_of(
        RunSummary,
        header,
        name=name,
        directory=str(log.path.parent),
        created=log.created,
        score=total.value,
        interval=pair_view(total.interval),
        n=total.n,
        answered=total.answered,
        expected=header.samples,
        complete=tally.has_answer == header.samples,
        endings=total.endings,
        cost=header_cost(header, tally.usage),
        wall_s=round(tally.wall_s, 1),
    )


def figures_of(log: RunLog, tally: RunTally) -> RunFigures:
    """The figures of a run without its name; the tally is of its rows."""
    return RunFigures(
        summary_view("", log, tally), table_views(log, tally), tuple(log_warnings([log], [tally]))
    )


def pair_view(interval: Interval | None) -> Pair | None:
    """The ends of an interval."""
    return None if interval is None else (interval.low, interval.high)


def sample_view(
    row: SampleRow, sample: StaticSample | None, episode: str | None, film: FilmView | None
) -> SampleView:
    """A row with the sample that it is about, the id of its attempt and the pictures of that."""
    box, point = target_box(row), answered_point(row)
    steps, about = row.detail.get("steps"), row.about
    return view_of(
        SampleView,
        row,
        sample=row.id,
        verdict=row_verdict(row),
        mistake=diagnose(row),
        instruction=about.instruction,
        answer=(row.answer or "")[:_MAX_ANSWER],
        error=None if row.error is None else f"{row.error.code}: {row.error.message}",
        box=None if box is None else box_edges(box),
        corners=_corners(about.truth),
        point=None if point is None else (point.x, point.y),
        size=None if about.size is None else (about.size[0], about.size[1]),
        options=about.options,
        truth=about.truth if isinstance(about.truth, str) else None,
        chosen=row.parsed if isinstance(row.parsed, str) else None,
        given=_say(row.parsed, about.options),
        right=_say(about.truth, about.options),
        episode=episode,
        film=film,
        picture=None if sample is None else _picture_name(sample),
        tokens=row.usage.output_tokens,
        steps=steps if isinstance(steps, int) else None,
    )


def _say(value: JsonValue, options: Mapping[str, str]) -> str:
    """An option with its text, or actions, in words."""
    if isinstance(value, str):
        return f"{value}. {options[value]}" if value in options else ""
    actions = value if isinstance(value, list) else [value]
    try:
        return describe_actions(map(ActionAdapter.validate_python, actions))
    except ValidationError:
        return ""


def film_view(episode: Episode) -> FilmView:
    """The pictures of an attempt."""
    half, count = _MAX_FRAMES // 2, len(episode.steps)
    shown = range(count) if count <= _MAX_FRAMES else [*range(half), *range(count - half, count)]
    frames = [
        FrameView(at, screen_view(step.observation), step.decision.first, step.decision.actions[1:])
        for at in shown
        for step in (episode.steps[at],)
    ]
    if episode.final is not None:
        frames.append(FrameView(count, screen_view(episode.final), None, ()))
    return FilmView(count, tuple(frames))


def table_views(log: RunLog, tally: RunTally) -> tuple[TableView, ...]:
    """The report's tables of one run, whose only row has a cell for each group."""
    names = {label.replace("_", " "): label for label in tally.labels}
    views: list[TableView] = []
    for table in level_tables(log.header.benchmark, [log], [tally]):
        match table:
            case {"dimension": str(dimension), "groups": groups, "rows": [{"cells": cells}]}:
                view: JsonValue = {
                    "dimension": dimension,
                    "label": names.get(dimension),
                    "groups": groups,
                    "cells": cells,
                }
                views.append(_TABLE.validate_python(view))
    return tuple(views)


def _picture_name(sample: StaticSample) -> str:
    """A name that samples have in common when they share a picture."""
    path = str(sample.picture).encode("utf-8", "surrogateescape")
    return hashlib.sha256(path).hexdigest()[:32]


def _corners(truth: JsonValue) -> tuple[Pair, ...] | None:
    """The outline of an element that is not a rectangle."""
    match truth:
        case [[int() | float(), int() | float()], *_]:
            return _CORNERS.validate_python(truth)
        case _:
            return None
