"""How far people agree who recorded the same task: how it ended, how long it took, by which way.

Agreement of outcomes is given with Krippendorff's alpha beside the plain share, as two people who
call everything a success agree by chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from rapidfuzz.distance import Indel

from tapwright.annotate.agreement import alpha
from tapwright.episode import Episode
from tapwright.errors import StoreError
from tapwright.store.store import EpisodeStore
from tapwright.web.team.queue import Standing

__all__ = ["Overlap", "TaskOverlap", "overlap"]


@dataclass(frozen=True, slots=True)
class TaskOverlap:
    """One task that several people recorded.

    `outcomes` and `steps` are theirs, in the order of `people`. `same_way` is how alike the kinds
    of their actions are in order, 0 to 1: the mean over pairs of people of 1 - d / (m + n), where d
    counts the actions to be put in or left out.
    """

    item: int
    suite: str
    task: str
    people: tuple[str, ...]
    outcomes: tuple[str, ...]
    steps: tuple[int, ...]
    same_way: float


@dataclass(frozen=True, slots=True)
class Overlap:
    """What several people recorded; the shares are 0 to 1, and None where there is none to count.

    `same_outcome` is the share of tasks on whose outcome everybody agrees. `missing` are episodes
    that the store does not have, or cannot read.
    """

    tasks: tuple[TaskOverlap, ...]
    same_outcome: float | None
    same_way: float | None
    alpha: float | None
    missing: tuple[str, ...]


def overlap(standings: Sequence[Standing], store: EpisodeStore) -> Overlap:
    """Compare the recordings of every item that two or more people completed."""
    tasks: list[TaskOverlap] = []
    missing: list[str] = []
    for one in standings:
        if len(one.done) < 2:
            continue
        found: list[tuple[str, Episode]] = []
        for name, id_ in one.done:
            try:
                found.append((name, store.read(id_)))
            except StoreError:
                missing.append(id_)
        if len(found) > 1:
            tasks.append(_compared(one, found))
    return Overlap(
        tuple(tasks),
        _mean([float(len(set(one.outcomes)) == 1) for one in tasks]),
        _mean([one.same_way for one in tasks]),
        alpha([one.outcomes for one in tasks]),
        tuple(missing),
    )


def _compared(standing: Standing, found: Sequence[tuple[str, Episode]]) -> TaskOverlap:
    ways = [[step.decision.action.type for step in episode.steps] for _, episode in found]
    alike = [Indel.normalized_similarity(one, other) for one, other in combinations(ways, 2)]
    return TaskOverlap(
        standing.item,
        standing.suite,
        standing.task,
        tuple(name for name, _ in found),
        tuple(episode.outcome for _, episode in found),
        tuple(len(episode.steps) for _, episode in found),
        sum(alike) / len(alike),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
