"""The index of a run's rows: filters, orders and counts them quickly enough for each key press.

It is arrays of small numbers, one per row, and one long text; `row_entries` makes it of rows,
`kept_index` keeps it on disk.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapwright.web.errors import RequestError

__all__ = ["SORT_KEYS", "Codes", "Column", "RowFilter", "RowTexts", "RunIndex", "SelectedRows"]

Codes: TypeAlias = NDArray[np.int32]
_Mask: TypeAlias = NDArray[np.bool_]

_MOST_VALUES = 100
SORT_KEYS = (
    "key",
    "verdict",
    "mistake",
    "score",
    "latency",
    "tokens",
    "steps",
    "answer",
    "instruction",
)


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
class Column:
    """A value for each row, as its place among the values that there are."""

    values: Sequence[str]
    codes: Codes

    def equal(self, value: str) -> _Mask:
        """Where the rows have this value."""
        at = self.values.index(value) if value in self.values else -1
        return np.asarray(self.codes == at)

    def count(self, where: _Mask) -> dict[str, int]:
        """How many of the rows have each value but "", the most frequent first, 100 at most."""
        counts = np.bincount(self.codes[where], minlength=len(self.values)).tolist()
        met = Counter({name: n for name, n in zip(self.values, counts, strict=True) if name and n})
        return dict(met.most_common(_MOST_VALUES))

    def joined(self, other: "Column") -> "Column":
        """The values of these rows, then those of the others."""
        values = tuple(dict.fromkeys((*self.values, *other.values)))
        places = {value: at for at, value in enumerate(values)}
        codes = np.array([places[value] for value in other.values], np.int32)[other.codes]
        return Column(values, np.concatenate([self.codes, codes]))

    @classmethod
    def empty(cls, size: int) -> "Column":
        """No value for so many rows."""
        return cls(("",), np.zeros(size, np.int32))


class RowTexts:
    """What a search looks in, all rows in one text; `ends` are where each row's part ends."""

    def __init__(self, text: str, ends: NDArray[np.int64]) -> None:
        self.text, self.ends = text, ends

    @classmethod
    def of(cls, texts: Sequence[str]) -> "RowTexts":
        """The texts of the rows, in order."""
        return cls("".join(texts), np.cumsum([len(text) for text in texts], dtype=np.int64))

    def joined(self, other: "RowTexts") -> "RowTexts":
        """The texts of these rows, then those of the others."""
        ends = np.concatenate([self.ends, other.ends + len(self.text)])
        return RowTexts(self.text + other.text, ends)

    def containing(self, sought: str) -> _Mask:
        """Where the rows have these characters, which are not none."""
        found = np.zeros(len(self.ends), bool)
        ends: list[int] = self.ends.tolist()
        at = self.text.find(sought)
        while at >= 0:
            row = bisect_right(ends, at)
            if at + len(sought) <= ends[row]:
                found[row] = True
                at = ends[row]
            else:  # it begins in one row and ends in another
                at += 1
            at = self.text.find(sought, at)
        return found


class RunIndex:
    """The index of some rows.

    `keys` and `samples` are the rows' keys and the ids of their samples. `orders` gives for each
    column of `SORT_KEYS`, and for each label, the place of a row's value among the values in order,
    -1 for none.
    """

    def __init__(
        self,
        keys: Sequence[str],
        samples: Sequence[str],
        texts: RowTexts,
        *,
        verdicts: Column,
        mistakes: Column,
        labels: Mapping[str, Column],
        orders: Callable[[str], Codes],
    ) -> None:
        self.keys, self.samples, self.texts = keys, samples, texts
        self.verdict_column, self.mistake_column, self.label_columns = verdicts, mistakes, labels
        self.orders = orders
        self._ranks: dict[str, NDArray[np.intp]] = {}

    @property
    def labels(self) -> Sequence[str]:
        """The names of the labels that the rows have."""
        return tuple(self.label_columns)

    @property
    def order_names(self) -> Sequence[str]:
        """The columns that have an order."""
        return (*SORT_KEYS, *self.label_columns)

    def joined(self, other: "RunIndex", orders: Callable[[str], Codes]) -> "RunIndex":
        """The index of these rows and then of the others, in `orders` of all of them."""

        def label_of(index: RunIndex, name: str) -> Column:
            return index.label_columns.get(name) or Column.empty(len(index.keys))

        return RunIndex(
            [*self.keys, *other.keys],
            [*self.samples, *other.samples],
            self.texts.joined(other.texts),
            verdicts=self.verdict_column.joined(other.verdict_column),
            mistakes=self.mistake_column.joined(other.mistake_column),
            labels={
                name: label_of(self, name).joined(label_of(other, name))
                for name in dict.fromkeys((*self.label_columns, *other.label_columns))
            },
            orders=orders,
        )

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each row by its key."""
        return {key: at for at, key in enumerate(self.keys)}

    @cached_property
    def attempts(self) -> Mapping[str, Sequence[int]]:
        """The places of all rows of a sample, one for each epoch, by the sample's id."""
        found: dict[str, list[int]] = {}
        for at, sample in enumerate(self.samples):
            found.setdefault(sample, []).append(at)
        return found

    @cached_property
    def mistakes(self) -> Mapping[str, int]:
        """How many rows have each diagnosis, the most frequent first."""
        return self.mistake_column.count(np.ones(len(self.keys), bool))

    def select(self, wanted: RowFilter) -> SelectedRows:
        """The rows that fit.

        Raises:
            RequestError: there is no such order.
        """
        everywhere = np.ones(len(self.keys), bool)
        labels = wanted.labels or {}
        parts = {
            "text": self._search(wanted.text),
            "verdict": self.verdict_column.equal(wanted.verdict) if wanted.verdict else everywhere,
            "mistake": self.mistake_column.equal(wanted.mistake) if wanted.mistake else everywhere,
        }
        for name, value in labels.items():
            parts[f"label {name}"] = (
                self.label_columns[name].equal(value) if name in self.label_columns else ~everywhere
            )

        def others(part: str) -> _Mask:
            return np.asarray(
                np.logical_and.reduce([mask for name, mask in parts.items() if name != part])
            )

        return SelectedRows(
            places=self._order(np.flatnonzero(others("")), wanted.sort),
            verdicts=self.verdict_column.count(others("verdict")),
            mistakes=self.mistake_column.count(others("mistake")),
            labels={
                name: column.count(others(f"label {name}"))
                for name, column in self.label_columns.items()
                if len(column.values) > 1
            },
        )

    def _search(self, text: str) -> _Mask:
        sought = text.strip().casefold()
        if not sought:
            return np.ones(len(self.keys), bool)
        return self.texts.containing(sought)

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
        if name not in self.order_names:
            raise RequestError(
                f"the rows have no column {name!r} to sort by",
                hint=f"sort by {', '.join(dict.fromkeys(self.order_names))}",
            )
        codes = self.orders(name)
        last = np.where(codes < 0, len(codes), -codes if backwards else codes)
        order = np.argsort(last, kind="stable")
        rank = np.empty(len(order), np.intp)
        rank[order] = np.arange(len(order))
        self._ranks[sort] = rank
        return rank
