"""The index of a long run, kept beside its log, so that its first look need not read the log.

It is never the truth: it holds for one log, byte by byte, for one version of tapwright, and only
while it is whole; else it is made again. `keep_index` makes it, in a process of its own
(`processes.run_apart`), because that takes a second for each 15,000 rows.
"""

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from tapwright import __version__
from tapwright.evaluate.report_data import log_warnings
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
from tapwright.files.atomic import write_atomically
from tapwright.files.jsonl import whole_lines
from tapwright.files.regular import open_regular
from tapwright.web.library.row_entries import RowEntries
from tapwright.web.library.run_index import SORT_KEYS, Column, RowTexts, RunIndex
from tapwright.web.library.run_views import RunFigures, summary_view, table_views

__all__ = ["INDEX", "KeptRun", "keep_index", "read_kept"]

INDEX = ".run-index"
_VERSION = f"1 {__version__}"
_DIGEST_SIZE = 32
_FIGURES = TypeAdapter(RunFigures)


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A log whose rows are read when they are asked for, its index and its figures."""

    log: RunLog
    index: RunIndex
    figures: RunFigures


class _RowsOnDisk(Sequence[SampleRow]):
    """Rows of a log by where their lines are; each is read anew, all of them once."""

    def __init__(self, file: Path, header: RunHeader, lines: NDArray[np.int64]) -> None:
        self._file, self._header, self._lines = file, header, lines

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, at: int) -> SampleRow: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[SampleRow]: ...
    def __getitem__(self, at: int | slice) -> SampleRow | Sequence[SampleRow]:
        if isinstance(at, slice) or "_all" in self.__dict__:
            return self._all[at]
        (found,) = self._read([int(at)])
        return found

    def __iter__(self) -> Iterator[SampleRow]:
        return iter(self._all)

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
    """Write the index of the run in `directory` beside its log, if that does not change meanwhile.

    Raises:
        RunLogError: its log cannot be read.
        DiskError: there is no room for it, or no right to write there.
    """
    path = Path(directory, FILE)
    rows: dict[str, SampleRow] = {}
    lines: dict[str, tuple[int, int, int]] = {}
    with wrap_log_errors(path) as place, open_regular(path) as file:
        log = _digest(file)
        file.seek(0)
        first = next(file, b"")
        header, created = read_header(first)
        end = len(first)
        for at, line in whole_lines(file, start=2):
            place.line = at
            key, rows[key] = read_line(line)
            lines[key] = at, end, len(line)
            end += len(line)
        if _digest(file) != log:
            return
    counted = count_failures(header, tuple(rows.values()))
    whole = RunLog(path, header, created, counted)
    index = RowEntries(counted).index()
    figures = RunFigures(
        summary_view("", whole), table_views(whole, index.labels), tuple(log_warnings([whole]))
    )
    write_atomically(Path(directory, INDEX), _encode(log, index, figures, list(lines.values())))


def read_kept(directory: Path) -> KeptRun | None:
    """The run in `directory` by its kept index; None where that is not about the log as it is."""
    path = directory / FILE
    try:
        with open_regular(directory / INDEX) as kept:
            data = kept.read()
        payload = data[_DIGEST_SIZE:]
        if hashlib.sha256(payload).digest() != data[:_DIGEST_SIZE]:
            return None
        with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
            found = dict(arrays)
        head = json.loads(found["head"].tobytes())
        with open_regular(path) as file:
            if [head["version"], head["log"]] != [_VERSION, _digest(file)]:
                return None
            file.seek(0)
            header, created = read_header(next(file, b""))
        return KeptRun(
            RunLog(path, header, created, _RowsOnDisk(path, header, found["lines"])),
            _decode_index(head, found),
            _FIGURES.validate_python(head["figures"]),
        )
    except (OSError, ValueError, KeyError, TypeError, EOFError, ValidationError):
        return None  # whatever is wrong with it: the log is the truth


def _digest(file: io.BufferedReader) -> str:
    """The hash of all of a file, and its size."""
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256")
    return f"{digest.hexdigest()} {file.tell()}"


def _encode(
    log: str, index: RunIndex, figures: RunFigures, lines: Sequence[tuple[int, int, int]]
) -> bytes:
    columns = {"verdict": index.verdict_column, "mistake": index.mistake_column}
    labels = {f"label {name}": column for name, column in index.label_columns.items()}
    head = {
        "version": _VERSION,
        "log": log,
        "figures": _FIGURES.dump_python(figures, mode="json"),
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
