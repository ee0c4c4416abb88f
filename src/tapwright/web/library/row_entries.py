"""Makes the index of a run's rows: the verdict, mistake and sort keys of each, found out once."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tapwright.evaluate.error_analysis import Diagnosis, diagnose
from tapwright.evaluate.run_log import SampleRow
from tapwright.evaluate.sample_gallery import RowVerdict, row_verdict
from tapwright.web.library.run_index import Codes, Column, RowTexts, RunIndex

__all__ = ["RowEntries", "SortKey", "sort_key"]

SortKey: TypeAlias = str | float | tuple[tuple[int, int, str], ...]
"""What rows are sorted by; those of one column can be compared."""

_NUMBER = re.compile(r"(\d{1,15})")


@dataclass(frozen=True, slots=True)
class _Entry:
    row: SampleRow
    verdict: RowVerdict
    mistake: Diagnosis | None
    text: str


class RowEntries:
    """What was found out about some rows; what `before` knows about the same is taken from it."""

    def __init__(self, rows: Sequence[SampleRow], before: "RowEntries | None" = None) -> None:
        known: Sequence[_Entry] = before._entries if before is not None else ()
        old = {id(entry.row): entry for entry in known}  # rows never change; `known` keeps them
        self._entries: Sequence[_Entry] = tuple(old.get(id(row)) or _entry(row) for row in rows)

    def index(self) -> RunIndex:
        """The index of the rows; a column is put in order when it is first sorted by."""
        rows = [entry.row for entry in self._entries]
        names = dict.fromkeys(name for row in rows for name in row.labels)
        return RunIndex(
            [row.key for row in rows],
            [row.id for row in rows],
            RowTexts.of([entry.text for entry in self._entries]),
            verdicts=_column([entry.verdict for entry in self._entries]),
            mistakes=_column([entry.mistake or "" for entry in self._entries]),
            labels={name: _column([row.labels.get(name, "") for row in rows]) for name in names},
            orders=self._order,
        )

    def _order(self, name: str) -> Codes:
        values = [_sort_key(entry, name) for entry in self._entries]
        met = sorted({one for one in values if one is not None})
        places = {one: at for at, one in enumerate(met)}
        return np.fromiter((-1 if one is None else places[one] for one in values), np.int32)


def sort_key(row: SampleRow, name: str) -> SortKey | None:
    """What a row is sorted by in a column; None when it has no value there."""
    return _sort_key(_entry(row), name)


def _sort_key(entry: _Entry, name: str) -> SortKey | None:
    value = _VALUES.get(name)
    return value(entry) if value else entry.row.labels.get(name) or None


def _entry(row: SampleRow) -> _Entry:
    text = f"{row.key}\n{row.about.instruction}\n{row.answer or ''}".casefold()
    return _Entry(row, row_verdict(row), diagnose(row), text)


def _column(values: Sequence[str]) -> Column:
    known: dict[str, int] = {}
    codes = np.fromiter((known.setdefault(value, len(known)) for value in values), np.int32)
    return Column(tuple(known), codes)


def _key_parts(entry: _Entry) -> tuple[tuple[int, int, str], ...]:
    """The key's digits as numbers, so that 9 comes before 10."""
    parts = _NUMBER.split(entry.row.key)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def _steps(entry: _Entry) -> int | None:
    steps = entry.row.detail.get("steps")
    return steps if isinstance(steps, int) else None


_VALUES: Mapping[str, Callable[[_Entry], SortKey | None]] = {
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
