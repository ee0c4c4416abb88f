"""How long people worked on an episode, a line for each sitting, beside the recording.

`<episode>/work.jsonl` is only ever appended to. Times are the machine's, as the clocks of devices
may be any: that of the built-in phone stands still while nothing is done.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import TypeAdapter

from tapwright.errors import CorruptEpisodeError
from tapwright.files.jsonl import JsonlWriter, parse_lines, read_lines, to_json
from tapwright.store.records import FrozenRecord

__all__ = ["PAUSE_S", "WorkClock", "WorkKind", "WorkLine", "read_work"]

PAUSE_S = 600.0
"""A longer time in which nothing was done is a pause, and does not count."""

WorkKind: TypeAlias = Literal["record", "act"]
"""A person's own demonstration, or what they did in the place of an agent."""

_FILE = "work.jsonl"


class WorkLine(FrozenRecord):
    """A sitting of `who`: `begun` and `ended` are ISO 8601 times in UTC, `seconds` without pauses.

    `steps` counts what was done in it.
    """

    who: str
    kind: WorkKind
    begun: str
    ended: str
    seconds: float
    steps: int


_LINE = TypeAdapter(WorkLine)


class WorkClock:
    """One person at work on one episode, from the first `note` to the last."""

    def __init__(self, who: str, kind: WorkKind) -> None:
        self.who = who
        self._kind = kind
        self._begun: datetime | None = None
        self._ended: datetime | None = None
        self._seconds = 0.0
        self._steps = 0

    def note(self, *, step: bool = False) -> None:
        """The person does something now; with `step` it makes a step."""
        now = datetime.now(UTC)
        gap_s = (now - (self._ended or now)).total_seconds()
        self._seconds += gap_s if 0 <= gap_s <= PAUSE_S else 0.0
        self._begun, self._ended = self._begun or now, now
        self._steps += step

    def write(self, directory: Path) -> None:
        """Append what was done to the log of the episode in `directory`, once; nothing if none was.

        Raises:
            DiskError: the disk is full or not writable.
        """
        if self._begun is None or self._ended is None or not directory.is_dir():
            return
        line = WorkLine(
            who=self.who,
            kind=self._kind,
            begun=self._begun.isoformat(timespec="milliseconds"),
            ended=self._ended.isoformat(timespec="milliseconds"),
            seconds=round(self._seconds, 3),
            steps=self._steps,
        )
        self._begun = None
        with JsonlWriter(directory / _FILE) as file:
            file.recover()
            file.append(to_json(line))


def read_work(directory: Path) -> list[WorkLine]:
    """The sittings of the episode in `directory`, oldest first.

    Raises:
        CorruptEpisodeError: the file cannot be read, or a line of it is broken.
    """
    path = directory / _FILE
    lines = read_lines(path, CorruptEpisodeError)
    error, expected = CorruptEpisodeError, "a line about work"
    return list(parse_lines(lines, _LINE, path, error=error, expected=expected))
