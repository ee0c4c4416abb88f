"""Inter-annotator agreement of recordings of the same task: outcome, length, steps.

Agreement of outcomes and of steps is given as Krippendorff's alpha beside the plain share, as two
people who call everything a success agree by chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from rapidfuzz.distance import Indel

from tapwright.annotate.agreement import krippendorff_alpha
from tapwright.core.episode import Episode
from tapwright.curate.takes import TakeRow, align_takes
from tapwright.errors import StoreError
from tapwright.store.store import EpisodeStore
from tapwright.web.team.queue import ItemProgress

__all__ = ["Overlap", "TaskOverlap", "measure_overlap"]


@dataclass(frozen=True, slots=True)
class TaskOverlap:
    """One task that several people recorded.

    `outcomes` and `steps` are in the order of `people`. `action_similarity` compares the sequences
    of action types, 0 to 1: the mean over pairs of people of 1 - d / (m + n), where d counts
    insertions and deletions. `same_step` is the mean agreement of the rows of `align_takes`.
    """

    item: int
    suite: str
    task: str
    people: tuple[str, ...]
    outcomes: tuple[str, ...]
    steps: tuple[int, ...]
    action_similarity: float
    same_step: float


@dataclass(frozen=True, slots=True)
class Overlap:
    """Agreement over all tasks that several people recorded; shares are None without such a task.

    `same_outcome` is the share of tasks on whose outcome everybody agrees, 0 to 1; `alpha` is of
    the outcomes. `same_step` and `step_alpha` are of all steps that stand for the same. `missing`
    are episodes that the store does not have, or cannot read.
    """

    tasks: tuple[TaskOverlap, ...]
    same_outcome: float | None
    action_similarity: float | None
    alpha: float | None
    same_step: float | None
    step_alpha: float | None
    missing: tuple[str, ...]


def measure_overlap(items: Sequence[ItemProgress], store: EpisodeStore) -> Overlap:
    """Compare the recordings of every item that two or more people completed."""
    tasks: list[TaskOverlap] = []
    rows: list[TakeRow] = []
    missing: list[str] = []
    for one in items:
        if len(one.done) < 2:
            continue
        found: list[tuple[str, Episode]] = []
        for name, id_ in one.done:
            try:
                found.append((name, store.read(id_)))
            except StoreError:
                missing.append(id_)
        if len(found) > 1:
            aligned = align_takes([episode for _, episode in found])
            tasks.append(_compare(one, found, aligned))
            rows += aligned
    return Overlap(
        tuple(tasks),
        _mean([float(len(set(one.outcomes)) == 1) for one in tasks]),
        _mean([one.action_similarity for one in tasks]),
        krippendorff_alpha([one.outcomes for one in tasks]),
        _mean([row.agreement for row in rows]),
        krippendorff_alpha([row.did for row in rows]),
        tuple(missing),
    )


def _compare(
    item: ItemProgress, found: Sequence[tuple[str, Episode]], rows: Sequence[TakeRow]
) -> TaskOverlap:
    sequences = [
        [one.type for step in episode.steps for one in step.decision.actions]
        for _, episode in found
    ]
    similarities = [
        Indel.normalized_similarity(one, other) for one, other in combinations(sequences, 2)
    ]
    return TaskOverlap(
        item.item,
        item.suite,
        item.task,
        tuple(name for name, _ in found),
        tuple(episode.outcome for _, episode in found),
        tuple(len(episode.steps) for _, episode in found),
        sum(similarities) / len(similarities),
        _mean([row.agreement for row in rows]) or 0.0,
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
