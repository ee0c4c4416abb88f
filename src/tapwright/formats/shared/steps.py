"""The steps of a shared store as trainers draw them, out of its packs: nothing of it is kept here.

Which episodes there are, and how long each is, the log says. So any number of packs are begun with
at once, and each is opened when the first of its steps is read.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial

from tapwright.errors import NothingFoundError
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.loading.steps import EpisodeSpans, RecordedStep
from tapwright.formats.pack.reader import PackFolder
from tapwright.formats.shared.copy import SHARD, SharedCopy
from tapwright.formats.shared.rows import PackedEpisode, list_episodes
from tapwright.store.filters import parse_filter

__all__ = ["SharedSteps"]

_BLOCK_STEPS = 32
"""Steps of episodes beside each other that are fetched together: those of some row groups."""


class SharedSteps:
    """The steps of the episodes of a shared store that fit a filter, as they are now.

    What is put later than the commit `at` is not seen. Packs that are compacted away stay readable
    until they are deleted, as `episodes compact --delete-after` says.
    """

    def __init__(self, copy: SharedCopy, where: str = "") -> None:
        """Take the episodes that the copy knows.

        Raises:
            UsageError: the filter cannot be understood.
            NothingFoundError: there is no step.
        """
        self._episodes: list[PackedEpisode] = copy.use(partial(list_episodes, parse_filter(where)))
        self.at = copy.number
        self._location = f"{copy.url}/packs"
        if not self._episodes:
            fit = f" of episodes that fit {where!r}" if where else ""
            raise NothingFoundError(
                f"{copy.url}: no steps{fit}", hint=f"tapwright episodes ls {copy.url}"
            )
        self._spans = EpisodeSpans([one.steps for one in self._episodes])

    @property
    def blocks(self) -> Sequence[int]:
        """The lengths of runs of episodes in one pack at a URL; empty for a directory."""
        if not self._packs.is_remote:
            return ()
        blocks: list[int] = []
        before = ""
        for one in self._episodes:
            if one.pack == before and blocks[-1] < _BLOCK_STEPS:
                blocks[-1] += one.steps
            else:
                blocks.append(one.steps)
            before = one.pack
        return blocks

    def __len__(self) -> int:
        return len(self._spans)

    def read(self, index: int) -> RecordedStep:
        """A step by its number, with the instruction and the outcome that its episode has now.

        Raises:
            IndexError: there is none.
            BrokenPackError: its pack cannot be read, or has other steps than the log says.
        """
        episode, number = self._spans.find(index)
        one = self._episodes[episode]
        try:
            return replace(
                self._packs.step(one.pack, one.id, number),
                instruction=one.instruction,
                outcome=one.outcome,
            )
        except IndexError as error:
            raise BrokenPackError(
                f"{self._location}/{one.pack}: {one.id} has no step {number}; expected {one.steps}",
                hint="put what was changed in its copy: tapwright episodes ls, with the same URL",
            ) from error

    @cached_property
    def _packs(self) -> PackFolder:
        return PackFolder(self._location, SHARD)
