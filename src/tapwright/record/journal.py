"""What a demonstration is about and what was asked of it: a crash repeats and loses nothing.

    <store>/.recording/<episode>.jsonl
        the opening                     who records what on which device
        begun   a command, and the step that it makes, as far as it is known before it is done
        failed  the key of a command that came to nothing, and why

A command's line is on disk before it is done. Whether it reached the episode is told by how many
steps that had at the next line, or has now: a crash or a full disk may have come between. The file
is removed when the demonstration has ended.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field, TypeAdapter

from tapwright.errors import TapwrightError
from tapwright.files.atomic import wrap_disk_errors, write_atomically
from tapwright.files.jsonl import JsonlWriter, from_json, line_error, split_lines, to_json
from tapwright.record.commands import Command
from tapwright.record.errors import JournalError
from tapwright.store.lines import wrap_read_errors
from tapwright.store.records import FrozenRecord, StepRecord

__all__ = ["Begun", "Failed", "Journal", "Opening", "Past", "open_journals"]

_DIRECTORY = ".recording"


class Opening(FrozenRecord):
    """What a demonstration is about; `episode` is its id, `place` the device's name for the app."""

    type: Literal["opening"] = "opening"
    episode: str
    owner: str
    place: str
    instruction: str
    suite: str = ""
    task: str = ""
    assignment: int | None = None
    created: str


class Begun(FrozenRecord):
    """A command is about to be done, with so many steps there and taken back."""

    type: Literal["begun"] = "begun"
    command: Command
    steps: int
    undone: int
    step: StepRecord | None = None


class Failed(FrozenRecord):
    """A command came to nothing."""

    type: Literal["failed"] = "failed"
    key: str
    code: str
    message: str
    hint: str = ""


_Line: TypeAlias = Annotated[Opening | Begun | Failed, Field(discriminator="type")]
_LINE: TypeAdapter[Opening | Begun | Failed] = TypeAdapter(_Line)


@dataclass(frozen=True, slots=True)
class Past:
    """What a journal says: what was begun and did not fail, in order; and what failed, by key."""

    opening: Opening
    begun: tuple[Begun, ...]
    failed: dict[str, Failed]


class Journal:
    """The journal of one demonstration, open for more lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unsaid: list[Failed] = []
        with wrap_read_errors(path):
            path.stat()
        self._file = JsonlWriter(path)
        self.past = _read(self._file.recover(), path)

    @classmethod
    def begin(cls, store: Path, opening: Opening) -> "Journal":
        """A new journal, which is on disk before this returns.

        Raises:
            DiskError: the disk is full or not writable.
        """
        path = _path(store, opening.episode)
        write_atomically(path, to_json(opening) + b"\n")
        return cls(path)

    @classmethod
    def of(cls, store: Path, episode: str) -> "Journal":
        """The journal of a demonstration that was not ended.

        Raises:
            JournalError: it cannot be read, or is none.
        """
        return cls(_path(store, episode))

    def begun(self, begun: Begun) -> None:
        """Write down what is about to be done.

        Raises:
            DiskError: the disk is full or not writable; then nothing may be done.
        """
        while self._unsaid:  # without these, what failed would seem to have been done
            self._write(self._unsaid[0])
            del self._unsaid[0]
        self._write(begun)

    def failed(self, key: str, error: TapwrightError) -> None:
        """Write down that it came to nothing; on a full disk, as soon as there is room."""
        line = Failed(key=key, code=error.code, message=str(error), hint=error.hint)
        self._unsaid.append(line)
        try:
            self._write(line)
        except TapwrightError:
            return
        self._unsaid.remove(line)

    def close(self) -> None:
        """Close the file; more than once is allowed."""
        self._file.close()

    def remove(self) -> None:
        """The demonstration has ended."""
        self.close()
        with wrap_disk_errors(self.path):
            self.path.unlink(missing_ok=True)

    def _write(self, line: BaseModel) -> None:
        self._file.append(to_json(line))


def open_journals(store: Path) -> list[Past]:
    """What the journals below a store say, the oldest first; a broken one is left out."""
    found: list[Past] = []
    for path in sorted((store / _DIRECTORY).glob("*.jsonl")):
        try:
            with wrap_read_errors(path):
                data = path.read_bytes()
            found.append(_read(split_lines(data).lines, path))
        except TapwrightError:
            continue
    return found


def _path(store: Path, episode: str) -> Path:
    return store / _DIRECTORY / f"{episode}.jsonl"


def _read(lines: Iterable[bytes], path: Path) -> Past:
    opening: Opening | None = None
    begun: dict[str, Begun] = {}
    failed: dict[str, Failed] = {}
    for number, line in enumerate(lines, start=1):
        try:
            match from_json(_LINE, line):
                case Opening() as found if number == 1:
                    opening = found
                case Begun(command=command) as found:
                    begun.pop(command.key, None)  # it came to nothing the first time
                    begun[command.key] = found
                case Failed(key=key) as found:
                    failed[key] = found
                    begun.pop(key, None)
                case Opening():
                    raise JournalError(f"{path}, line {number}: a second opening")
        except (ValueError, RecursionError) as error:
            hint = "the steps of the episode are intact; remove the journal to give it up"
            raise line_error(JournalError, path, number, "a journal's line", error, hint) from error
    if opening is None:
        raise JournalError(f"{path}: not a journal: its first line is no opening")
    return Past(opening, tuple(begun.values()), failed)
