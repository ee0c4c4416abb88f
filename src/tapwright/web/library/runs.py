"""Evaluation runs as the pages show them: scores, each sample with its diagnosis, two compared.

All figures are those of the report: what is counted here is what `evaluate` counts.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.benchmark import Still
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.metrics import cell
from tapwright.errors import UnknownNameError
from tapwright.evaluate.compare import compare
from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.gallery import verdict
from tapwright.evaluate.mistakes import answered_point, diagnose, target_box
from tapwright.evaluate.numbers import numbers
from tapwright.evaluate.runlog import EPISODES, FILE, RunLog, SampleRow, read_run, row_json
from tapwright.observation import Observation
from tapwright.store.store import EpisodeStore
from tapwright.web.errors import RequestError, ResourceNotFoundError
from tapwright.web.library.episodes import Episodes, box_json

__all__ = ["Runs"]

Json: TypeAlias = dict[str, JsonValue]
Stamp: TypeAlias = tuple[int, int]

_KEPT_RUNS = 8
_MOST_FLIPS = 500


class Runs:
    """The runs in or below some directories, by names that are never paths.

    `data` are directories of benchmarks whose pictures are shown, beside those that the runs were
    made on. May be asked from several threads.
    """

    def __init__(self, roots: Sequence[Path], data: Sequence[Path] = ()) -> None:
        self._roots = tuple(roots)
        self._data = tuple(data)
        self._lock = Lock()
        self._read = lru_cache(maxsize=_KEPT_RUNS)(self._read_now)
        self._samples = lru_cache(maxsize=_KEPT_RUNS)(self._samples_now)
        self._episodes = lru_cache(maxsize=_KEPT_RUNS)(Episodes)
        self._summaries: dict[Path, tuple[Stamp, Json]] = {}

    def names(self) -> dict[str, Path]:
        """Every run's name, and the directory where it is."""
        found: dict[str, Path] = {}
        for root in self._roots:
            for directory in _directories(root):
                name = directory.relative_to(root).as_posix() if directory != root else root.name
                while name in found:
                    name += "+"
                found[name] = directory
        return found

    def summaries(self) -> Json:
        """A line for each run with its score, the newest first; and what cannot be read."""
        rows: list[Json] = []
        unreadable: list[JsonValue] = []
        for name, directory in self.names().items():
            try:
                rows.append({"name": name, **self._summary(directory)})
            except RunLogError as error:
                unreadable.append(str(error))
        rows.sort(key=lambda row: str(row["created"]), reverse=True)
        return {"runs": [*rows], "unreadable": unreadable}

    def run(self, name: str) -> Json:
        """A run's figures, and each of its samples in short.

        Raises:
            ResourceNotFoundError: there is no such run.
            RunLogError: it cannot be read.
        """
        log = self.log(name)
        figures = numbers([log], ())
        run, levels = figures["runs"], figures["levels"]
        assert isinstance(run, list)  # both by `numbers`
        assert isinstance(levels, list)
        samples = self._samples(*self._source(log))
        return {
            "name": name,
            "directory": str(log.path.parent),
            "summary": {"name": name, **self._summary(log.path.parent)},
            "mistakes": _field(run[0], "mistakes"),
            "tables": _tables(_field(levels[0], "tables")),
            "warnings": figures["warnings"],
            "rows": [_row_json(row, samples.get(row.id)) for row in log.rows],
        }

    def sample(self, name: str, key: str) -> Json:
        """All that the log says of one sample.

        Raises:
            ResourceNotFoundError: there is no such run or sample.
            RunLogError: the run cannot be read.
        """
        return {"log": row_json(_row(self.log(name), name, key))}

    def seen(self, name: str, key: str) -> Observation:
        """The screen that a sample was about.

        Raises:
            ResourceNotFoundError: there is no such run or sample, or its picture is not at hand.
            RunLogError: the run cannot be read.
        """
        log = self.log(name)
        row = _row(log, name, key)
        still = self._samples(*self._source(log)).get(row.id)
        if still is None:
            raise ResourceNotFoundError(
                f"{name}, {key}: the picture is not at hand",
                hint=f"the run was made on {log.header.source}, which is not here or has changed",
            )
        return still.observe()

    def compared(self, before: str, after: str) -> Json:
        """The run `after` against `before`, pair by pair.

        Raises:
            ResourceNotFoundError: there is no such run.
            RunLogError: a run cannot be read, or they have no sample in common.
        """
        first, second = self.log(before), self.log(after)
        found = compare(first, second)
        samples = self._samples(*self._source(first))
        old, new = first.header.model_dump(mode="json"), second.header.model_dump(mode="json")
        return {
            "before": {"name": before, **self._summary(first.path.parent)},
            "after": {"name": after, **self._summary(second.path.parent)},
            "n": found.n,
            "before_score": found.before,
            "after_score": found.after,
            "difference": found.difference,
            "interval": None
            if found.interval is None
            else [found.interval.low, found.interval.high],
            "p_value": found.p_value,
            "gained": len(found.gained),
            "lost": len(found.lost),
            "ties": found.n - len(found.gained) - len(found.lost),
            "unpaired": found.unpaired,
            "flips": [
                {
                    "key": flip.key,
                    "change": change,
                    "instruction": flip.instruction,
                    "before": _row_json(flip.before, samples.get(flip.before.id)),
                    "after": _row_json(flip.after, samples.get(flip.after.id)),
                }
                for change, flips in (("gained", found.gained), ("lost", found.lost))
                for flip in flips[:_MOST_FLIPS]
            ],
            "header": [
                {"field": field, "before": old[field], "after": new[field]}
                for field in old
                if old[field] != new[field]
            ],
        }

    def episodes(self, name: str) -> Episodes:
        """The episodes that a run played, by the run's name.

        Raises:
            ResourceNotFoundError: there is no such run.
        """
        return self._episodes(EpisodeStore(self._directory(name) / EPISODES))

    def log(self, name: str) -> RunLog:
        """A run as it stands, read once while nothing changes.

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

    def _read_now(self, directory: Path, stamp: Stamp) -> RunLog:
        return read_run(directory)

    def _summary(self, directory: Path) -> Json:
        stamp = _stamp(directory)
        known = self._summaries.get(directory)
        if known is None or known[0] != stamp:
            known = self._summaries[directory] = stamp, _summary(self._read(directory, stamp))
        return known[1]

    def _source(self, log: RunLog) -> tuple[str, str, str]:
        return log.header.benchmark, log.header.source, log.header.data_sha256

    def _samples_now(self, benchmark: str, source: str, sha256: str) -> Mapping[str, Still]:
        """The samples of a benchmark with this data, wherever it is; empty where it is nowhere."""
        for place in dict.fromkeys((source, *map(str, self._data))):
            if not Path(place).is_dir():
                continue
            try:
                loaded = benchmarks.get(benchmark)(place)
            except (BadBenchmarkError, UnknownNameError, RequestError):
                continue
            # Another directory's data would show pictures that nobody was asked about.
            if loaded.data_sha256 == sha256:
                samples = (one for one in loaded.samples() if isinstance(one, Still))
                return {sample.id: sample for sample in samples}
        return {}


def _directories(root: Path) -> Iterator[Path]:
    """The directories of runs in or below `root`; what a run holds is not looked into."""
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


def _summary(log: RunLog) -> Json:
    whole = cell(log.rows)
    header = log.header
    return {
        "directory": str(log.path.parent),
        "benchmark": header.benchmark,
        "subject": header.subject,
        "created": log.created,
        "score": whole.value,
        "interval": None
        if whole.interval is None
        else [whole.interval.low, whole.interval.high],
        "n": whole.n,
        "answered": sum(row.status != "failed" for row in log.rows),
        "expected": header.samples,
        "complete": log.complete,
        "format_errors": whole.format_errors,
        "cost": log.cost,
        "wall_s": round(log.wall_s, 1),
        "data_sha256": header.data_sha256,
        "tapwright": header.tapwright,
    }  # fmt: skip


def _row(log: RunLog, name: str, key: str) -> SampleRow:
    found = next((row for row in log.rows if row.key == key), None)
    if found is None:
        raise ResourceNotFoundError(f"{name} has no sample {key!r}")
    return found


def _row_json(row: SampleRow, still: Still | None) -> Json:
    """A row in short: where it belongs, what became of it, and what is drawn."""
    point = answered_point(row)
    episode = row.detail.get("episode")
    size = row.about.size
    return {
        "key": row.key,
        "verdict": verdict(row),
        "status": row.status,
        "score": row.score,
        "mistake": diagnose(row),
        "labels": dict(row.labels),
        "instruction": row.about.instruction,
        "answer": (row.answer or "")[:500],
        "error": None if row.error is None else f"{row.error.code}: {row.error.message}",
        "box": box_json(target_box(row)),
        "corners": _corners(row.about.truth),
        "point": None if point is None else [point.x, point.y],
        "size": None if size is None else [size[0], size[1]],
        "options": dict(row.about.options),
        "truth": row.about.truth if isinstance(row.about.truth, str) else None,
        "chosen": row.parsed if isinstance(row.parsed, str) else None,
        "episode": episode if isinstance(episode, str) else None,
        "picture": None if still is None else _picture_name(still),
        "latency_s": row.latency_s,
    }


def _picture_name(still: Still) -> str:
    """The same for samples that share a picture, and for no others."""
    return hashlib.sha256(str(still.picture).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _field(told: JsonValue, name: str) -> JsonValue:
    return told[name] if isinstance(told, dict) else None


def _tables(told: JsonValue) -> list[JsonValue]:
    """The tables of a level with a single run: of each its groups, and one cell for each."""
    tables = told if isinstance(told, list) else []
    made: list[JsonValue] = []
    for table in tables:
        match table:
            case {"dimension": dimension, "groups": groups, "rows": [{"cells": cells}]}:
                made.append({"dimension": dimension, "groups": groups, "cells": cells})
    return made


def _corners(truth: JsonValue) -> JsonValue:
    """The outline of an element that is no rectangle."""
    match truth:
        case [[int() | float(), int() | float()], *_]:
            return truth
        case _:
            return None
