"""The index of a long run, kept beside its log, so that its first look need not read the log.

It is never the truth: it holds for the beginning of one log, byte by byte, for one version of
tapwright, and only while it is whole; else it is made again. `keep_index` makes it, in a process of
its own (`processes.run_apart`), because that takes a second for each 15,000 rows. `growing_run`
goes on from it.
"""

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from tapwright import __version__
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
from tapwright.evaluate.run_tally import RunTally
from tapwright.files.atomic import write_atomically
from tapwright.files.jsonl import whole_lines
from tapwright.files.regular import open_regular
from tapwright.models.model import Usage
from tapwright.web.library.row_entries import RowEntries
from tapwright.web.library.run_index import SORT_KEYS, Column, RowTexts, RunIndex

__all__ = ["INDEX", "KeptRun", "RowsOnDisk", "keep_index", "read_kept"]

INDEX = ".run-index"
_VERSION = f"3 {__version__}"
_DIGEST_SIZE = 32
_PART = 1 << 20
_KNOWN = 4000


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A log whose rows are read when they are asked for, their index, and their tally.

    All are of the first `end` bytes of the file `inode`, `line_count` lines whose last is `last`.
    """

    log: RunLog
    rows: "RowsOnDisk"
    index: RunIndex
    tally: RunTally
    inode: int
    end: int
    line_count: int
    last: bytes


class RowsOnDisk(Sequence[SampleRow]):
    """Rows of a log by where their lines are: read one by one, or all at once when all are wanted.

    Some thousands that were read last are kept.
    """

    def __init__(
        self,
        file: Path,
        header: RunHeader,
        lines: NDArray[np.int64],
        known: dict[int, SampleRow] | None = None,
    ) -> None:
        self._file, self._header, self._lines = file, header, lines
        self._known: dict[int, SampleRow] = {} if known is None else known

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, at: int) -> SampleRow: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[SampleRow]: ...
    def __getitem__(self, at: int | slice) -> SampleRow | Sequence[SampleRow]:
        if isinstance(at, slice) or "_all" in self.__dict__:
            return self._all[at]
        place = range(len(self))[at]
        found = self._known.get(place)
        if found is None:
            (found,) = self._read([place])
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[place] = found
        return found

    def __iter__(self) -> Iterator[SampleRow]:
        return iter(self._all)

    def and_lines(self, lines: NDArray[np.int64]) -> "RowsOnDisk":
        """These rows, and those whose lines these are, of shape (rows, 3): number, start, size."""
        whole = np.concatenate([self._lines, lines])
        return RowsOnDisk(self._file, self._header, whole, self._known)

    @cached_property
    def _all(self) -> tuple[SampleRow, ...]:
        return self._read(range(len(self)))

    def _read(self, places: Sequence[int]) -> tuple[SampleRow, ...]:
        rows: list[SampleRow] = []
        with wrap_log_errors(self._file) as place, open_regular(self._file) as file:
            for at in places:
                number, start, size = self._lines[at].tolist()
                place.line = number
                file.seek(start)
                rows.append(read_line(file.read(size))[1])
        return count_failures(self._header, rows)


def keep_index(directory: str) -> None:
    """Write the index of the run in `directory`, of its whole lines, beside its log.

    Raises:
        RunLogError: its log cannot be read.
        DiskError: there is no room for it, or no right to write there.
    """
    path = Path(directory, FILE)
    rows: dict[str, SampleRow] = {}
    lines: dict[str, tuple[int, int, int]] = {}
    with wrap_log_errors(path) as place, open_regular(path) as file:
        first = next(file, b"")
        header, _ = read_header(first)
        digest, end = hashlib.sha256(first), len(first)
        for at, line in whole_lines(file, start=2):
            place.line = at
            key, rows[key] = read_line(line)
            lines[key] = at, end, len(line)
            digest.update(line)
            end += len(line)
    counted = count_failures(header, tuple(rows.values()))
    index, tally = RowEntries(counted).index(), RunTally.of(counted)
    log = f"{digest.hexdigest()} {end}"
    write_atomically(Path(directory, INDEX), _encode(log, index, tally, list(lines.values())))


def read_kept(directory: Path) -> KeptRun | None:
    """The run in `directory` by its kept index; None where its log does not begin as that says."""
    path = directory / FILE
    try:
        with open_regular(directory / INDEX) as kept:
            data = kept.read()
        payload = data[_DIGEST_SIZE:]
        if hashlib.sha256(payload).digest() != data[:_DIGEST_SIZE]:
            return None
        with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
            found = dict(arrays)
        head, lines = json.loads(found["head"].tobytes()), found["lines"]
        end = int(head["log"].rpartition(" ")[2])
        with open_regular(path) as file:
            if [head["version"], head["log"]] != [_VERSION, _digest(file, end)]:
                return None
            file.seek(0)
            header, created = read_header(next(file, b""))
            line_count, start, size = lines[np.argmax(lines[:, 1])].tolist()
            file.seek(start)
            last, inode = file.read(size), os.fstat(file.fileno()).st_ino
        index, rows = _decode_index(head, found), RowsOnDisk(path, header, lines)
        return KeptRun(
            RunLog(path, header, created, rows),
            rows,
            index,
            RunTally.of_columns(
                {name: (one.values, one.codes) for name, one in index.label_columns.items()},
                Usage(**head["usage"]),
                found["numbers"],
                found["flags"],
            ),
            inode=inode,
            end=end,
            line_count=line_count,
            last=last,
        )
    except (OSError, ValueError, KeyError, TypeError, EOFError, ValidationError):
        return None  # whatever is wrong with it: the log is the truth


def _digest(file: io.BufferedReader, size: int) -> str:
    """The hash of the first bytes of a file, so many, and how many there are."""
    digest, left = hashlib.sha256(), size
    while left and (part := file.read(min(left, _PART))):
        digest.update(part)
        left -= len(part)
    return f"{digest.hexdigest()} {size - left}"


def _encode(
    log: str, index: RunIndex, tally: RunTally, lines: Sequence[tuple[int, int, int]]
) -> bytes:
    columns = {"verdict": index.verdict_column, "mistake": index.mistake_column}
    labels = {f"label {name}": column for name, column in index.label_columns.items()}
    head = {
        "version": _VERSION,
        "log": log,
        "usage": asdict(tally.usage),
        "keys": index.keys,
        "samples": index.samples,
        "text": index.texts.text,
        "labels": index.labels,
        "values": {name: column.values for name, column in (columns | labels).items()},
    }
    arrays: dict[str, NDArray[np.generic]] = {
        "head": np.frombuffer(json.dumps(head).encode(), np.uint8),
        "lines": np.array(lines, np.int64).reshape(-1, 3),
        "ends": index.texts.ends,
        "numbers": np.array([tally.scores, tally.started, tally.ended], np.float64),
        "flags": np.frombuffer(tally.flags, np.uint8),
        **{f"codes {name}": column.codes for name, column in (columns | labels).items()},
        **{f"order {name}": index.orders(name) for name in (*SORT_KEYS, *index.labels)},
    }
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    payload = file.getvalue()
    return hashlib.sha256(payload).digest() + payload


def _decode_index(head: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> RunIndex:
    columns = {
        name: Column(values, arrays[f"codes {name}"]) for name, values in head["values"].items()
    }
    return RunIndex(
        head["keys"],
        head["samples"],
        RowTexts(head["text"], arrays["ends"]),
        verdicts=columns["verdict"],
        mistakes=columns["mistake"],
        labels={name: columns[f"label {name}"] for name in head["labels"]},
        orders=lambda name: arrays[f"order {name}"],
    )
