"""The walk that importers share whose formats are files, each of which can be read by itself."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tapwright.core.episode import Episode
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record
from tapwright.formats.importers.account import note_file
from tapwright.formats.importers.known_sources import read_head
from tapwright.formats.importers.parquet_rows import TABLES, has_columns, read_json_rows
from tapwright.formats.json_items import read_items

__all__ = [
    "FileImporter",
    "FileKind",
    "marked_json",
    "marked_lines",
    "marked_records",
    "read_file",
]

_HEAD_BYTES = 256
_LIST = re.compile(rb"(\xef\xbb\xbf)?\s*\[")
_SPREAD = re.compile(rb"(\xef\xbb\xbf)?\s*\{\s*\n")
"""One record in many lines."""

ReadFile: TypeAlias = Callable[[Path], Iterator[Episode | UnreadableEpisode]]


@dataclass(frozen=True, slots=True)
class FileKind:
    """Files of a format: what they are called, whether a file is one, and how one is read.

    `called` is for people: ".json file".
    """

    patterns: tuple[str, ...]
    called: str
    recognizes: Callable[[Path], bool]
    read: ReadFile

    def is_called(self, name: str) -> bool:
        """Whether files of this kind have such names."""
        return any(fnmatchcase(name.lower(), pattern) for pattern in self.patterns)


class FileImporter:
    """An importer of files of one kind or a few."""

    def __init__(self, name: str, *kinds: FileKind) -> None:
        self.name, self._kinds = name, kinds

    def recognizes(self, path: Path) -> bool:
        """Whether it is a file of one of the kinds."""
        return any(kind.recognizes(path) for kind in self._kinds)

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episodes in a file, or in the files below a directory.

        Raises:
            ForeignDataError: no such file is there, or a line is longer than 256 MB.
        """
        found = False
        for file in self._find_files(path):
            found = True
            yield from self._kind_of(file).read(file)
        if not found:
            called = " or ".join(dict.fromkeys(kind.called for kind in self._kinds))
            raise ForeignDataError(f"{path}: no {called} in it")

    def _find_files(self, path: Path) -> Iterable[Path]:
        patterns = (name for kind in self._kinds for name in kind.patterns)
        return foreign_record.find_files(path, *patterns)

    def _kind_of(self, file: Path) -> FileKind:
        """The kind of a file by its name, and its content where some are called alike."""
        called = [one for one in self._kinds if one.is_called(file.name)] or self._kinds
        return next((one for one in called[:-1] if one.recognizes(file)), called[-1])


def marked_json(read: ReadFile, *marks: bytes) -> FileKind:
    """JSON files that have all of the marks."""
    return FileKind(("*.json",), ".json file", partial(_has, ".json", marks), read)


def marked_lines(read: ReadFile, *marks: bytes) -> FileKind:
    """Files of JSON lines, one of which has all of the marks."""
    return FileKind(("*.jsonl", "*.ndjson"), ".jsonl file", partial(_has, ".jsonl", marks), read)


def marked_records(build: Callable[[Path, bytes, str], Episode], *marks: str) -> FileKind:
    """Files with an episode in each record, which has fields of these names.

    Records are lines, items of a list of JSON, or rows of a table; each comes to `build` as JSON,
    with its file and its place.
    """

    def recognizes(path: Path) -> bool:
        quoted = tuple(f'"{mark}"'.encode() for mark in marks)
        lines = _has(".jsonl", quoted, path) or _has(".json", quoted, path)
        return lines or has_columns(path, *marks)

    def read(file: Path) -> Iterator[Episode | UnreadableEpisode]:
        for where, record in _read_records(file):
            yield foreign_record.read_or_report(where, partial(build, file, record, where))

    patterns = ("*.jsonl", "*.ndjson", "*.json", *(f"*{suffix}" for suffix in TABLES))
    return FileKind(patterns, ".jsonl file", recognizes, read)


def _read_records(file: Path) -> Iterator[tuple[str, bytes]]:
    suffix, head = file.suffix.lower(), read_head(file, _HEAD_BYTES)
    if suffix in TABLES:
        return read_json_rows(file)
    if suffix == ".json" and _LIST.match(head):
        return _read_items(file)
    if suffix == ".json" and _SPREAD.match(head):
        return iter([(str(file), foreign_record.read_bytes(file))])
    return foreign_record.read_lines(file)


def _read_items(file: Path) -> Iterator[tuple[str, bytes]]:
    note_file(file)
    number = 0
    try:
        for item in read_items(file):
            yield f"{file}, item {number}", json.dumps(item).encode()
            number += 1
    except (OSError, ValueError, RecursionError) as error:
        raise ForeignDataError(f"{file}: not a list of JSON: {error}") from error


def _has(suffix: str, marks: tuple[bytes, ...], path: Path) -> bool:
    return foreign_record.head_contains(path, suffix, *marks)


def read_file(build: Callable[[Path], Episode]) -> ReadFile:
    """Reads the one episode of a file, which `build` makes."""

    def read(file: Path) -> Iterator[Episode | UnreadableEpisode]:
        yield foreign_record.read_or_report(str(file), partial(build, file))

    return read
