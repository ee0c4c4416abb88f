"""A run with a kept index whose log has grown since: only the lines that came are read.

A log is appended to, so an index of its first rows goes on being true; the rows that came are
indexed here and joined to it. A half-written last line waits until it is whole.
"""

import io
import os
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tapwright.evaluate.run_log import (
    SampleRow,
    count_failures,
    read_line,
    wrap_log_errors,
)
from tapwright.files.jsonl import whole_lines
from tapwright.files.regular import open_regular
from tapwright.web.library.kept_index import KeptRun
from tapwright.web.library.row_entries import RowEntries, SortKey, sort_key
from tapwright.web.library.run_index import Codes, RunIndex

__all__ = ["GrowingIndex", "GrowingRun"]


class GrowingIndex:
    """The index of some rows, to which those that came since are joined."""

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self._entries: RowEntries | None = None

    def of(self, rows: Sequence[SampleRow], added: Sequence[SampleRow]) -> RunIndex:
        """The index of `rows`, the last of which are `added`; these alone are looked at."""
        if not added:
            return self._index
        self._entries = RowEntries(added, self._entries)
        old = self._index
        return old.joined(self._entries.index(), lambda name: _join_orders(old, rows, added, name))


class GrowingRun:
    """A kept run, and the rows that its log got after the index was made."""

    def __init__(self, kept: KeptRun) -> None:
        self._now = kept
        self._index = GrowingIndex(kept.index)
        self._keys = set(kept.index.keys)
        self._added: tuple[SampleRow, ...] = ()

    def read(self) -> KeptRun | None:
        """The run as it stands; None where its index is of no use.

        That is when the log is another file than the one that was indexed, or a row was replaced.

        Raises:
            RunLogError: a line that came is not one of a run log.
        """
        now, path, last = self._now, self._now.log.path, self._now.last
        lines: list[tuple[int, int, int]] = []
        came: list[SampleRow] = []
        with wrap_log_errors(path) as place, open_regular(path) as file:
            if not _goes_on(now, file):
                return None
            file.seek(now.end)
            end = now.end
            for at, line in whole_lines(file, start=now.line_count + 1):
                place.line, last = at, line
                key, row = read_line(line)
                if key in self._keys:
                    return None
                self._keys.add(key)
                came.append(row)
                lines.append((at, end, len(line)))
                end += len(line)
        if not lines:
            return now
        counted = count_failures(now.log.header, came)
        for row in counted:
            now.tally.add(row)
        self._added += counted
        rows = now.rows.and_lines(np.array(lines, np.int64))
        self._now = replace(
            now,
            log=replace(now.log, rows=rows),
            rows=rows,
            index=self._index.of(rows, self._added),
            end=end,
            line_count=lines[-1][0],
            last=last,
        )
        return self._now


def _goes_on(run: KeptRun, file: io.BufferedReader) -> bool:
    """Whether the file is the one that was indexed, with more lines or none."""
    if os.fstat(file.fileno()).st_ino != run.inode:
        return False
    file.seek(run.end - len(run.last))
    return file.read(len(run.last)) == run.last


def _join_orders(
    old: RunIndex, rows: Sequence[SampleRow], added: Sequence[SampleRow], name: str
) -> Codes:
    """The place of each row's value among all values in order; -1 for none.

    Of the rows that the index has, those alone are read by whose values a new one finds its place.
    """
    codes = old.orders(name) if name in old.order_names else np.full(len(old.keys), -1, np.int32)
    met, first = np.unique(codes, return_index=True)
    first = first[met >= 0]
    known: dict[int, SortKey] = {}

    def value(code: int) -> SortKey:
        if code not in known:
            found = sort_key(rows[int(first[code])], name)
            assert found is not None  # it has a place in the order
            known[code] = found
        return known[code]

    values = [sort_key(row, name) for row in added]
    new: dict[SortKey, tuple[int, bool]] = {}
    for one in values:
        if one is not None and one not in new:
            at = bisect_left(range(len(first)), one, key=value)
            new[one] = at, at < len(first) and value(at) == one
    inserted = sorted((at, one) for one, (at, there) in new.items() if not there)
    places = np.array([at for at, _ in inserted], np.int64)
    numbers = {one: number for number, (_, one) in enumerate(inserted)}
    moved = np.where(codes < 0, -1, codes + np.searchsorted(places, codes, side="right"))

    def code(one: SortKey | None) -> int:
        if one is None:
            return -1
        at, there = new[one]
        before = int(np.searchsorted(places, at, side="right")) if there else numbers[one]
        return at + before

    return np.concatenate([moved, [code(one) for one in values]]).astype(np.int32)
