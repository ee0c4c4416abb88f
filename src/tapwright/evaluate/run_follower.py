"""Reads a run log again and again while it grows: each time only the lines that came since.

A log is appended to by its run alone, so what was read stays true while the file is the same one,
is no shorter, and still has the last line that was read; else it is read anew.
"""

import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from tapwright.evaluate.run_log import (
    FILE,
    RunHeader,
    RunLog,
    SampleRow,
    count_failures,
    read_header,
    read_line,
    wrap_log_errors,
)
from tapwright.files.jsonl import whole_lines
from tapwright.files.regular import open_regular

__all__ = ["RunFollower"]


@dataclass(slots=True)
class _Read:
    """What was read of a file: up to byte `end`, where line `last` ended, the `lines`-th."""

    inode: int
    header: RunHeader
    created: str
    end: int
    last: bytes
    lines: int = 1
    rows: dict[str, SampleRow] = field(default_factory=dict)


class RunFollower:
    """One run's log as it stands; safe to use from several threads."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / FILE
        self._lock = Lock()
        self._read: _Read | None = None
        self._log: RunLog | None = None
        self._stamp: tuple[int, int, int] | None = None

    def read(self) -> RunLog:
        """The log, equal to `read_run`'s; the same object until the file changes.

        Raises:
            RunLogError: there is none, or its lines are not a run log's; names file and line.
        """
        with self._lock, wrap_log_errors(self._file) as place:
            found = self._file.stat()
            stamp = found.st_ino, found.st_size, found.st_mtime_ns
            if self._log is not None and stamp == self._stamp:
                return self._log
            begun, self._read, self._log = self._read, None, None
            with open_regular(self._file) as file:
                inode = os.fstat(file.fileno()).st_ino
                if begun is None or not _goes_on(begun, inode, file):
                    file.seek(0)
                    first = next(file, b"")
                    begun = _Read(inode, *read_header(first), end=len(first), last=first)
                file.seek(begun.end)
                place.line = begun.lines
                for at, line in whole_lines(file, start=begun.lines + 1):
                    place.line = at
                    key, row = read_line(line)
                    begun.rows[key] = row
                    begun.end, begun.last, begun.lines = begun.end + len(line), line, at
            rows = count_failures(begun.header, tuple(begun.rows.values()))
            log = RunLog(self._file, begun.header, begun.created, rows)
            self._read, self._log, self._stamp = begun, log, stamp
            return log


def _goes_on(read: _Read, inode: int, file: io.BufferedReader) -> bool:
    """Whether the file is the one that was read, with more lines or none."""
    if inode != read.inode:
        return False
    file.seek(read.end - len(read.last))
    return file.read(len(read.last)) == read.last
