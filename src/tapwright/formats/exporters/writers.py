"""What trainers' formats are made of: rows of samples, as a JSON list or as JSON lines."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from tapwright.formats.exporters.training_set import SftSettings, SftWriter, Split, TrainingSample

# Each write releases Python's lock to another thread, and this one then waits for its turn.
_BUFFER = 1 << 20
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


class RowWriter(Protocol):
    """Writes rows to a file or to a series of shards."""

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row."""

    def close(self) -> None:
        """Write what is buffered and close the file."""


class SplitWriter:
    """Writes rows by their split; a split's file is created with its first row."""

    def __init__(self, make: Callable[[Split], RowWriter]) -> None:
        self._make = make
        self.writers: dict[Split, RowWriter] = {}

    def add(self, split: Split, row: Mapping[str, Any]) -> None:
        """Write one row of a split."""
        if split not in self.writers:
            self.writers[split] = self._make(split)
        self.writers[split].add(row)

    def close(self) -> None:
        """Close the files of every split."""
        for writer in self.writers.values():
            writer.close()


class SampleRows:
    """Writes a row of each sample; `finish` writes what a set has beside its rows."""

    def __init__(
        self,
        make: Callable[[Split], RowWriter],
        row: Callable[[TrainingSample], Mapping[str, Any]],
        finish: Callable[[Collection[Split]], object] = lambda _: None,
    ) -> None:
        self._sets = SplitWriter(make)
        self._row, self._finish = row, finish

    def add(self, sample: TrainingSample) -> None:
        """Write the row of a sample."""
        self._sets.add(sample.split, self._row(sample))

    def close(self) -> None:
        """Close the files of every split, and finish the set."""
        self._sets.close()
        self._finish(self._sets.writers)


@dataclass(frozen=True, slots=True)
class Trainer:
    """The format of one trainer, an `SftFormat`: what writes its sets, and what checks one."""

    name: str
    writer: Callable[[Path, SftSettings], SftWriter]
    check: Callable[[Path], int]
    writes_image_files: bool = False
    learns_from_play: bool = False
    takes_follow_ups: bool = False


class JsonListWriter:
    """Writes a JSON list with a line for each item."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=_BUFFER)
        self._empty = True

    def add(self, row: Mapping[str, JsonValue]) -> None:
        """Write one item."""
        self._file.write((b"[\n" if self._empty else b",\n") + _encode_row(row))
        self._empty = False

    def close(self) -> None:
        """Write the end of the list."""
        self._file.write(b"\n]\n")
        self._file.close()


class JsonLinesWriter:
    """Writes one JSON object per line."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=_BUFFER)

    def add(self, row: Mapping[str, JsonValue]) -> None:
        """Write one line."""
        self._file.write(_encode_row(row) + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def json_lines(directory: Path, row: Callable[[TrainingSample], Mapping[str, Any]]) -> SampleRows:
    """Writes `train.jsonl` and `val.jsonl`."""
    return SampleRows(lambda split: JsonLinesWriter(directory / f"{split}.jsonl"), row)


def write_json(path: Path, value: JsonValue) -> None:
    """Write one JSON value, indented so that people can read it."""
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def _encode_row(row: Mapping[str, JsonValue]) -> bytes:
    return _ENCODE(row).encode()
