"""What a foreign data format can do: import episodes, export them, or both.

An importer continues after an episode that it cannot read: it yields why, and other episodes are
unaffected. Pictures are loaded lazily, so an episode of any length takes little memory.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from tapwright.core.episode import Episode
from tapwright.errors import TapwrightError
from tapwright.files.atomic import atomic_directory, check_is_new

__all__ = [
    "EpisodeExporter", "EpisodeImporter", "Format", "UnreadableEpisode", "moment_of", "write_each",
]  # fmt: skip

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


@runtime_checkable
class Format(Protocol):
    """A data format of another tool."""

    @property
    def name(self) -> str:
        """Its short name."""


@dataclass(frozen=True, slots=True)
class UnreadableEpisode:
    """A foreign episode that could not be read: its place, and the error.

    `code` and `hint` are the error's, `reason` is what it says.
    """

    where: str
    code: str
    reason: str
    hint: str = ""

    @classmethod
    def of(cls, where: str, error: TapwrightError) -> Self:
        """What could not be read because of an error."""
        return cls(where, error.code, str(error), error.hint)

    def __str__(self) -> str:
        way = f"; {self.hint}" if self.hint else ""
        return f"{self.reason}{way} [{self.code}]"


@runtime_checkable
class EpisodeImporter(Format, Protocol):
    """A format from which episodes are imported."""

    def recognizes(self, path: Path) -> bool:
        """Whether `read` can read this file or directory, judged by its first bytes or names only.

        A directory that no format recognizes is searched entry by entry, so a format whose files
        are self-contained recognizes only the files.
        """

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episodes in `path`, in their order there.

        An episode's id is derived from the data, so it is the same every time.

        Raises:
            ForeignDataError: nothing in `path` can be read as this format; names the file.
        """


@runtime_checkable
class EpisodeExporter(Format, Protocol):
    """A format to which episodes are exported."""

    def write(self, episodes: Iterable[Episode], path: Path) -> int:
        """Write episodes in this format to a new `path`; returns how many.

        Raises:
            UsageError: `path` exists.
            UnsupportedByConventionError: the format has no such action; names episode and step.
            DiskError: the disk is full or not writable; then nothing is left behind.
        """


def write_each(
    episodes: Iterable[Episode], path: Path, write: Callable[[Episode, Path], object]
) -> int:
    """Have each episode written into a new directory `path`; returns how many.

    Raises:
        UsageError: `path` exists.
        DiskError: the disk is full or not writable; then nothing is left behind.
    """
    check_is_new(path)
    written = 0
    with atomic_directory(path) as root:
        for episode in episodes:
            write(episode, root)
            written += 1
    return written


def moment_of(episode: Episode, passed_s: float) -> datetime:
    """When it was, `passed_s` after an episode began; from 2000 on where that is not known.

    What others recorded may be no time, or one beyond the year 9999.
    """
    try:
        began = datetime.fromisoformat(episode.created)
    except ValueError:
        began = _EPOCH
    try:
        return began + timedelta(seconds=passed_s)
    except OverflowError:
        return began
