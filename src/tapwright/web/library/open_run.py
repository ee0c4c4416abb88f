"""A run that is being looked at: its rows, their index and its figures, as its log grows.

A short log, and one that grows, is read here, each time only what came since. A long one that no
longer grows is opened by its kept index (`kept_index`), which is made when there is none.
"""

import os
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.report_data import log_warnings
from tapwright.evaluate.run_follower import RunFollower
from tapwright.evaluate.run_log import FILE, RunLog
from tapwright.processes import run_apart
from tapwright.web.library.kept_index import keep_index, read_kept
from tapwright.web.library.row_entries import RowEntries
from tapwright.web.library.run_index import RunIndex
from tapwright.web.library.run_views import (
    RunFigures,
    RunSummary,
    TableView,
    summary_view,
    table_views,
)

__all__ = ["OpenRun", "ReadRun", "Stamp", "log_stamp"]

Stamp: TypeAlias = tuple[int, int]

_LONG_BYTES = 4_000_000
"""A log of this size takes a quarter of a second to read."""

_AT_REST_S = 10.0


@dataclass(frozen=True)
class ReadRun:
    """A log with what was found out about its rows; figures when they are first asked for."""

    log: RunLog
    index: RunIndex
    kept: RunFigures | None = None

    @cached_property
    def summary(self) -> RunSummary:
        """The run at a glance, without its name."""
        return self.kept.summary if self.kept else summary_view("", self.log)

    @cached_property
    def tables(self) -> tuple[TableView, ...]:
        """The report's tables."""
        return self.kept.tables if self.kept else table_views(self.log, self.index.labels)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What should be known before the scores are believed."""
        return self.kept.warnings if self.kept else tuple(log_warnings([self.log]))


class OpenRun:
    """The run in a directory; safe to use from several threads."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._follower = RunFollower(directory)
        self._lock = Lock()
        self._entries: RowEntries | None = None
        self._read: ReadRun | None = None
        self._kept_at: Stamp | None = None

    def read(self) -> ReadRun:
        """The run as it stands; the same object until its log changes.

        Raises:
            RunLogError: its log cannot be read.
        """
        with self._lock:
            stamp = log_stamp(self._directory)
            if self._read is not None and stamp == self._kept_at:
                return self._read
            if self._entries is None and stamp != self._kept_at:
                found = self._open_kept(stamp)
                if found is not None:
                    self._read, self._kept_at = found, stamp
                    return found
            log = self._follower.read()
            if self._read is None or self._read.log is not log:
                self._entries = RowEntries(log.rows, self._entries)
                self._read, self._kept_at = ReadRun(log, self._entries.index()), None
            return self._read

    def _open_kept(self, stamp: Stamp) -> ReadRun | None:
        """The run by its kept index, if its log is one that has or gets one."""
        changed_ns, size = stamp
        if size < _LONG_BYTES:
            return None
        kept = read_kept(self._directory)
        rests = time.time() - changed_ns / 1e9 > _AT_REST_S
        if kept is None and rests and os.access(self._directory, os.W_OK):
            run_apart(keep_index, str(self._directory))
            kept = read_kept(self._directory)
        if kept is None or log_stamp(self._directory) != stamp:
            return None
        return ReadRun(kept.log, kept.index, kept.figures)


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
