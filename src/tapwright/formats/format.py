"""What a foreign data format can do: import episodes, export them, or both.

An importer continues after an episode that it cannot read: it yields why, and other episodes are
unaffected. Pictures are loaded lazily, so an episode of any length takes little memory.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from tapwright.episode import Episode

__all__ = [
    "EpisodeExporter",
    "EpisodeImporter",
    "Format",
    "UnreadableEpisode",
]


@runtime_checkable
class Format(Protocol):
    """A data format of another tool."""

    @property
    def name(self) -> str:
        """Its short name."""


@dataclass(frozen=True, slots=True)
class UnreadableEpisode:
    """A foreign episode that could not be read: where it stands, the error's code, and why."""

    where: str
    code: str
    reason: str


@runtime_checkable
class EpisodeImporter(Format, Protocol):
    """A format from which episodes are imported."""

    def recognizes(self, path: Path) -> bool:
        """Whether `read` is meant for this file or directory, by its first bytes or names only.

        What is below a directory that no format recognizes is looked at piece by piece, so a
        format whose files stand for themselves recognizes the files alone.
        """

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """The episodes in `path`, in their order there, one at a time.

        An episode's id is made of what the format says of it, so that it is the same every time.

        Raises:
            ForeignDataError: nothing in `path` can be read as this format; names the file.
        """


@runtime_checkable
class EpisodeExporter(Format, Protocol):
    """A format to which episodes are exported."""

    def write(self, episodes: Iterable[Episode], path: Path) -> int:
        """Write episodes in this format to a new `path`; how many.

        Raises:
            UsageError: `path` is there already.
            UnsayableActionError: the format has no words for an action; names episode and step.
            DiskError: the disk is full or not writable; then nothing is left behind.
        """
