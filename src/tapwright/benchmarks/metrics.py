"""Metrics of scored rows: pure, the same every time, never NaN; intervals come with them.

An empty cell has no value (None), not zero. A row whose request failed is counted apart; it is a
wrong answer only under a rule that gives it a score of 0. An answer that could not be read is
wrong, and is counted, too.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Protocol, TypeVar

from pydantic import JsonValue

from tapwright.benchmarks.answers import Parser
from tapwright.benchmarks.confidence_intervals import Interval, cluster_bootstrap, wilson
from tapwright.benchmarks.efficiency import Eqa, eqa
from tapwright.benchmarks.mmbench_scores import L1Scores, L2Scores, l1_scores, l2_scores
from tapwright.benchmarks.step_scores import ScoredStep, StepScores, step_scores
from tapwright.models.query_endings import ENDINGS, QueryEnding

__all__ = [
    "Cell", "CellTally", "Distances", "Eqa", "Interval", "L1Scores", "L2Scores", "ScoredRow",
    "StepScores", "Steps", "cell", "cluster_bootstrap", "distances", "eqa", "l1_rows", "l1_scores",
    "l2_rows", "l2_scores", "label", "macro", "seed_cell", "step_counts", "step_scores", "table",
    "wilson",
]  # fmt: skip


class ScoredRow(ScoredStep, Protocol):
    """The result of one sample, as metrics need it; its labels and detail are its benchmark's."""

    @property
    def ending(self) -> QueryEnding:
        """How its query ended."""

    @property
    def cluster(self) -> str:
        """What rows that are not independent share."""


R = TypeVar("R", bound=ScoredRow)


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table.

    `n` rows have a score of 0 to 1, whose mean is `value`, with Wilson's `interval`; `endings`
    counts how the queries of all rows ended, those that did not occur left out. What has no answer
    is among the `n` only when the rule counts it as wrong.
    """

    n: int
    value: float | None
    interval: Interval | None
    endings: Mapping[QueryEnding, int]

    @property
    def answered(self) -> int:
        """How many queries have an answer that was read."""
        return self.endings.get("answered", 0)

    @property
    def asked(self) -> int:
        """How many queries there were."""
        return sum(self.endings.values())

    @property
    def format_errors(self) -> int:
        """How many answers cannot be read: outside the form asked for, empty, or malformed."""
        return sum(self.endings.get(name, 0) for name in _FORMAT_ERRORS)

    @property
    def refusals(self) -> int:
        """How many answers decline to answer."""
        return self.endings.get("refused", 0)

    @property
    def failures(self) -> int:
        """How many queries have no answer."""
        return sum(n for name, n in self.endings.items() if not ENDINGS[name].has_answer)


_FORMAT_ERRORS: tuple[QueryEnding, ...] = ("unread", "empty", "malformed")


@dataclass(frozen=True, slots=True)
class Distances:
    """How far `n` points are from the middles of their targets; None where there is none.

    `mean` and `median` are in fractions of the screen, `box_median` in halves of the target's box
    (the larger of across and down), so that at most 1 is in it.
    """

    n: int
    mean: float | None
    median: float | None
    box_median: float | None


@dataclass(slots=True)
class CellTally:
    """A cell as it grows row by row: the scores from 0 to 1 that there are, and the endings."""

    scores: list[float] = field(default_factory=list)
    endings: Counter[QueryEnding] = field(default_factory=Counter)
    _cell: Cell | None = None

    def add(self, row: ScoredRow) -> None:
        """Count one row more."""
        self._cell = None
        if row.score is not None:
            self.scores.append(row.score)
        self.endings[row.ending] += 1

    def copy(self) -> "CellTally":
        """Another one of the same rows."""
        return CellTally([*self.scores], self.endings.copy())

    def cell(self) -> Cell:
        """The rows as one entry; its value is the micro average, every row counting the same."""
        if self._cell is None:
            n = len(self.scores)
            self._cell = Cell(
                n=n,
                value=fmean(self.scores) if n else None,
                interval=wilson(sum(self.scores), n),
                endings={name: self.endings[name] for name in ENDINGS if self.endings[name]},
            )
        return self._cell


def cell(rows: Iterable[ScoredRow]) -> Cell:
    """The rows as one entry of a table."""
    found = CellTally()
    for row in rows:
        found.add(row)
    return found.cell()


def seed_cell(rows: Sequence[ScoredRow]) -> Cell:
    """The same rows as the seed's parser reads them, for a place beside `cell`.

    Rows that it cannot judge, such as those of what a screen does not show, are in neither `n` nor
    `failures`.
    """
    found = [-1 if _is_counted_failure(row) else row.detail.get("seed") for row in rows]
    hits = [hit for hit in found if isinstance(hit, int)]
    right = sum(hit == 1 for hit in hits)
    return Cell(
        n=len(hits),
        value=right / len(hits) if hits else None,
        interval=wilson(right, len(hits)),
        endings={
            "answered": sum(hit != -1 for hit in hits),
            "unread": sum(hit == -1 for hit in hits),
            "failed": sum(row.status == "failed" for row in rows),
        },
    )


def _is_counted_failure(row: ScoredRow) -> bool:
    return row.status == "failed" and row.score is not None


def distances(rows: Sequence[ScoredRow]) -> Distances:
    """Click distance and box-relative distance of the rows that have a point and a target."""
    far = [float(one) for row in rows if isinstance(one := row.detail.get("distance"), int | float)]
    relative = [
        float(one) for row in rows if isinstance(one := row.detail.get("box_distance"), int | float)
    ]
    return Distances(
        n=len(far),
        mean=fmean(far) if far else None,
        median=median(far) if far else None,
        box_median=median(relative) if relative else None,
    )


def l1_rows(rows: Iterable[ScoredRow], *, parser: Parser = "robust") -> list[dict[str, JsonValue]]:
    """The rows of a run on L1 as `l1_scores` takes them, read by one of the two parsers."""
    return [
        {
            "platform": row.labels.get("platform", ""),
            "difficulty": row.labels.get("difficulty", ""),
            "options_num": row.detail.get("options_num"),
            **_hit(row, parser),
        }
        for row in rows
    ]


def l2_rows(rows: Iterable[ScoredRow], *, parser: Parser = "robust") -> list[dict[str, JsonValue]]:
    """The rows of a run on L2 as `l2_scores` takes them, read by one of the two parsers."""
    names = ("platform", "grounding_type", "data_type")
    return [
        {**{name: row.labels.get(name, "") for name in names}, **_hit(row, parser)} for row in rows
    ]


def _hit(row: ScoredRow, parser: Parser) -> dict[str, JsonValue]:
    if row.status == "failed":
        return {"status": "failed"} if row.score is None else {"hit": -1}
    if parser == "seed":
        return {"hit": row.detail.get("seed", -1)}
    # What is off the picture, or not on offer, was read there, and is wrong.
    return {"hit": int(row.score == 1) if row.status in ("ok", "out_of_range") else -1}


def table(rows: Sequence[R], by: Callable[[R], str]) -> dict[str, Cell]:
    """One entry for each value of `by`, in the order in which the values are met."""
    groups: dict[str, list[R]] = {}
    for row in rows:
        groups.setdefault(by(row), []).append(row)
    return {name: cell(group) for name, group in groups.items()}


def macro(cells: Mapping[str, Cell]) -> float | None:
    """The plain mean of the shares of entries that have one, every entry counting the same."""
    values = [entry.value for entry in cells.values() if entry.value is not None]
    return fmean(values) if values else None


def label(name: str) -> Callable[[ScoredRow], str]:
    """Groups rows by one of their labels; rows without it share the empty one."""
    return lambda row: row.labels.get(name, "")


@dataclass(frozen=True, slots=True)
class Steps:
    """How many actions episodes took; None where there is none."""

    mean: float | None
    median: float | None


def step_counts(counts: Sequence[int]) -> Steps:
    """Mean and median of the lengths of episodes."""
    return Steps(fmean(counts), float(median(counts))) if counts else Steps(None, None)
