"""Runs on the same samples: is one better, by how much, and on which samples they differ.

Of several runs every pair is compared. Chance alone makes one of many differences look real, so
their p-values are corrected as in S. Holm, "A simple sequentially rejective multiple test
procedure", Scandinavian Journal of Statistics 6 (1979): a difference whose corrected value is below
0.05 is real with an error of 5 % over all pairs together.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import ceil, sqrt

import numpy as np

from tapwright.benchmarks.confidence_intervals import Interval, newcombe
from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.run_log import RunHeader, RunLog, SampleRow
from tapwright.harnesses.protocol import shorten_commit

__all__ = ["Comparison", "Flip", "PairedRuns", "compare", "compare_all", "describe_data", "holm"]

_ALPHA = 0.05
_Z95, _Z80 = 1.959963984540054, 0.8416212335729143
_RESAMPLES = 4000
_DRAWN_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Flip:
    """A sample that one run has right and the other has not; `key` is that of its row."""

    key: str
    instruction: str
    before: SampleRow
    after: SampleRow


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second run against the first, on the `n` samples that both have a score for.

    `difference` is the second's mean score less the first's. `interval` holds it at 95 %: that of
    clusters of samples drawn anew in pairs, and for scores of 0 and 1 Newcombe's too, and 0 where
    the test finds no difference; None with fewer than two clusters. `p_value` is McNemar's exact
    two-sided one. `gained` and `lost` are the flips, in the first run's order; `unpaired` counts
    rows that only one of them has a score for.
    """

    n: int
    before: float
    after: float
    difference: float
    interval: Interval | None
    p_value: float
    gained: tuple[Flip, ...]
    lost: tuple[Flip, ...]
    unpaired: int

    def samples_for(self, difference: float) -> int:
        """How many samples would tell a difference like `difference` from none.

        With a power of 80 % at 5 %, if as large a part of them differs as does here: R. J. Connor,
        "Sample size for testing differences in proportions for the paired-sample design",
        Biometrics 43 (1987).
        """
        differ = max((len(self.gained) + len(self.lost)) / self.n, difference)
        root = _Z95 * sqrt(differ) + _Z80 * sqrt(differ - difference * difference)
        return ceil((root / difference) ** 2)


def compare(before: RunLog, after: RunLog, *, seed: int = 0) -> Comparison:
    """Compare two runs sample by sample; a row is paired with that of its sample and epoch.

    Raises:
        RunLogError: they are on different benchmarks or data, or have no sample in common.
    """
    first, second = before.header, after.header
    if (first.benchmark, first.data_sha256) != (second.benchmark, second.data_sha256):
        raise RunLogError(
            f"{before.path} is on {describe_data(first)}, {after.path} on {describe_data(second)}",
            hint="compare two runs on the same benchmark and data",
        )
    others = {row.key: row for row in after.rows if row.score is not None}
    mine = [row for row in before.rows if row.score is not None]
    pairs = [(row, others[row.key]) for row in mine if row.key in others]
    if not pairs:
        raise RunLogError(f"{before.path} and {after.path} have no scored sample in common")
    gained = [pair for pair in pairs if not _is_right(pair[0]) and _is_right(pair[1])]
    lost = [pair for pair in pairs if _is_right(pair[0]) and not _is_right(pair[1])]
    old = float(np.mean([_score(row) for row, _ in pairs]))
    new = float(np.mean([_score(row) for _, row in pairs]))
    p_value = mcnemar(len(gained), len(lost))
    return Comparison(
        n=len(pairs),
        before=old,
        after=new,
        difference=new - old,
        interval=_interval(pairs, p_value, seed),
        p_value=p_value,
        gained=tuple(_flip(*pair) for pair in gained),
        lost=tuple(_flip(*pair) for pair in lost),
        unpaired=len(mine) + len(others) - 2 * len(pairs),
    )


def describe_data(header: RunHeader) -> str:
    """A benchmark and its data, or a suite with its version and commit, in words."""
    match header.config.get("suite"):
        case {"suite": str(suite), "version": str(version), "commit": str(commit)}:
            return f"{suite} {version} {shorten_commit(commit)}".rstrip()
    return f"{header.benchmark} {header.data_sha256[:10]}"


@dataclass(frozen=True, slots=True)
class PairedRuns:
    """Two of several runs, the later one against the earlier; `holm_p` is corrected."""

    before: RunLog
    after: RunLog
    comparison: Comparison
    holm_p: float


def compare_all(runs: Sequence[RunLog], *, seed: int = 0) -> list[PairedRuns]:
    """Compare every pair of runs, in their order.

    Raises:
        RunLogError: two are on different benchmarks or data, or have no sample in common.
    """
    pairs = list(combinations(runs, 2))
    found = [compare(*pair, seed=seed) for pair in pairs]
    corrected = holm([one.p_value for one in found])
    return [
        PairedRuns(before, after, one, p_value)
        for (before, after), one, p_value in zip(pairs, found, corrected, strict=True)
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values as Holm corrects them, in the order given: never smaller, still 0 to 1."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = largest
    return corrected


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided p-value, 0 to 1, for so many flips either way; 1 when there are none."""
    flips, fewer = gained + lost, min(gained, lost)
    term = tail = 1
    for number in range(fewer):
        term = term * (flips - number) // (number + 1)
        tail += term
    # Whole numbers first: two to the number of flips soon leaves the floats.
    return min(1.0, 2 * tail / (1 << flips))


def _interval(
    pairs: Sequence[tuple[SampleRow, SampleRow]], p_value: float, seed: int
) -> Interval | None:
    drawn = _paired_bootstrap(pairs, seed)
    counts = Counter((row.score, other.score) for row, other in pairs)
    if drawn is None or not counts.keys() <= set(product((0.0, 1.0), repeat=2)):
        return drawn
    exact = newcombe(counts[1.0, 1.0], counts[1.0, 0.0], counts[0.0, 1.0], counts[0.0, 0.0])
    zero = [0.0] if p_value >= _ALPHA else []
    return Interval(min(drawn.low, exact.low, *zero), max(drawn.high, exact.high, *zero))


def _paired_bootstrap(pairs: Sequence[tuple[SampleRow, SampleRow]], seed: int) -> Interval | None:
    sums: dict[str, list[float]] = {}
    for old, new in pairs:
        entry = sums.setdefault(old.cluster, [0.0, 0.0])
        entry[0] += _score(new) - _score(old)
        entry[1] += 1
    if len(sums) < 2:
        return None
    # By name and not as one run answered them: the sides exchanged, the interval is mirrored.
    table = np.array([sums[cluster] for cluster in sorted(sums)])
    generator = np.random.default_rng(seed)
    means = np.empty(_RESAMPLES)
    at_once = max(1, _DRAWN_AT_ONCE // len(table))
    for start in range(0, _RESAMPLES, at_once):
        part = means[start : start + at_once]
        drawn = table[generator.integers(0, len(table), (len(part), len(table)))].sum(axis=1)
        part[:] = drawn[:, 0] / drawn[:, 1]
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(low), float(high))


def _flip(before: SampleRow, after: SampleRow) -> Flip:
    return Flip(before.key, before.about.instruction, before, after)


def _score(row: SampleRow) -> float:
    return row.score or 0.0


def _is_right(row: SampleRow) -> bool:
    return _score(row) >= 1.0
