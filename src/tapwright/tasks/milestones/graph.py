"""Milestones, and what must come before what."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import islice, product

from tapwright.tasks.errors import BadMilestonesError
from tapwright.tasks.milestones.checks import MilestoneCheck

__all__ = [
    "Graph",
    "Milestone",
]

_MAX_PATHS = 1024


@dataclass(frozen=True, slots=True)
class Milestone:
    """One thing that is to be seen on the way.

    It comes after `all_of` its parents, or after `any_of` them; a milestone without parents may be
    the first. `score` is its weight among those of its path.
    """

    id: str
    check: MilestoneCheck
    all_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    score: float = 10.0
    name: str = ""

    @property
    def parents(self) -> tuple[str, ...]:
        """Those that it comes after, all or any of them."""
        return self.all_of or self.any_of


@dataclass(frozen=True)
class Graph:
    """Milestones in an order in which parents come first, and which of them make the success.

    `success` names those of which one is enough, or with `needs_all` each is needed.
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
    ) -> "Graph":
        """The graph of these milestones; without `success` any that nothing comes after is enough.

        Raises:
            BadMilestonesError: an id is there twice or not at all, or they come after each other
                in a ring; `origin` says of what.
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
                    f"{origin}: {whose} names {id_!r}, which is not there",
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
        """The sets of milestones each of which makes the success; of very many the first."""
        paths: dict[str, tuple[frozenset[str], ...]] = {}
        for one in self.milestones:
            own = frozenset([one.id])
            before = _ways([paths[id_] for id_ in one.parents], every=not one.any_of)
            paths[one.id] = tuple(own | way for way in before) if one.parents else (own,)
        return tuple(_ways([paths[id_] for id_ in self.success], every=self.needs_all))

    @cached_property
    def needed(self) -> frozenset[str]:
        """The milestones on which the success can depend."""
        needed = set(self.success)
        for one in reversed(self.milestones):
            if one.id in needed:
                needed.update(one.parents)
        return frozenset(needed)

    def weight(self, id_: str) -> float:
        """The score of a milestone."""
        return self._scores[id_]

    @cached_property
    def _scores(self) -> Mapping[str, float]:
        return {one.id: one.score for one in self.milestones}

    def score(self, reached: AbstractSet[str]) -> float:
        """How much of the way is done, 0 to 1: of the path that is nearest to its end."""
        best = 0.0
        for path in self.paths:
            whole = sum(map(self.weight, path))
            if whole > 0:
                done = sum(map(self.weight, path & reached))
            else:
                whole, done = len(path), len(path & reached)
            best = max(best, done / whole)
        return best


def _ways(parts: Sequence[Sequence[frozenset[str]]], *, every: bool) -> Sequence[frozenset[str]]:
    """The ways through one part, or through each of them together."""
    found: Iterator[frozenset[str]] = (
        (frozenset().union(*ways) for ways in product(*parts))
        if every
        else (way for part in parts for way in part)
    )
    return tuple(dict.fromkeys(islice(found, _MAX_PATHS)))
