"""Milestones on the way to a task's end, and whether an episode passed them in order.

A graph says which milestones there are and what must come before what; a frame is one moment of an
episode. A milestone's frame is the least one that shows it beyond those of its parents: of all of
them with `deps`, of any of them with `next`. This follows the rule files of MobiFlow
(https://github.com/IPADS-SAI/MobiAgent/tree/e2edd7a6/MobiFlow) and not its verifier, which lets a
parent that is seen again hide its children, and says no where it could not look.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.tasks.milestones.frames import Cost, Frame, Truth, Watch
from tapwright.tasks.milestones.graph import Graph, Milestone
from tapwright.tasks.milestones.rules import graph_from_dict, read_graph

__all__ = [
    "Evidence",
    "Graph",
    "Judgement",
    "Milestone",
    "graph_from_dict",
    "judge",
    "read_graph",
]


@dataclass(frozen=True, slots=True)
class Evidence:
    """In which frame a milestone was seen, by what kind of check, and what that found."""

    frame: int
    kind: str
    found: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a graph says of the frames of an episode.

    `success` is None when it hangs on what could not be looked at; the milestones that could not
    be told are `unknown` then. `earliest` has each milestone's frame, or None. `score` is how much
    of the best path was certainly passed, 0 to 1.
    """

    success: bool | None
    earliest: Mapping[str, int | None]
    score: float
    unknown: tuple[str, ...]
    evidence: Mapping[str, Evidence]


Seen: TypeAlias = Frame | str | Collection[str]
"""A frame; or the words that are to be seen, as a set, or as a text with blanks between."""


def judge(
    graph: Graph, frames: Sequence[Seen], *, gap: Literal[0, 1] = 1, watch: Watch | None = None
) -> Judgement:
    """Whether the frames pass the milestones in order, and where.

    A milestone comes at least `gap` frames after its parents. Checks are looked at in the order of
    what they cost, and the dearer ones only where the success still hangs on them: `earliest` is
    by those that were looked at. `watch` reads pictures and asks models; without one, what needs
    them is unknown.
    """
    return _Judging(graph, [as_frame(one) for one in frames], gap, watch or Watch()).judge()


def as_frame(seen: Seen) -> Frame:
    """What was seen as a frame."""
    match seen:
        case Frame():
            return seen
        case str():
            return Frame(words=frozenset(seen.split()))
        case _:
            return Frame(words=frozenset(seen))


class _Judging:
    """One judgement; `sure` and `maybe` are the least frames if what is unknown is not, or is."""

    def __init__(self, graph: Graph, frames: Sequence[Frame], gap: int, watch: Watch) -> None:
        self._graph = graph
        self._frames = frames
        self._gap = gap
        self._watch = watch
        self._known: dict[tuple[str, int], bool] = {}

    def judge(self) -> Judgement:
        costs = sorted({cost for one in self._graph.milestones for cost in one.check.costs})
        for cost in costs or [Cost.WORDS]:
            sure, maybe = self._pass(cost)
            success = self._success(sure, maybe)
            if success is not None:
                break
        unknown = [one.id for one in self._graph.milestones if sure[one.id] != maybe[one.id]]
        checks = {one.id: one.check for one in self._graph.milestones}
        return Judgement(
            success=success,
            earliest=sure,
            score=self._graph.score({id_ for id_, frame in sure.items() if frame is not None}),
            unknown=tuple(unknown),
            evidence={
                id_: Evidence(frame, *checks[id_].evidence(self._frames, frame, self._watch))
                for id_, frame in sure.items()
                if frame is not None
            },
        )

    def _success(self, *bounds: Mapping[str, int | None]) -> bool | None:
        """True or False when both bounds agree."""
        graph = self._graph
        enough = all if graph.needs_all else any
        sure, maybe = (enough(found[id_] is not None for id_ in graph.success) for found in bounds)
        return sure if sure == maybe else None

    def _pass(self, cost: Cost) -> tuple[dict[str, int | None], dict[str, int | None]]:
        sure: dict[str, int | None] = {}
        maybe: dict[str, int | None] = {}
        cheapest = min(cost, Cost.TREE)
        for one in self._graph.milestones:
            limit = cost if one.id in self._graph.needed else cheapest
            sure[one.id], maybe[one.id] = self._find(
                one, self._first(one, sure), self._first(one, maybe), limit
            )
        return sure, maybe

    def _find(
        self, one: Milestone, sure_from: int | None, maybe_from: int | None, cost: Cost
    ) -> tuple[int | None, int | None]:
        maybe: int | None = None
        if maybe_from is None:
            return None, None
        number = maybe_from
        while number < len(self._frames):
            holds = self._holds(one, number, cost)
            if holds is not False and maybe is None:
                maybe = number
            if maybe is not None and sure_from is None:
                break
            if holds and sure_from is not None and number >= sure_from:
                return number, maybe
            number += 1
            if maybe is not None and sure_from is not None:
                number = max(number, sure_from)
        return None, maybe

    def _first(self, one: Milestone, found: Mapping[str, int | None]) -> int | None:
        """The first frame that is beyond the parents; None when those were not seen."""
        if one.all_of:
            after = [found[id_] for id_ in one.all_of]
            latest = [frame for frame in after if frame is not None]
            return max(latest) + self._gap if len(latest) == len(after) else None
        if one.any_of:
            earliest = [frame for id_ in one.any_of if (frame := found[id_]) is not None]
            return min(earliest) + self._gap if earliest else None
        return 0

    def _holds(self, one: Milestone, number: int, cost: Cost) -> Truth:
        key = one.id, number
        if key not in self._known:
            holds = one.check.holds(self._frames, number, self._watch, cost)
            if holds is None:
                return None
            self._known[key] = holds
        return self._known[key]
