"""Recorded steps by number, as trainers draw them: out of a store, or out of a packed data set."""

import sys
import warnings
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import NamedTuple, Protocol

from tapwright.core.episode import Step
from tapwright.core.fit import FitKind, find_kind
from tapwright.errors import NothingFoundError, quote_path
from tapwright.store.catalog import Catalog
from tapwright.store.lazy import LazyStep, StepLine, list_step_lines, open_lazily, read_step
from tapwright.store.records import EpisodeWarning
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore

__all__ = ["EpisodeSpans", "RecordedStep", "StepSource", "StoreSteps"]


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


def _list_ids(store: EpisodeStore, where: str) -> list[str]:
    if not where:
        return store.ids()
    catalog = Catalog(store)
    ids = catalog.ids(Selection(where))
    for error in catalog.unreadable().values():
        warnings.warn(f"{error}; the episode is skipped", EpisodeWarning, stacklevel=3)
    return ids


class StoreSteps:
    """The steps of a store's episodes with one of the `outcomes` that fit a filter, oldest first.

    What was recorded or edited later is not seen. Episodes without a step are left out, and with an
    `EpisodeWarning` those that cannot be read. Of a step
    it is kept where its line is, and nothing that was read, whatever the number of steps.
    """

    def __init__(
        self, store: EpisodeStore, *, outcomes: Sequence[str] = (), where: str = ""
    ) -> None:
        """Find the steps of all episodes.

        Raises:
            UsageError: the filter cannot be understood.
            NothingFoundError: there is no step.
            StoreError: an episode cannot be read.
        """
        self._heads: list[_Head] = []
        self._numbers, self._starts, self._lengths = array("I"), array("Q"), array("I")
        self._noted: dict[int, StepLine] = {}
        lengths: list[int] = []
        for id_ in _list_ids(store, where):
            directory, place = store.locate(id_)
            episode = open_lazily(directory, place)
            if outcomes and episode.outcome not in outcomes:
                continue
            if lines := list_step_lines(path := place / "steps.jsonl"):
                self._heads.append(
                    _Head(
                        id=id_,
                        task_id=sys.intern(episode.task_id),
                        instruction=sys.intern(episode.instruction),
                        outcome=episode.outcome,
                        directory=str(directory),
                        path=str(path),
                    )
                )
                lengths.append(len(lines))
            for line in lines:
                if line.text:
                    self._noted[len(self._starts)] = line
                self._numbers.append(line.number)
                self._starts.append(line.start)
                self._lengths.append(line.length)
        self._spans = EpisodeSpans(lengths)
        if not lengths:
            raise NothingFoundError(
                f"{store.root}: no steps" + (f" of episodes with {outcomes}" if outcomes else ""),
                hint=f"tapwright episodes ls {quote_path(store.root)}",
            )

    @property
    def blocks(self) -> Sequence[int]:
        """Empty: each step has files of its own."""
        return ()

    def __len__(self) -> int:
        return len(self._spans)

    def read(self, index: int) -> RecordedStep:
        """A step by its number; see `StepSource.read`."""
        place, number = self._spans.find(index)
        head = self._heads[place]
        before = (partial(self._step, head, one) for one in range(index - number, index))
        return RecordedStep(
            head.id, head.task_id, head.instruction, head.outcome,
            number, self._step(head, index), tuple(map(LazyStep.of, before)),
        )  # fmt: skip

    def _step(self, head: "_Head", index: int) -> Step:
        line = self._noted.get(index) or StepLine(
            self._numbers[index], self._starts[index], self._lengths[index]
        )
        return read_step(head.directory, head.path, line)


class _Head(NamedTuple):
    """What a store's episode says of itself, and where it and its lines are."""

    id: str
    task_id: str
    instruction: str
    outcome: str
    directory: str
    path: str
