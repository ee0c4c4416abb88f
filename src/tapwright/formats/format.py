"""What a foreign data format can do: each of these protocols is one direction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from tapwright.conventions.convention import HISTORY_STEPS, Convention
from tapwright.episode import Episode

__all__ = [
    "Dropped",
    "Format",
    "SftFormat",
    "SftReport",
    "SftSettings",
    "Split",
]

Split: TypeAlias = Literal["train", "val"]


@runtime_checkable
class Format(Protocol):
    """A data format of someone else."""

    @property
    def name(self) -> str:
        """Its short name."""


@dataclass(frozen=True, slots=True)
class SftSettings:
    """How samples are made of steps.

    Each sample asks for one step in `convention`, telling the `last` steps before it.
    `val_share` of the episodes, chosen by `seed`, are kept apart for validation.
    """

    convention: Convention
    seed: int = 0
    val_share: float = 0.1
    last: int = HISTORY_STEPS


@dataclass(frozen=True, slots=True)
class Dropped:
    """A step that became no sample, and why."""

    episode: str
    step: int
    reason: str


@dataclass(frozen=True, slots=True)
class SftReport:
    """What was written: samples and episodes by split, pictures, and every step left out."""

    samples: Mapping[Split, int]
    episodes: Mapping[Split, int]
    images: int
    dropped: tuple[Dropped, ...]


@runtime_checkable
class SftFormat(Format, Protocol):
    """A format of training sets for supervised fine-tuning."""

    def write_sft(
        self, episodes: Iterable[Episode], directory: Path, settings: SftSettings
    ) -> SftReport:
        """Write a training set into a new `directory`, and check it.

        The same episodes and settings give the same bytes, in whatever order they come.

        Raises:
            UsageError: `directory` is there already, or the settings cannot be.
            NothingFoundError: not one step can be a sample.
            DiskError: the disk is full or not writable; then nothing is left behind.
            BadTrainingSetError: what was written breaks the trainer's rules.
        """

    def check(self, directory: Path) -> int:
        """Check a training set by its trainer's own rules; the number of samples in it.

        Raises:
            BadTrainingSetError: it breaks one; names file and sample.
        """
