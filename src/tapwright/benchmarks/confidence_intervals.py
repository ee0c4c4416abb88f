"""Confidence intervals at 95 %: Wilson's, Newcombe's of pairs, the bootstrap of whole clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Protocol

__all__ = ["ClusteredScore", "Interval", "cluster_bootstrap", "newcombe", "wilson"]

_Z95 = 1.959963984540054


class ClusteredScore(Protocol):
    """A score of one sample, and what it depends on."""

    @property
    def score(self) -> float | None:
        """0 to 1; None when there is none."""

    @property
    def cluster(self) -> str:
        """What scores that are not independent share."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval: ends in [0, 1], of a difference in [-1, 1]."""

    low: float
    high: float


def wilson(hits: float, n: int) -> Interval | None:
    """Wilson's score interval for `hits` out of `n` at 95 %; None when `n` is 0."""
    if n == 0:
        return None
    share, z2 = hits / n, _Z95 * _Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 / (1 + z2 / n) * sqrt(max(share * (1 - share), 0.0) / n + z2 / (4 * n * n))
    # None and all of `n` have an end that is exact, and not off by a rounding.
    low, high = 0.0 if share <= 0 else middle - half, 1.0 if share >= 1 else middle + half
    return Interval(max(0.0, low), min(1.0, high))


def newcombe(both: int, lost: int, gained: int, neither: int) -> Interval:
    """The interval of the difference of two shares of the same samples, after less before.

    Method 10 of R. G. Newcombe, "Improved confidence intervals for the difference between binomial
    proportions based on paired data", Statistics in Medicine 17 (1998): Wilson's intervals of both
    shares, joined by how much they go together. It has width where no sample differs.
    """
    n = both + lost + gained + neither
    before, after = wilson(both + lost, n), wilson(both + gained, n)
    assert before is not None
    assert after is not None
    share, later = (both + lost) / n, (both + gained) / n
    phi = _phi(both, lost, gained, neither)

    def reach(one: float, other: float) -> float:
        return sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))

    middle = later - share
    return Interval(
        max(-1.0, middle - reach(later - after.low, before.high - share)),
        min(1.0, middle + reach(after.high - later, share - before.low)),
    )


def _phi(both: int, lost: int, gained: int, neither: int) -> float:
    """How much two shares go together, with Newcombe's correction for continuity."""
    product = (both + lost) * (gained + neither) * (both + gained) * (lost + neither)
    if not product:
        return 0.0
    apart = float(both * neither - lost * gained)
    if apart > 0:
        apart = max(apart - (both + lost + gained + neither) / 2, 0.0)
    return apart / sqrt(product)


def cluster_bootstrap(
    rows: Sequence[ClusteredScore], *, seed: int = 0, resamples: int = 2000
) -> Interval | None:
    """Percentile interval of the mean score when whole clusters are drawn anew.

    Questions about one screenshot stand or fall together, which Wilson's interval does not know.
    None when the rows with a score share one cluster, as nothing can be drawn anew then.
    """
    sums: dict[str, list[float]] = {}
    for row in rows:
        if row.score is not None:
            entry = sums.setdefault(row.cluster, [0.0, 0.0])
            entry[0] += row.score
            entry[1] += 1
    if len(sums) < 2:
        return None
    import numpy as np  # what measures a model need not wait for it

    hits, counts = (np.array(column) for column in zip(*sums.values(), strict=True))
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    for number in range(resamples):
        drawn = generator.integers(0, len(hits), len(hits))
        means[number] = hits[drawn].sum() / counts[drawn].sum()
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(low), float(high))
