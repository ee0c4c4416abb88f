"""Episodes of other tools: what a format that reads or writes them can do.

A reader goes on behind an episode that it cannot read: one bad episode is told, and hides no
other. Pictures are lazy, so that an episode of any length costs little memory.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from tapwright.episode import Episode
from tapwright.formats.format import Format

__all__ = [
    "EpisodeExporter",
    "EpisodeImporter",
    "Unreadable",
]


@dataclass(frozen=True, slots=True)
class Unreadable:
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

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
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
            UnsupportedByConventionError: no words for an action; names episode and step.
            DiskError: the disk is full or not writable; then nothing is left behind.
        """
