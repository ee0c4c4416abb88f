"""What trainers' formats are made of: rows of samples, as a JSON list or as JSON lines."""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from tapwright.formats.exporters.training_set import SftSettings, SftWriter, Split, TrainingSample
from tapwright.formats.exporters.turns import JsonObject

# Each write releases Python's lock to another thread, and this one then waits for its turn.
BUFFER = 1 << 20
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


class RowWriter(Protocol):
    """Writes rows to a file or to a series of shards."""

    def add(self, row: Any) -> None:
        """Write one row, as its format has it."""

    def close(self) -> None:
        """Write what is buffered and close the file."""


class SplitWriter:
    """Writes rows by their split; a split's file is created with its first row."""

    def __init__(self, make: Callable[[Split], RowWriter]) -> None:
        self._make = make
        self.writers: dict[Split, RowWriter] = {}

    def add(self, split: Split, row: object) -> None:
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
        row: Callable[[TrainingSample], object],
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


class JsonRows(SampleRows):
    """Writes rows of JSON, each of which is made of its sample alone, in whichever process."""

    def __init__(
        self,
        make: Callable[[Split], RowWriter],
        row: Callable[[TrainingSample], JsonObject],
        finish: Callable[[Collection[Split]], object] = lambda _: None,
    ) -> None:
        super().__init__(make, self.render, finish)
        self._describe = row

    def render(self, sample: TrainingSample) -> bytes:
        """The row of a sample, for `write`."""
        return encode_row(self._describe(sample))

    def write(self, split: Split, row: bytes) -> None:
        """Write a row."""
        self._sets.add(split, row)


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
        self._file = path.open("wb", buffering=BUFFER)
        self._empty = True

    def add(self, row: bytes) -> None:
        """Write one item, as `encode_row` has it."""
        self._file.write((b"[\n" if self._empty else b",\n") + row)
        self._empty = False

    def close(self) -> None:
        """Write the end of the list."""
        self._file.write(b"\n]\n")
        self._file.close()


class JsonLinesWriter:
    """Writes one JSON object per line."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=BUFFER)

    def add(self, row: bytes) -> None:
        """Write one line, as `encode_row` has it."""
        self._file.write(row + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def json_lines(
    directory: Path,
    row: Callable[[TrainingSample], JsonObject],
    finish: Callable[[Collection[Split]], object] = lambda _: None,
) -> JsonRows:
    """Writes `train.jsonl` and `val.jsonl`."""
    return JsonRows(lambda split: JsonLinesWriter(directory / f"{split}.jsonl"), row, finish)


def write_json(path: Path, value: JsonValue) -> None:
    """Write one JSON value, indented so that people can read it."""
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def encode_row(row: JsonObject) -> bytes:
    """A row as JSON, in one line without its end."""
    return _ENCODE(row).encode()
