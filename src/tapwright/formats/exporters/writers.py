"""Writers of a training set's rows: a JSON list, or JSON lines."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from tapwright.formats.exporters.training_set import Split

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


def write_json(path: Path, value: JsonValue) -> None:
    """Write one JSON value, indented so that people can read it."""
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def _encode_row(row: Mapping[str, JsonValue]) -> bytes:
    return _ENCODE(row).encode()
