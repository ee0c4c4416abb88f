"""The walk that importers share whose formats are files, each of which can be read by itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tapwright.core.episode import Episode
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record

__all__ = ["FileImporter", "FileKind", "marked_json", "marked_lines", "read_each_line", "read_file"]

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
        for file in foreign_record.find_files(
            path, *(name for kind in self._kinds for name in kind.patterns)
        ):
            found = True
            yield from self._kind_of(file).read(file)
        if not found:
            called = " or ".join(kind.called for kind in self._kinds)
            raise ForeignDataError(f"{path}: no {called} in it")

    def _kind_of(self, file: Path) -> FileKind:
        """The kind of a file's name; the first where that is none's."""
        return next((one for one in self._kinds if one.is_called(file.name)), self._kinds[0])


def marked_json(read: ReadFile, *marks: bytes) -> FileKind:
    """JSON files that have all of the marks."""
    return FileKind(("*.json",), ".json file", partial(_has, ".json", marks), read)


def marked_lines(read: ReadFile, *marks: bytes) -> FileKind:
    """Files of JSON lines, one of which has all of the marks."""
    return FileKind(("*.jsonl",), ".jsonl file", partial(_has, ".jsonl", marks), read)


def _has(suffix: str, marks: tuple[bytes, ...], path: Path) -> bool:
    return foreign_record.head_contains(path, suffix, *marks)


def read_file(build: Callable[[Path], Episode]) -> ReadFile:
    """Reads the one episode of a file, which `build` makes."""

    def read(file: Path) -> Iterator[Episode | UnreadableEpisode]:
        yield foreign_record.read_or_report(str(file), partial(build, file))

    return read


def read_each_line(build: Callable[[Path, bytes, str], Episode]) -> ReadFile:
    """Reads an episode from each line of a file; `build` gets file, line and place."""

    def read(file: Path) -> Iterator[Episode | UnreadableEpisode]:
        for where, line in foreign_record.read_lines(file):
            yield foreign_record.read_or_report(where, partial(build, file, line, where))

    return read
