"""The index of a run's rows: filters, orders and counts them quickly enough for each key press.

What a row's verdict and mistake are, and the text that a search looks in, is found out once for
each row; what is counted is held in arrays of small numbers, one per row.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapwright.evaluate.error_analysis import Diagnosis, diagnose
from tapwright.evaluate.run_log import SampleRow
from tapwright.evaluate.sample_gallery import RowVerdict, row_verdict
from tapwright.web.errors import RequestError

__all__ = ["RowFilter", "RunIndex", "SelectedRows"]

_Codes: TypeAlias = NDArray[np.int32]
_Mask: TypeAlias = NDArray[np.bool_]
_SortKey: TypeAlias = str | float | tuple[tuple[int, int, str], ...] | None

_MOST_VALUES = 100
_NUMBER = re.compile(r"(\d{1,15})")


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows are wanted, and in which order; what is empty holds for every row.

    `labels` are values by the labels' names. `text` is searched in key, instruction and answer
    without regard to case. `sort` is a column, with "-" before it from the largest down; "" is the
    order of the log.
    """

    text: str = ""
    verdict: str = ""
    mistake: str = ""
    labels: Mapping[str, str] | None = None
    sort: str = ""


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """The places of the rows that fit, in order, and what could be filtered by further.

    Each count is of the rows that fit all of the filter but for its own part.
    """

    places: Sequence[int]
    verdicts: Mapping[str, int]
    mistakes: Mapping[str, int]
    labels: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class _Indexed:
    row: SampleRow
    verdict: RowVerdict
    mistake: Diagnosis | None
    text: str


@dataclass(frozen=True, slots=True)
class _Column:
    """A value for each row, as its place among the values that there are."""

    values: Sequence[str]
    codes: _Codes

    def equal(self, value: str) -> _Mask:
        """Where the rows have this value."""
        at = self.values.index(value) if value in self.values else -1
        return np.asarray(self.codes == at)

    def count(self, where: _Mask) -> dict[str, int]:
        """How many of the rows have each value but "", the most frequent first, 100 at most."""
        counts = np.bincount(self.codes[where], minlength=len(self.values)).tolist()
        met = Counter({name: n for name, n in zip(self.values, counts, strict=True) if name and n})
        return dict(met.most_common(_MOST_VALUES))


class RunIndex:
    """The index of some rows; what `before` knows about the same rows is taken from it."""

    def __init__(self, rows: Sequence[SampleRow], before: "RunIndex | None" = None) -> None:
        known = before.entries if before is not None else ()
        old = {id(entry.row): entry for entry in known}  # rows never change; `known` keeps them
        self.entries: tuple[_Indexed, ...] = tuple(old.get(id(row)) or _index(row) for row in rows)
        self._verdicts = _column([entry.verdict for entry in self.entries])
        self._mistakes = _column([entry.mistake or "" for entry in self.entries])
        self._ranks: dict[str, NDArray[np.intp]] = {}
        names = dict.fromkeys(name for row in rows for name in row.labels)
        self._labels = {name: _column([row.labels.get(name, "") for row in rows]) for name in names}

    @property
    def labels(self) -> Sequence[str]:
        """The names of the labels that the rows have."""
        return tuple(self._labels)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each row by its key."""
        return {entry.row.key: at for at, entry in enumerate(self.entries)}

    @cached_property
    def attempts(self) -> Mapping[str, Sequence[int]]:
        """The places of all rows of a sample, one for each epoch, by the sample's id."""
        found: dict[str, list[int]] = {}
        for at, entry in enumerate(self.entries):
            found.setdefault(entry.row.id, []).append(at)
        return found

    @cached_property
    def mistakes(self) -> Mapping[str, int]:
        """How many rows have each diagnosis, the most frequent first."""
        return self._mistakes.count(np.ones(len(self.entries), bool))

    def select(self, wanted: RowFilter) -> SelectedRows:
        """The rows that fit.

        Raises:
            RequestError: there is no such order.
        """
        everywhere = np.ones(len(self.entries), bool)
        labels = wanted.labels or {}
        parts = {
            "text": self._search(wanted.text),
            "verdict": self._verdicts.equal(wanted.verdict) if wanted.verdict else everywhere,
            "mistake": self._mistakes.equal(wanted.mistake) if wanted.mistake else everywhere,
        }
        for name, value in labels.items():
            parts[f"label {name}"] = (
                self._labels[name].equal(value) if name in self._labels else ~everywhere
            )

        def others(part: str) -> _Mask:
            return np.asarray(
                np.logical_and.reduce([mask for name, mask in parts.items() if name != part])
            )

        return SelectedRows(
            places=self._order(np.flatnonzero(others("")), wanted.sort),
            verdicts=self._verdicts.count(others("verdict")),
            mistakes=self._mistakes.count(others("mistake")),
            labels={
                name: column.count(others(f"label {name}"))
                for name, column in self._labels.items()
                if len(column.values) > 1
            },
        )

    def _search(self, text: str) -> _Mask:
        sought = text.strip().casefold()
        if not sought:
            return np.ones(len(self.entries), bool)
        return np.fromiter((sought in entry.text for entry in self.entries), bool)

    def _order(self, places: NDArray[np.intp], sort: str) -> Sequence[int]:
        if sort:
            places = places[np.argsort(self._rank(sort)[places])]
        found: list[int] = places.tolist()
        return found

    def _rank(self, sort: str) -> NDArray[np.intp]:
        """The rank of each row by a column; those without a value last, equal ones as in the log.

        Raises:
            RequestError: there is no such column.
        """
        known = self._ranks.get(sort)
        if known is not None:
            return known
        backwards, name = sort.startswith("-"), sort.removeprefix("-")
        if name not in _SORT_KEYS and name not in self._labels:
            raise RequestError(
                f"the rows have no column {name!r} to sort by",
                hint=f"sort by {', '.join(dict.fromkeys((*_SORT_KEYS, *self._labels)))}",
            )
        value = _SORT_KEYS.get(name) or (lambda entry: entry.row.labels.get(name) or None)
        keyed = [(value(entry), at) for at, entry in enumerate(self.entries)]
        with_value = [(key, at) for key, at in keyed if key is not None]
        with_value.sort(key=lambda pair: pair[0], reverse=backwards)
        order = [at for _, at in with_value] + [at for key, at in keyed if key is None]
        rank = np.empty(len(order), np.intp)
        rank[order] = np.arange(len(order))
        self._ranks[sort] = rank
        return rank


def _index(row: SampleRow) -> _Indexed:
    text = f"{row.key}\n{row.about.instruction}\n{row.answer or ''}".casefold()
    return _Indexed(row, row_verdict(row), diagnose(row), text)


def _column(values: Sequence[str]) -> _Column:
    known: dict[str, int] = {}
    codes = np.fromiter((known.setdefault(value, len(known)) for value in values), np.int32)
    return _Column(tuple(known), codes)


def _key_parts(entry: _Indexed) -> tuple[tuple[int, int, str], ...]:
    """The key's digits as numbers, so that 9 comes before 10."""
    parts = _NUMBER.split(entry.row.key)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def _steps(entry: _Indexed) -> int | None:
    steps = entry.row.detail.get("steps")
    return steps if isinstance(steps, int) else None


_SORT_KEYS: Mapping[str, Callable[[_Indexed], _SortKey]] = {
    "key": _key_parts,
    "verdict": lambda entry: entry.verdict,
    "mistake": lambda entry: entry.mistake,
    "score": lambda entry: entry.row.score,
    "latency": lambda entry: entry.row.latency_s if entry.row.status != "failed" else None,
    "tokens": lambda entry: entry.row.usage.output_tokens or None,
    "steps": _steps,
    "answer": lambda entry: entry.row.answer or None,
    "instruction": lambda entry: entry.row.about.instruction or None,
}
