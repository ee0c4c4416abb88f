"""Graphs of milestones, and the order between them."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import islice, product

from tapwright.tasks.errors import BadMilestonesError
from tapwright.tasks.milestones.checks import MilestoneCheck

__all__ = ["Milestone", "MilestoneGraph"]

_MAX_PATHS = 1024


@dataclass(frozen=True, slots=True)
class Milestone:
    """One thing to be seen on the way.

    It comes after `all_of` its parents, or after `any_of` them; a milestone without parents may be
    the first. `score` is its weight in points among those of its path.
    """

    id: str
    check: MilestoneCheck
    all_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    score: float = 10.0
    name: str = ""

    @property
    def parents(self) -> tuple[str, ...]:
        """The milestones that it comes after, all or any of them."""
        return self.all_of or self.any_of


@dataclass(frozen=True)
class MilestoneGraph:
    """Milestones, parents first, and those that make the success.

    Of the milestones in `success` one is enough, or with `needs_all` each is needed.
    """

    milestones: tuple[Milestone, ...]
    success: tuple[str, ...]
    needs_all: bool = False
    task_id: str = ""
    app: str = ""
    instruction: str = ""

    @classmethod
    def of(
        cls,
        milestones: Sequence[Milestone],
        success: Sequence[str] = (),
        *,
        needs_all: bool = False,
        task_id: str = "",
        app: str = "",
        instruction: str = "",
        origin: str = "the graph",
    ) -> "MilestoneGraph":
        """Builds the graph of milestones; without `success` any final milestone is enough.

        Raises:
            BadMilestonesError: an id is duplicate or missing, or milestones form a cycle; the
                message starts with `origin`.
        """
        by_id: dict[str, Milestone] = {}
        for one in milestones:
            if one.id in by_id:
                raise BadMilestonesError(f"{origin}: two milestones are called {one.id!r}")
            by_id[one.id] = one
        named = [(f"milestone {one.id!r}", id_) for one in milestones for id_ in one.parents]
        for whose, id_ in (*named, *(("success", id_) for id_ in success)):
            if id_ not in by_id:
                raise BadMilestonesError(
                    f"{origin}: {whose} names {id_!r}, which does not exist",
                    hint=f"there are: {', '.join(by_id) or 'none'}",
                )
        if not milestones:
            raise BadMilestonesError(f"{origin}: has no milestone")
        try:
            order = tuple(
                TopologicalSorter({one.id: one.parents for one in milestones}).static_order()
            )
        except CycleError as error:
            ring = " after ".join(map(repr, error.args[1]))
            raise BadMilestonesError(f"{origin}: comes after itself: {ring}") from error
        followed = {id_ for one in milestones for id_ in one.parents}
        ends = tuple(one.id for one in milestones if one.id not in followed)
        return cls(
            tuple(by_id[id_] for id_ in order),
            tuple(success) or ends,
            needs_all and bool(success),
            task_id,
            app,
            instruction,
        )

    @cached_property
    def paths(self) -> tuple[frozenset[str], ...]:
        """The sets of milestones each of which makes the success; at most the first 1024."""
        paths: dict[str, tuple[frozenset[str], ...]] = {}
        for one in self.milestones:
            own = frozenset([one.id])
            before = _combine_paths([paths[id_] for id_ in one.parents], every=not one.any_of)
            paths[one.id] = tuple(own | way for way in before) if one.parents else (own,)
        return tuple(_combine_paths([paths[id_] for id_ in self.success], every=self.needs_all))

    @cached_property
    def needed(self) -> frozenset[str]:
        """The milestones on which the success can depend."""
        needed = set(self.success)
        for one in reversed(self.milestones):
            if one.id in needed:
                needed.update(one.parents)
        return frozenset(needed)

    def weight(self, id_: str) -> float:
        """Return the weight of a milestone, from 0 on, among those of its path."""
        return self._scores[id_]

    @cached_property
    def _scores(self) -> Mapping[str, float]:
        return {one.id: one.score for one in self.milestones}

    def score(self, reached: AbstractSet[str]) -> float:
        """Return how much of the most complete path is done, 0 to 1."""
        best = 0.0
        for path in self.paths:
            whole = sum(map(self.weight, path))
            if whole > 0:
                done = sum(map(self.weight, path & reached))
            else:
                whole, done = len(path), len(path & reached)
            best = max(best, done / whole)
        return best


def _combine_paths(
    parts: Sequence[Sequence[frozenset[str]]], *, every: bool
) -> Sequence[frozenset[str]]:
    """Combines the paths of one part, or of every part together."""
    found: Iterator[frozenset[str]] = (
        (frozenset().union(*ways) for ways in product(*parts))
        if every
        else (way for part in parts for way in part)
    )
    return tuple(dict.fromkeys(islice(found, _MAX_PATHS)))
