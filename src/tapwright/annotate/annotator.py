"""What every annotator can do: say for each step why it was made, and on which element."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tapwright.episode import Episode

__all__ = [
    "Annotator",
    "Reasoning",
]


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Why step `step` (from 0) was made, and on which element; `target` is "" where there is none.

    Both are told as by the one who acts, before acting: neither speaks of coordinates, nor of
    there being a recording.
    """

    step: int
    reasoning: str
    target: str


@runtime_checkable
class Annotator(Protocol):
    """Gives reasons to the steps of an episode."""

    @property
    def name(self) -> str:
        """Its short name."""

    @property
    def version(self) -> str:
        """Changes whenever the same episode would be annotated differently."""

    async def annotate(self, episode: Episode) -> Sequence[Reasoning]:
        """A reasoning for every step, in their order.

        Raises:
            TapwrightError: the episode cannot be annotated; nothing of it is kept.
        """
