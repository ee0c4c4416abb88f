"""Episodes whose steps are read on access, so that an edit of one step reads one.

They equal what `read_episode` returns. A line that is not a step raises on access, and an edit that
does not access it leaves it as it is.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from tapwright.core.episode import Episode, Step
from tapwright.errors import CorruptEpisodeError
from tapwright.files.jsonl import split_lines
from tapwright.files.regular import read_part
from tapwright.store.lines import (
    apply_revisions,
    read_file,
    read_header,
    read_line,
    read_numbered_lines,
    wrap_read_errors,
)
from tapwright.store.packing import unpack_episode, unpack_step
from tapwright.store.records import EndRecord, StepRecord

__all__ = ["LazyStep", "StepLine", "list_step_lines", "open_lazily", "read_step"]

_FIELDS = tuple(field.name for field in fields(Step))
_STEP_STARTS = (b'{"type":"step"', b'{"type": "step"')
"""How the lines of steps begin; any other is read at once."""


class LazyStep(Step):
    """A step that `read` returns when one of its fields is first accessed."""

    __slots__ = ("_read",)
    _read: Callable[[], Step]

    @classmethod
    def of(cls, read: Callable[[], Step]) -> "LazyStep":
        """A step that has not been read yet."""
        made = cls.__new__(cls)
        object.__setattr__(made, "_read", read)
        return made

    @property
    def unread(self) -> bool:
        """Whether no field has been accessed yet."""
        try:
            object.__getattribute__(self, _FIELDS[0])
        except AttributeError:
            return True
        return False

    def __getattr__(self, name: str) -> Any:
        # Python calls this for what is not set, and an unread step has no field set.
        if name not in _FIELDS:
            raise AttributeError(f"a step has no {name!r}")
        step = self._read()
        for field in _FIELDS:
            object.__setattr__(self, field, getattr(step, field))
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))


def open_lazily(directory: Path, place: Path) -> Episode:
    """The version at `place` of the episode in `directory`, its steps unread.

    Raises:
        CorruptEpisodeError: the header or the end cannot be read; errors of steps come on access.
        SchemaVersionError: another version of tapwright wrote it.
    """
    header = read_header(place / "episode.json")
    return unpack_episode(
        header, _read_lazily(place / "steps.jsonl", directory), directory, read_file
    )


def _read_lazily(path: Path, directory: Path) -> Iterator[Step | StepRecord | EndRecord]:
    for number, line in read_numbered_lines(path):
        if line.startswith(_STEP_STARTS):
            yield LazyStep.of(partial(_read_step, line, path, number, directory))
        else:
            yield read_line(line, path, number)


def _read_step(line: bytes, path: Path | str, number: int, directory: Path | str) -> Step:
    record = read_line(line, path, number)
    if not isinstance(record, StepRecord):  # it was one, by how it began
        raise CorruptEpisodeError(f"{path}, line {number}: not a step any more")
    return unpack_step(record, directory, read_file)


@dataclass(frozen=True, slots=True)
class StepLine:
    """Where the line of a step is in its `steps.jsonl`; `text` is that of one with a note."""

    number: int
    start: int
    length: int
    text: bytes = b""


def list_step_lines(path: Path) -> list[StepLine]:
    """Where the steps of a `steps.jsonl` are that were not undone.

    Raises:
        CorruptEpisodeError: the file cannot be read, or undoes a step that does not exist.
    """
    lines = split_lines(read_file(path)).lines
    begins = [0, *accumulate(len(line) + 1 for line in lines)]
    return [
        StepLine(number, begins[number - 1], len(line), b"" if line is lines[number - 1] else line)
        for number, line in apply_revisions(lines, path).kept
        if line.startswith(_STEP_STARTS) or isinstance(read_line(line, path, number), StepRecord)
    ]


def read_step(directory: Path | str, path: str, line: StepLine) -> Step:
    """A step of the episode in `directory`, by its line in the `steps.jsonl` at `path`.

    Raises:
        CorruptEpisodeError: it cannot be read.
    """
    with wrap_read_errors(path):
        text = line.text or read_part(path, line.start, line.length)
    return _read_step(text, path, line.number, directory)


def _values(step: Step) -> tuple[object, ...]:
    return tuple(getattr(step, field) for field in _FIELDS)
