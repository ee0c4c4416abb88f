"""A run that is being looked at: its rows in SQLite and its figures, as its log grows.

The rows are a copy of the log, never the truth: each look reads the lines that came since, and a
copy of another log, or of another version of tapwright, is made again. A long log that rests has it
in a file beside it, which another process fills, because that takes a second for each 15,000 rows;
any other log has it in memory.
"""

import io
import json
import os
import secrets
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from threading import RLock
from typing import Literal, TypeAlias, TypeVar, overload

from pydantic import TypeAdapter, ValidationError

from tapwright import __version__
from tapwright.evaluate import run_log
from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.run_tally import RunTally
from tapwright.files.jsonl import whole_lines
from tapwright.files.regular import open_regular
from tapwright.jobs.processes import run_apart
from tapwright.store.catalog_file import CatalogFile, CatalogLayout, changing
from tapwright.web.library import row_tables
from tapwright.web.library.run_views import RunFigures, figures_of

__all__ = ["LAYOUT", "ReadRun", "RunRows", "Stamp", "fill_file", "log_stamp"]

_T = TypeVar("_T")
Stamp: TypeAlias = tuple[int, int]

LAYOUT = CatalogLayout(".catalog/rows.sqlite", row_tables.TABLES, 1, "the log")
"""The file of a long run's rows, in its directory."""

_LONG_BYTES = 4_000_000
"""A log of this size takes a quarter of a second to read."""

_LACKING_BYTES = 1_000_000
"""More than this another process reads."""

_AT_REST_S = 10.0
_KNOWN = 4000
_MANY = 1000
_SELECTIONS = 16
_MOST_LABELS = 500
_PART = 1 << 20
_TAIL = 1 << 12


@dataclass(frozen=True, slots=True)
class _State:
    """What the rows are of: the first `end` bytes of a log, `lines` lines, with this CRC-32.

    `token` is another one whenever they are made anew.
    """

    tapwright: str = __version__
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    end: int = 0
    crc: int = 0
    lines: int = 0
    labels: tuple[str, ...] = ()
    figures: RunFigures | None = None


_STATE = TypeAdapter(_State)


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A log whose rows are read when they are asked for, with what was found out about them."""

    log: run_log.RunLog
    figures: RunFigures
    labels: tuple[str, ...]
    mistakes: Mapping[str, int]


class RunRows:
    """The rows of the run in a directory; safe to use from several threads."""

    def __init__(self, directory: Path, file: CatalogFile | None = None) -> None:
        self._path, self._file = directory / run_log.FILE, file
        self._lock = RLock()
        self._read: ReadRun | None = None
        self._stamp: Stamp | None = None
        self._header: run_log.RunHeader | None = None
        self._selected: dict[str, row_tables.SelectedRows] = {}
        self._forget()

    def _forget(self) -> None:
        """Forget what was found out about the rows, which are others now."""
        self._sure: tuple[str, int, int] | None = None
        self._tail = b""
        self._tally: RunTally | None = None
        self._known: dict[int, run_log.SampleRow] = {}

    def read(self) -> ReadRun:
        """The run as it stands; the same object until its log changes.

        Raises:
            RunLogError: its log cannot be read.
        """
        with self._lock:
            stamp = log_stamp(self._path.parent)
            if self._read is None or stamp != self._stamp:
                self._file = self._file or self._open(stamp)
                self._read = self._file.use(self._follow)
                self._stamp = stamp
            return self._read

    def select(self, wanted: row_tables.RowFilter) -> row_tables.SelectedRows:
        """The rows that fit, counted; raises as `read` does."""
        with self._lock:
            labels, key = self.read().labels, repr(replace(wanted, sort=""))
            if key not in self._selected:
                if len(self._selected) >= _SELECTIONS:
                    self._selected.clear()
                self._selected[key] = self._ask(
                    partial(row_tables.select_rows, wanted=wanted, labels=labels)
                )
            return self._selected[key]

    def order(self, wanted: row_tables.RowFilter, start: int = 0, count: int = -1) -> list[int]:
        """The places of the rows that fit, in order: `count` from `start`, all of them with -1.

        Raises:
            RequestError: there is no such order.
            RunLogError: the log cannot be read.
        """
        with self._lock:
            labels = self.read().labels
            return self._ask(
                partial(
                    row_tables.order_rows, wanted=wanted, labels=labels, start=start, count=count
                )
            )

    def places(self, column: Literal["key", "sample"], value: str) -> list[int]:
        """The places of the rows with this key, or of this sample; raises as `read` does."""
        with self._lock:
            self.read()
            return self._ask(partial(row_tables.find_places, column=column, value=value))

    def rows(self, places: Sequence[int]) -> list[run_log.SampleRow]:
        """The rows at these places; some thousands are kept.

        Raises:
            RunLogError: the log cannot be read, or is another one than it was.
        """
        with self._lock:
            missing = [at for at in places if at not in self._known]
            read = dict(zip(missing, self._read_rows(missing), strict=True)) if missing else {}
            found = [read[at] if at in read else self._known[at] for at in places]
            self._remember(read)
            return found

    def _open(self, stamp: Stamp) -> CatalogFile:
        """Where the tables are; another process fills a file of them that lacks much."""
        (changed_ns, size), directory = stamp, self._path.parent
        rests = time.time() - changed_ns / 1e9 > _AT_REST_S
        useful = size >= _LONG_BYTES and (rests or (directory / LAYOUT.path).exists())
        if not (useful and os.access(directory, os.W_OK)):
            return CatalogFile(directory, LAYOUT, in_memory=True)
        file = CatalogFile(directory, LAYOUT)
        if size - file.use(_read_state).end > _LACKING_BYTES:
            run_apart(fill_file, str(directory))
        return file

    def _ask(self, query: Callable[[sqlite3.Connection], _T]) -> _T:
        assert self._file is not None  # `read` opened it
        return self._file.use(query)

    def _follow(self, connection: sqlite3.Connection) -> ReadRun:
        self._selected.clear()
        try:
            with run_log.wrap_log_errors(self._path) as place, open_regular(self._path) as file:
                self._header, created = run_log.read_header(next(file, b""))
                state, size = _read_state(connection), os.fstat(file.fileno()).st_size
                if not self._holds(state, file) or size > state.end:
                    with changing(connection):  # before, others may have changed something
                        state = self._read_on(connection, file, place, created)
            log = self._log(self._header, created, row_tables.count_rows(connection))
            figures = state.figures or figures_of(log, RunTally())
            return ReadRun(
                log, figures, state.labels, row_tables.count_values(connection, "mistake")
            )
        except BaseException:
            self._forget()
            raise

    def _log(self, header: run_log.RunHeader, created: str, size: int) -> run_log.RunLog:
        return run_log.RunLog(self._path, header, created, _LoggedRows(self, size))

    def _read_on(
        self,
        connection: sqlite3.Connection,
        file: io.BufferedReader,
        place: run_log.LinePlace,
        created: str,
    ) -> _State:
        """Write the rows that came, or all of them where those that there are do not hold."""
        assert self._header is not None  # `_follow` read it
        state = _read_state(connection)
        if not self._holds(state, file):
            self._forget()
            row_tables.clear_tables(connection)
            self._tally = RunTally()
            file.seek(0)
            first = next(file)
            state = _State(end=len(first), crc=zlib.crc32(first), lines=1)
        file.seek(state.end)
        came: dict[str, tuple[run_log.SampleRow, int, int, int]] = {}
        end, crc, number = state.end, state.crc, state.lines
        for number, line in whole_lines(file, start=state.lines + 1):
            place.line = number
            key, row = run_log.read_line(line)
            came[key] = row, number, end, len(line)
            end, crc = end + len(line), zlib.crc32(line, crc)
        state = replace(state, end=end, crc=crc, lines=number)
        if came:
            counted = run_log.count_failures(self._header, [row for row, *_ in came.values()])
            logged = [
                row_tables.LoggedRow(key, row, *line)
                for (key, (_, *line)), row in zip(came.items(), counted, strict=True)
            ]
            names = dict.fromkeys(
                (*state.labels, *(name for row in counted for name in row.labels))
            )
            labels = tuple(names)[:_MOST_LABELS]
            row_tables.add_labels(connection, len(state.labels), len(labels))
            places, are_new = row_tables.write_rows(connection, logged, labels)
            self._remember(dict(zip(places, counted, strict=True)))
            if self._tally is not None and are_new:
                for row in counted:
                    self._tally.add(row)
            else:
                self._tally = row_tables.read_tally(connection, labels)
            log = self._log(self._header, created, row_tables.count_rows(connection))
            state = replace(state, labels=labels, figures=figures_of(log, self._tally))
        text = json.dumps(_STATE.dump_python(state, mode="json"))
        connection.execute("UPDATE state SET text = ?", (text,))
        if len(came) > _MANY:
            connection.execute("ANALYZE")
        self._be_sure(state, file)
        return state

    def _holds(self, state: _State, file: io.BufferedReader) -> bool:
        """Whether the rows are those of the first bytes of the file."""
        if not state.end or state.tapwright != __version__:
            return False
        if self._sure == (state.token, os.fstat(file.fileno()).st_ino, state.end):
            file.seek(state.end - len(self._tail))
            return file.read(len(self._tail)) == self._tail
        self._forget()
        file.seek(0)
        crc, left = 0, state.end
        while left and (part := file.read(min(left, _PART))):
            crc, left = zlib.crc32(part, crc), left - len(part)
        if left or crc != state.crc:
            return False
        self._be_sure(state, file)
        return True

    def _be_sure(self, state: _State, file: io.BufferedReader) -> None:
        """Know by the file itself and its last bytes, from now on, that the rows are its."""
        self._sure = state.token, os.fstat(file.fileno()).st_ino, state.end
        file.seek(max(0, state.end - _TAIL))
        self._tail = file.read(min(state.end, _TAIL))

    def _read_rows(self, places: Sequence[int]) -> Iterator[run_log.SampleRow]:
        assert self._header is not None  # `read` read it
        lines = self._ask(partial(row_tables.find_lines, places=places))
        with run_log.wrap_log_errors(self._path) as place, open_regular(self._path) as file:
            for key, number, start, size in lines:
                place.line = number
                file.seek(start)
                found, row = run_log.read_line(file.read(size))
                if found != key:
                    self._stamp = None
                    self._forget()
                    raise ValueError("another row than it was")
                yield from run_log.count_failures(self._header, [row])

    def _remember(self, rows: Mapping[int, run_log.SampleRow]) -> None:
        if len(self._known) + len(rows) > _KNOWN:
            self._known.clear()
        if len(rows) <= _KNOWN:
            self._known.update(rows)


class _LoggedRows(Sequence[run_log.SampleRow]):
    """The rows of a log: read one by one, or all at once when all are wanted."""

    def __init__(self, run: RunRows, size: int) -> None:
        self._run, self._size = run, size

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> run_log.SampleRow: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[run_log.SampleRow]: ...
    def __getitem__(self, at: int | slice) -> run_log.SampleRow | Sequence[run_log.SampleRow]:
        if isinstance(at, slice) or "_all" in self.__dict__:
            return self._all[at]
        return self._run.rows([range(self._size)[at]])[0]

    def __iter__(self) -> Iterator[run_log.SampleRow]:
        return iter(self._all)

    @cached_property
    def _all(self) -> tuple[run_log.SampleRow, ...]:
        return tuple(self._run.rows(range(self._size)))


def fill_file(directory: str) -> None:
    """Bring the file of the rows of the run in `directory` up to date.

    Raises:
        RunLogError: its log cannot be read.
    """
    path = Path(directory)
    RunRows(path, CatalogFile(path, LAYOUT)).read()


def log_stamp(directory: Path) -> Stamp:
    """A value that changes whenever the log of a run does.

    Raises:
        RunLogError: there is none.
    """
    try:
        found = (directory / run_log.FILE).stat()
    except OSError as error:
        raise RunLogError(f"{directory}: cannot be read: {error.strerror}") from error
    return found.st_mtime_ns, found.st_size


def _read_state(connection: sqlite3.Connection) -> _State:
    """The state of the rows; that of none where it is of another version."""
    (text,) = connection.execute("SELECT text FROM state").fetchone()
    try:
        return _STATE.validate_python(json.loads(text)) if text else _State()
    except (ValueError, ValidationError):
        return _State()
