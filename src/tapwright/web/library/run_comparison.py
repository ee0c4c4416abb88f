"""Runs on the same data compared: two of them sample by sample, several of them pair by pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from pydantic import JsonValue

from tapwright.evaluate.compare import Flip, compare, holm
from tapwright.web.episode_views import view_of
from tapwright.web.errors import RequestError
from tapwright.web.library.run_rows import Stamp
from tapwright.web.library.run_views import Pair, RunSummary, SampleView, pair_view
from tapwright.web.library.runs import Runs

__all__ = ["ComparisonView", "MatrixView", "RunComparison"]

_CACHED_PAIRS = 256
_MAX_FLIPS = 500
_MAX_RUNS = 12


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
class _PairFigures:
    n: int
    difference: float
    interval: Pair | None
    p_value: float
    gained: int
    lost: int
    unpaired: int


@dataclass(frozen=True, slots=True)
class ComparisonView(_PairFigures):
    """Two runs compared pair by pair; scores are 0 to 1, `flips` at most 500 of each kind."""

    before: RunSummary
    after: RunSummary
    before_score: float
    after_score: float
    ties: int
    flips: tuple[FlipView, ...]
    header: tuple[HeaderChange, ...]


@dataclass(frozen=True, slots=True)
class PairView(_PairFigures):
    """Two of several runs, by their names; `after` is compared with `before`.

    `p_value` is McNemar's; `holm_p` is corrected for the number of pairs.
    """

    before: str
    after: str
    holm_p: float


@dataclass(frozen=True, slots=True)
class MatrixView:
    """Several runs on the same data, in the order given, and every two of them compared."""

    runs: tuple[RunSummary, ...]
    pairs: tuple[PairView, ...]


class RunComparison:
    """Compares runs by their names; pairs are kept until a log changes."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._pairs: dict[tuple[str, Stamp, str, Stamp], _PairFigures] = {}

    def compare(self, before: str, after: str) -> ComparisonView:
        """The run `after` compared with `before`, pair by pair.

        Raises:
            ResourceNotFoundError: there is no such run.
            RunLogError: a run cannot be read, or they have no sample in common.
        """
        first, second = self._runs.log(before), self._runs.log(after)
        found = compare(first, second)
        view = self._runs.sample_viewer(before, films=False)
        view_after = self._runs.sample_viewer(after, films=False)
        old, new = first.header.model_dump(mode="json"), second.header.model_dump(mode="json")
        changes: tuple[tuple[Literal["gained", "lost"], Sequence[Flip]], ...] = (
            ("gained", found.gained),
            ("lost", found.lost),
        )
        return view_of(
            ComparisonView,
            found,
            before=self._runs.summary(before),
            after=self._runs.summary(after),
            before_score=found.before,
            after_score=found.after,
            interval=pair_view(found.interval),
            gained=len(found.gained),
            lost=len(found.lost),
            ties=found.n - len(found.gained) - len(found.lost),
            flips=tuple(
                FlipView(
                    key=flip.key,
                    change=change,
                    instruction=flip.instruction,
                    before=view(flip.before),
                    after=view_after(flip.after),
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

    def matrix(self, names: Sequence[str]) -> MatrixView:
        """Every two of several runs compared, their p-values corrected by Holm's method.

        Raises:
            RequestError: fewer than two runs are named, more than 12, or one twice.
            ResourceNotFoundError: there is no such run.
            RunLogError: a run cannot be read, or two are on different data.
        """
        if not 2 <= len(names) <= _MAX_RUNS or len(set(names)) < len(names):
            raise RequestError(f"expected 2 to {_MAX_RUNS} different runs, found {len(names)}")
        pairs = list(combinations(names, 2))
        found = [self._compare_pair(*pair) for pair in pairs]
        corrected = holm([one.p_value for one in found])
        return MatrixView(
            runs=tuple(map(self._runs.summary, names)),
            pairs=tuple(
                view_of(PairView, one, before=before, after=after, holm_p=holm_p)
                for (before, after), one, holm_p in zip(pairs, found, corrected, strict=True)
            ),
        )

    def _compare_pair(self, before: str, after: str) -> _PairFigures:
        key = before, self._runs.stamp(before), after, self._runs.stamp(after)
        known = self._pairs.get(key)
        if known is not None:
            return known
        found = compare(self._runs.log(before), self._runs.log(after))
        figures = view_of(
            _PairFigures,
            found,
            interval=pair_view(found.interval),
            gained=len(found.gained),
            lost=len(found.lost),
        )
        if len(self._pairs) >= _CACHED_PAIRS:
            self._pairs.clear()
        self._pairs[key] = figures
        return figures
