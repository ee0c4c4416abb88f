"""A run that is being looked at: its rows, their index and its figures, as its log grows.

Each time only what came since is read. A long log is opened by its kept index (`kept_index`), which
is made when there is none and the log no longer grows; any other is read here.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.run_follower import RunFollower
from tapwright.evaluate.run_log import FILE, RunLog, SampleRow
from tapwright.evaluate.run_tally import RunTally
from tapwright.jobs.processes import run_apart
from tapwright.web.library.growing_run import GrowingIndex, GrowingRun
from tapwright.web.library.kept_index import KeptRun, keep_index, read_kept
from tapwright.web.library.row_entries import RowEntries
from tapwright.web.library.run_index import RunIndex
from tapwright.web.library.run_views import RunFigures, figures_of

__all__ = ["OpenRun", "ReadRun", "Stamp", "log_stamp"]

Stamp: TypeAlias = tuple[int, int]

_LONG_BYTES = 4_000_000
"""A log of this size takes a quarter of a second to read."""

_LACKING_BYTES = 1_000_000
"""A log that got more than this after its index was made gets another one."""

_MANY_ADDED = 1000
_AT_REST_S = 10.0


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A log with what was found out about its rows."""

    log: RunLog
    index: RunIndex
    figures: RunFigures


class OpenRun:
    """The run in a directory; safe to use from several threads."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._follower = RunFollower(directory)
        self._lock = Lock()
        self._read: ReadRun | None = None
        self._read_at: Stamp | None = None
        self._tried_at: Stamp | None = None
        self._kept: GrowingRun | None = None
        self._held: _HeldRun | None = None

    def read(self) -> ReadRun:
        """The run as it stands; the same object until its log changes.

        Raises:
            RunLogError: its log cannot be read.
        """
        with self._lock:
            stamp = log_stamp(self._directory)
            if self._read is None or stamp != self._read_at:
                self._read = self._read_kept(stamp) or self._read_here()
                self._read_at = stamp
            return self._read

    def _read_kept(self, stamp: Stamp) -> ReadRun | None:
        """The run by its kept index; None if it has none, or the log no longer goes on from it."""
        if self._kept is None and self._held is None and stamp != self._tried_at:
            self._tried_at = stamp  # once: a log that cannot be read is told quickly
            kept = self._open_kept(stamp)
            self._kept = None if kept is None else GrowingRun(kept)
        found = None if self._kept is None else self._kept.read()
        if found is None:
            self._kept = None
            return None
        return ReadRun(found.log, found.index, figures_of(found.log, found.tally))

    def _read_here(self) -> ReadRun:
        log = self._follower.read()
        if self._held is None or not self._held.goes_on(log.rows):
            self._held = _HeldRun(log.rows, self._held)
        index = self._held.read(log.rows)
        return ReadRun(log, index, figures_of(log, self._held.tally))

    def _open_kept(self, stamp: Stamp) -> KeptRun | None:
        """A long log by its index, which is made if the log is at rest and it lacks much or all."""
        changed_ns, size = stamp
        if size < _LONG_BYTES:
            return None
        kept = read_kept(self._directory)
        lacks = size if kept is None else size - kept.end
        rests = time.time() - changed_ns / 1e9 > _AT_REST_S
        if lacks > _LACKING_BYTES and rests and os.access(self._directory, os.W_OK):
            run_apart(keep_index, str(self._directory))
            kept = read_kept(self._directory) or kept
        return kept


class _HeldRun:
    """Rows in memory, to which others are added: their tally, and their index as it grows."""

    def __init__(self, rows: Sequence[SampleRow], before: "_HeldRun | None") -> None:
        self._begun = self._rows = rows
        known: RowEntries | None = None if before is None else before.entries
        self.entries: RowEntries = RowEntries(rows, known)
        self._index = GrowingIndex(self.entries.index())
        self.tally = RunTally.of(rows)

    def goes_on(self, rows: Sequence[SampleRow]) -> bool:
        """Whether `rows` are those that there were and not many more."""
        size = len(self._rows)
        return rows[:size] == self._rows and len(rows) - len(self._begun) <= _MANY_ADDED

    def read(self, rows: Sequence[SampleRow]) -> RunIndex:
        """The index of rows that go on from those that there were."""
        for row in rows[len(self._rows) :]:
            self.tally.add(row)
        self._rows = rows
        return self._index.of(rows, rows[len(self._begun) :])


def log_stamp(directory: Path) -> Stamp:
    """A value that changes whenever the log of a run does.

    Raises:
        RunLogError: there is none.
    """
    try:
        found = (directory / FILE).stat()
    except OSError as error:
        raise RunLogError(f"{directory}: cannot be read: {error.strerror}") from error
    return found.st_mtime_ns, found.st_size
