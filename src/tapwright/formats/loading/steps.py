"""Recorded steps by number, as trainers draw them: out of a store, or out of a packed data set."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from tapwright.core.episode import Episode, Step
from tapwright.core.fit import FitKind, find_kind
from tapwright.errors import NothingFoundError, quote_path
from tapwright.store.catalog import Catalog
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore

__all__ = ["EpisodeSpans", "RecordedStep", "StepSource", "StoreSteps"]

_OPEN_EPISODES = 256


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step with what its episode tells about it; pictures are read when they are used.

    `before` are the earlier steps of the episode, oldest first, which a prompt's history needs.
    """

    episode_id: str
    task_id: str
    instruction: str
    outcome: str
    number: int
    step: Step
    before: Sequence[Step]

    @property
    def fit(self) -> FitKind:
        """What it may be used for where a reasoning is taught: "target", or why it is none."""
        return find_kind(self.step)


class StepSource(Protocol):
    """The steps of a data set, numbered through from 0."""

    @property
    def blocks(self) -> Sequence[int]:
        """How many steps are fetched at a time, in order; empty when each costs the same alone."""

    def __len__(self) -> int: ...

    def read(self, index: int) -> RecordedStep:
        """A step by its number.

        Raises:
            IndexError: there is none.
            StoreError: it cannot be read.
        """


class EpisodeSpans:
    """Which steps, numbered through, are those of which episode."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self._ends = list(accumulate(lengths))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def find(self, index: int) -> tuple[int, int]:
        """The number of the episode, and of the step in it, both from 0.

        Raises:
            IndexError: there is none.
        """
        if not 0 <= index < len(self):
            raise IndexError(f"step {index} of {len(self)}")
        episode = bisect_right(self._ends, index)
        return episode, index - self.steps_of(episode).start

    def steps_of(self, episode: int) -> range:
        """The numbers of an episode's steps."""
        return range(self._ends[episode - 1] if episode else 0, self._ends[episode])


class StoreSteps:
    """The steps of a store's episodes with one of the `outcomes` that fit a filter, oldest first.

    What was recorded or edited later is not seen. Episodes without a step are left out.
    """

    def __init__(
        self, store: EpisodeStore, *, outcomes: Sequence[str] = (), where: str = ""
    ) -> None:
        """Read the lengths of all episodes.

        Raises:
            UsageError: the filter cannot be understood.
            NothingFoundError: there is no step.
            StoreError: an episode cannot be read.
        """
        self._store = store
        self._ids: list[str] = []
        self._versions: list[int] = []
        lengths: list[int] = []
        for id_ in Catalog(store).ids(Selection(where)) if where else store.ids():
            episode = store.open(id_)
            if episode.steps and (not outcomes or episode.outcome in outcomes):
                self._ids.append(id_)
                self._versions.append(episode.version)
                lengths.append(len(episode.steps))
        self._spans = EpisodeSpans(lengths)
        if not lengths:
            raise NothingFoundError(
                f"{store.root}: no steps" + (f" of episodes with {outcomes}" if outcomes else ""),
                hint=f"tapwright episodes ls {quote_path(store.root)}",
            )
        self._opened: OrderedDict[int, Episode] = OrderedDict()

    @property
    def blocks(self) -> Sequence[int]:
        """Empty: each step has files of its own."""
        return ()

    def __len__(self) -> int:
        return len(self._spans)

    def read(self, index: int) -> RecordedStep:
        """A step by its number; see `StepSource.read`."""
        place, number = self._spans.find(index)
        episode = self._open(place)
        return RecordedStep(
            episode.id, episode.task_id, episode.instruction, episode.outcome,
            number, episode.steps[number], episode.steps[:number],
        )  # fmt: skip

    def _open(self, place: int) -> Episode:
        if place in self._opened:
            self._opened.move_to_end(place)
            return self._opened[place]
        episode = self._store.open(self._ids[place], self._versions[place])
        self._opened[place] = episode
        if len(self._opened) > _OPEN_EPISODES:
            self._opened.popitem(last=False)
        return episode
