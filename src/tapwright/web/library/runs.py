"""Evaluation runs as the pages read them: scores, diagnosed samples, and comparisons.

All figures are computed by `evaluate`, so that they equal those of the report.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Literal, TypeAlias

from pydantic import JsonValue, TypeAdapter

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.benchmark import StaticSample
from tapwright.benchmarks.metrics import Interval, cell
from tapwright.errors import TapwrightError
from tapwright.evaluate.compare import Flip, compare
from tapwright.evaluate.error_analysis import answered_point, diagnose, target_box
from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.report_data import report_data
from tapwright.evaluate.run_log import EPISODES, FILE, RunLog, SampleRow, read_run, row_json
from tapwright.evaluate.sample_gallery import row_verdict
from tapwright.observation import Observation
from tapwright.store.store import EpisodeStore
from tapwright.web.errors import ResourceNotFoundError
from tapwright.web.library.episodes import Episodes
from tapwright.web.views import Edges, box_edges

__all__ = ["ComparisonView", "RunList", "RunView", "Runs", "SampleLogView"]

Stamp: TypeAlias = tuple[int, int]
Pair: TypeAlias = tuple[float, float]

_CACHED_RUNS = 8
_MAX_FLIPS = 500
_MAX_ANSWER = 500


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run at a glance; `interval` is the score's 95 % confidence interval."""

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
    format_errors: int
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
class SampleView:
    """A row of the log: the sample's labels, its result, and what is drawn on its picture.

    Places are fractions of the picture. `corners` outline a target that is not a rectangle;
    `picture` is the same for samples that share a picture, None when it was not found.
    """

    key: str
    verdict: Literal["hit", "miss", "failed"]
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
    episode: str | None
    picture: str | None
    latency_s: float


@dataclass(frozen=True, slots=True)
class CellView:
    """The score of one group of samples."""

    n: int
    value: float | None
    interval: Pair | None


@dataclass(frozen=True, slots=True)
class TableView:
    """The scores of a run by one dimension, a cell for each group."""

    dimension: str
    groups: tuple[str, ...]
    cells: tuple[CellView, ...]


@dataclass(frozen=True, slots=True)
class RunView:
    """A run with its tables and samples; `mistakes` counts the diagnoses."""

    name: str
    directory: str
    summary: RunSummary
    mistakes: Mapping[str, int]
    tables: tuple[TableView, ...]
    warnings: tuple[str, ...]
    rows: tuple[SampleView, ...]


@dataclass(frozen=True, slots=True)
class SampleLogView:
    """A row as it is in the log."""

    log: JsonValue


@dataclass(frozen=True, slots=True)
class FlipView:
    """A sample that one run answered right and the other did not."""

    key: str
    change: Literal["gained", "lost"]
    instruction: str
    before: SampleView
    after: SampleView


@dataclass(frozen=True, slots=True)
class HeaderChange:
    """A field in which the headers of two runs differ."""

    field: str
    before: JsonValue
    after: JsonValue


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """Two runs compared pair by pair; `flips` are at most 500 of each kind."""

    before: RunSummary
    after: RunSummary
    n: int
    before_score: float
    after_score: float
    difference: float
    interval: Pair | None
    p_value: float
    gained: int
    lost: int
    ties: int
    unpaired: int
    flips: tuple[FlipView, ...]
    header: tuple[HeaderChange, ...]


_COUNTS = TypeAdapter(dict[str, int])
_TEXTS = TypeAdapter(tuple[str, ...])
_TABLE = TypeAdapter(TableView)
_CORNERS = TypeAdapter(tuple[Pair, ...])


class Runs:
    """The runs in or below some directories, by names that are never used as paths.

    `data` are directories of benchmarks in which pictures are looked up, beside those that the
    runs were made on. Safe to use from several threads.
    """

    def __init__(self, roots: Sequence[Path], data: Sequence[Path] = ()) -> None:
        self._roots = tuple(roots)
        self._data = tuple(data)
        self._lock = Lock()
        self._read = lru_cache(maxsize=_CACHED_RUNS)(self._load)
        self._samples = lru_cache(maxsize=_CACHED_RUNS)(self._load_samples)
        self._episodes = lru_cache(maxsize=_CACHED_RUNS)(Episodes)
        self._summaries: dict[tuple[str, Path], tuple[Stamp, RunSummary]] = {}

    def names(self) -> dict[str, Path]:
        """The directory of every run by its name."""
        found: dict[str, Path] = {}
        for root in self._roots:
            for directory in _directories(root):
                name = directory.relative_to(root).as_posix() if directory != root else root.name
                while name in found:
                    name += "+"
                found[name] = directory
        return found

    def summaries(self) -> RunList:
        """A summary of every run, the newest first, and the errors of unreadable runs."""
        summaries: list[RunSummary] = []
        unreadable: list[str] = []
        for name, directory in self.names().items():
            try:
                summaries.append(self._summary(name, directory))
            except RunLogError as error:
                unreadable.append(str(error))
        summaries.sort(key=lambda summary: summary.created, reverse=True)
        return RunList(tuple(summaries), tuple(unreadable))

    def run(self, name: str) -> RunView:
        """A run's figures and samples.

        Raises:
            ResourceNotFoundError: there is no such run.
            RunLogError: it cannot be read.
        """
        log = self.log(name)
        figures = report_data([log], ())
        run, levels = figures["runs"], figures["levels"]
        assert isinstance(run, list)  # both by `report_data`
        assert isinstance(levels, list)
        samples = self._samples(*_source(log))
        return RunView(
            name=name,
            directory=str(log.path.parent),
            summary=self._summary(name, log.path.parent),
            mistakes=_COUNTS.validate_python(_field(run[0], "mistakes")),
            tables=_tables(_field(levels[0], "tables")),
            warnings=_TEXTS.validate_python(figures["warnings"]),
            rows=tuple(_sample_view(row, samples.get(row.id)) for row in log.rows),
        )

    def sample(self, name: str, key: str) -> SampleLogView:
        """The row of one sample as it is in the log.

        Raises:
            ResourceNotFoundError: there is no such run or sample.
            RunLogError: the run cannot be read.
        """
        return SampleLogView(row_json(_find_row(self.log(name), name, key)))

    def screen(self, name: str, key: str) -> Observation:
        """The screen that a sample is about.

        Raises:
            ResourceNotFoundError: there is no such run or sample, or its picture was not found.
            RunLogError: the run cannot be read.
        """
        log = self.log(name)
        row = _find_row(log, name, key)
        sample = self._samples(*_source(log)).get(row.id)
        if sample is None:
            raise ResourceNotFoundError(
                f"{name}, {key}: the picture was not found",
                hint=f"the run was made on {log.header.source}, which is missing or has changed",
            )
        return sample.observe()

    def compare(self, before: str, after: str) -> ComparisonView:
        """The run `after` compared with `before`, pair by pair.

        Raises:
            ResourceNotFoundError: there is no such run.
            RunLogError: a run cannot be read, or they have no sample in common.
        """
        first, second = self.log(before), self.log(after)
        found = compare(first, second)
        samples = self._samples(*_source(first))
        old, new = first.header.model_dump(mode="json"), second.header.model_dump(mode="json")
        changes: tuple[tuple[Literal["gained", "lost"], Sequence[Flip]], ...] = (
            ("gained", found.gained),
            ("lost", found.lost),
        )
        return ComparisonView(
            before=self._summary(before, first.path.parent),
            after=self._summary(after, second.path.parent),
            n=found.n,
            before_score=found.before,
            after_score=found.after,
            difference=found.difference,
            interval=_pair(found.interval),
            p_value=found.p_value,
            gained=len(found.gained),
            lost=len(found.lost),
            ties=found.n - len(found.gained) - len(found.lost),
            unpaired=found.unpaired,
            flips=tuple(
                FlipView(
                    key=flip.key,
                    change=change,
                    instruction=flip.instruction,
                    before=_sample_view(flip.before, samples.get(flip.before.id)),
                    after=_sample_view(flip.after, samples.get(flip.after.id)),
                )
                for change, flips in changes
                for flip in flips[:_MAX_FLIPS]
            ),
            header=tuple(
                HeaderChange(field, old[field], new[field])
                for field in old
                if old[field] != new[field]
            ),
        )

    def episodes(self, name: str) -> Episodes:
        """The episodes that a run played, by the run's name.

        Raises:
            ResourceNotFoundError: there is no such run.
        """
        return self._episodes(EpisodeStore(self._directory(name) / EPISODES))

    def log(self, name: str) -> RunLog:
        """The log of a run, cached until it changes.

        Raises:
            ResourceNotFoundError: there is no such run.
            RunLogError: it cannot be read.
        """
        directory = self._directory(name)
        return self._read(directory, _stamp(directory))

    def _directory(self, name: str) -> Path:
        found = self.names().get(name)
        if found is None:
            raise ResourceNotFoundError(
                f"there is no run {name!r}", hint="look at the list of runs"
            )
        return found

    def _load(self, directory: Path, stamp: Stamp) -> RunLog:
        return read_run(directory)

    def _summary(self, name: str, directory: Path) -> RunSummary:
        stamp = _stamp(directory)
        cached = self._summaries.get((name, directory))
        if cached is None or cached[0] != stamp:
            summary = _summarize(name, self._read(directory, stamp))
            cached = self._summaries[name, directory] = stamp, summary
        return cached[1]

    def _load_samples(self, benchmark: str, source: str, sha256: str) -> Mapping[str, StaticSample]:
        """The samples of a benchmark with this data, wherever it is found; empty when it is not."""
        for place in dict.fromkeys((source, *map(str, self._data))):
            if not Path(place).is_dir():
                continue
            try:
                loaded = benchmarks.get(benchmark)(place)
            except TapwrightError:  # then it is shown without pictures
                continue
            # Other data would show pictures that the run is not about.
            if loaded.data_sha256 == sha256:
                samples = (one for one in loaded.samples() if isinstance(one, StaticSample))
                return {sample.id: sample for sample in samples}
        return {}


def _directories(root: Path) -> Iterator[Path]:
    """The directories of runs in or below `root`; a run's own directories are not searched."""
    for directory, inner, files in os.walk(root):
        inner.sort()
        if FILE in files:
            inner.clear()
            yield Path(directory)


def _stamp(directory: Path) -> Stamp:
    try:
        found = (directory / FILE).stat()
    except OSError as error:
        raise RunLogError(f"{directory}: cannot be read: {error.strerror}") from error
    return found.st_mtime_ns, found.st_size


def _source(log: RunLog) -> tuple[str, str, str]:
    return log.header.benchmark, log.header.source, log.header.data_sha256


def _summarize(name: str, log: RunLog) -> RunSummary:
    total = cell(log.rows)
    header = log.header
    return RunSummary(
        name=name,
        directory=str(log.path.parent),
        benchmark=header.benchmark,
        subject=header.subject,
        created=log.created,
        score=total.value,
        interval=_pair(total.interval),
        n=total.n,
        answered=sum(row.status != "failed" for row in log.rows),
        expected=header.samples,
        complete=log.complete,
        format_errors=total.format_errors,
        cost=log.cost,
        wall_s=round(log.wall_s, 1),
        data_sha256=header.data_sha256,
        tapwright=header.tapwright,
    )


def _pair(interval: Interval | None) -> Pair | None:
    return None if interval is None else (interval.low, interval.high)


def _find_row(log: RunLog, name: str, key: str) -> SampleRow:
    found = next((row for row in log.rows if row.key == key), None)
    if found is None:
        raise ResourceNotFoundError(f"{name} has no sample {key!r}")
    return found


def _sample_view(row: SampleRow, sample: StaticSample | None) -> SampleView:
    box, point = target_box(row), answered_point(row)
    episode, about = row.detail.get("episode"), row.about
    return SampleView(
        key=row.key,
        verdict=row_verdict(row),
        status=row.status,
        score=row.score,
        mistake=diagnose(row),
        labels=row.labels,
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
        episode=episode if isinstance(episode, str) else None,
        picture=None if sample is None else _picture_name(sample),
        latency_s=row.latency_s,
    )


def _picture_name(sample: StaticSample) -> str:
    """A name that samples have in common when they share a picture."""
    path = str(sample.picture).encode("utf-8", "surrogateescape")
    return hashlib.sha256(path).hexdigest()[:32]


def _field(figures: JsonValue, name: str) -> JsonValue:
    return figures[name] if isinstance(figures, dict) else None


def _tables(tables: JsonValue) -> tuple[TableView, ...]:
    """The tables of a level with a single run, whose only row has a cell for each group."""
    views: list[TableView] = []
    for table in tables if isinstance(tables, list) else ():
        match table:
            case {"dimension": dimension, "groups": groups, "rows": [{"cells": cells}]}:
                view = {"dimension": dimension, "groups": groups, "cells": cells}
                views.append(_TABLE.validate_python(view))
    return tuple(views)


def _corners(truth: JsonValue) -> tuple[Pair, ...] | None:
    """The outline of an element that is not a rectangle."""
    match truth:
        case [[int() | float(), int() | float()], *_]:
            return _CORNERS.validate_python(truth)
        case _:
            return None
