"""The write-ahead log of a demonstration, by which a crash repeats and loses nothing.

    <store>/.recording/<episode>.jsonl
        opening  the header: who records what on which device
        begun    a command, and the step that it makes, as far as known before it is executed
        failed   the key of a command that failed, and why

A command's line is on disk before it is executed. Whether it reached the episode shows in the
number of steps at the next line, or now: a crash or a full disk may have come between. The file is
removed when the demonstration has ended.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field, TypeAdapter

from tapwright.errors import TapwrightError
from tapwright.files.atomic import wrap_disk_errors, write_inside
from tapwright.files.jsonl import JsonlWriter, from_json, line_error, split_lines, to_json
from tapwright.files.regular import read_regular
from tapwright.record.commands import Command
from tapwright.record.errors import JournalError
from tapwright.store.lines import wrap_read_errors
from tapwright.store.records import FrozenRecord, StepRecord

__all__ = [
    "CommandBegun", "CommandFailed", "Journal", "JournalContents", "JournalHeader", "read_journals",
]  # fmt: skip

_DIRECTORY = ".recording"


class JournalHeader(FrozenRecord):
    """Who records what: `episode` is its id, `place` the name of the device in the app."""

    type: Literal["opening"] = "opening"
    episode: str
    owner: str
    place: str
    instruction: str
    suite: str = ""
    task: str = ""
    assignment: int | None = None
    created: str


class CommandBegun(FrozenRecord):
    """A command is about to be executed, while the episode has so many steps and undone ones."""

    type: Literal["begun"] = "begun"
    command: Command
    steps: int
    undone: int
    step: StepRecord | None = None


class CommandFailed(FrozenRecord):
    """A command failed, and had no effect."""

    type: Literal["failed"] = "failed"
    key: str
    code: str
    message: str
    hint: str = ""


_Line: TypeAlias = Annotated[
    JournalHeader | CommandBegun | CommandFailed, Field(discriminator="type")
]
_LINE: TypeAdapter[JournalHeader | CommandBegun | CommandFailed] = TypeAdapter(_Line)


@dataclass(frozen=True, slots=True)
class JournalContents:
    """What a journal holds: the commands that did not fail, in order; and the failed, by key."""

    header: JournalHeader
    commands: tuple[CommandBegun, ...]
    failed: dict[str, CommandFailed]


class Journal:
    """The journal of one demonstration, open for more lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unwritten: list[CommandFailed] = []
        with wrap_read_errors(path):
            path.stat()
        self._file = JsonlWriter(path)
        self.contents = _parse_journal(self._file.recover(), path)

    @classmethod
    def create(cls, store: Path, header: JournalHeader) -> "Journal":
        """A new journal, which is on disk before this returns.

        Raises:
            DiskError: the disk is full or not writable.
        """
        write_inside(store, {_name(header.episode): to_json(header) + b"\n"})
        return cls(store / _name(header.episode))

    @classmethod
    def open(cls, store: Path, episode: str) -> "Journal":
        """The journal of a demonstration that has not ended.

        Raises:
            JournalError: it cannot be read, or is not a journal.
        """
        return cls(store / _name(episode))

    def add_begun(self, begun: CommandBegun) -> None:
        """Record a command that is about to be executed.

        Raises:
            DiskError: the disk is full or not writable; then it must not be executed.
        """
        while self._unwritten:  # without these, failed commands would seem to have been executed
            self._write(self._unwritten[0])
            del self._unwritten[0]
        self._write(begun)

    def add_failed(self, key: str, error: TapwrightError) -> None:
        """Record that a command failed; on a full disk, as soon as there is room."""
        line = CommandFailed(key=key, code=error.code, message=str(error), hint=error.hint)
        self._unwritten.append(line)
        try:
            self._write(line)
        except TapwrightError:
            return
        self._unwritten.remove(line)

    def close(self) -> None:
        """Close the file; more than once is allowed."""
        self._file.close()

    def remove(self) -> None:
        """Remove the file: the demonstration has ended."""
        self.close()
        with wrap_disk_errors(self.path):
            self.path.unlink(missing_ok=True)

    def _write(self, line: BaseModel) -> None:
        self._file.append(to_json(line))


def read_journals(store: Path) -> list[JournalContents]:
    """The journals of a store, the oldest first; a broken one is left out."""
    found: list[JournalContents] = []
    if (store / _DIRECTORY).is_symlink():
        return found
    for path in sorted((store / _DIRECTORY).glob("*.jsonl")):
        try:
            with wrap_read_errors(path):
                data = read_regular(path)
            found.append(_parse_journal(split_lines(data).lines, path))
        except TapwrightError:
            continue
    return found


def _name(episode: str) -> str:
    return f"{_DIRECTORY}/{episode}.jsonl"


def _parse_journal(lines: Iterable[bytes], path: Path) -> JournalContents:
    header: JournalHeader | None = None
    begun: dict[str, CommandBegun] = {}
    failed: dict[str, CommandFailed] = {}
    for number, line in enumerate(lines, start=1):
        try:
            match from_json(_LINE, line):
                case JournalHeader() as found if number == 1:
                    header = found
                case CommandBegun(command=command) as found:
                    begun.pop(command.key, None)  # the first attempt failed
                    begun[command.key] = found
                case CommandFailed(key=key) as found:
                    failed[key] = found
                    begun.pop(key, None)
                case JournalHeader():
                    raise JournalError(f"{path}, line {number}: a second opening")
        except (ValueError, RecursionError) as error:
            hint = "the steps of the episode are intact; remove the journal to give it up"
            raise line_error(JournalError, path, number, "a journal's line", error, hint) from error
    if header is None:
        raise JournalError(f"{path}: not a journal: its first line is no opening")
    return JournalContents(header, tuple(begun.values()), failed)
