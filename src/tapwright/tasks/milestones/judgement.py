"""Whether an episode passes the milestones of a graph in order; and a graph as the check of a task.

A milestone's frame is the first one that shows it after those of its parents: of all of them with
`deps`, of any of them with `next`. This follows the rule files of MobiFlow
(https://github.com/IPADS-SAI/MobiAgent/tree/e2edd7a6/MobiFlow) and not its verifier, in which a
parent that is seen again hides its children, and what cannot be looked at counts as no.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from tapwright.tasks.errors import BadMilestonesError
from tapwright.tasks.milestones.frames import (
    CheckCost,
    FrameLook,
    FrameReader,
    MilestoneFrame,
    Truth,
    make_frame,
)
from tapwright.tasks.milestones.graph import Milestone, MilestoneGraph
from tapwright.tasks.milestones.rules import graph_from_dict, read_graph
from tapwright.tasks.task import Judge, Setup, Signals, Task, Verdict

__all__ = [
    "Evidence", "Milestone", "MilestoneGraph", "MilestoneJudgement", "MilestonesCheck",
    "graph_from_dict", "judge", "read_graph", "task_from_rule",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evidence:
    """The frame in which a milestone was seen, the kind of check, and what it found."""

    frame: int
    kind: str
    found: str


@dataclass(frozen=True, slots=True)
class MilestoneJudgement:
    """The judgement of an episode's frames by a graph.

    `success` is None when it depends on what could not be looked at; those milestones are `unknown`
    then. `earliest` has each milestone's frame, or None. `score` is how much of the best path was
    certainly passed, 0 to 1.
    """

    success: bool | None
    earliest: Mapping[str, int | None]
    score: float
    unknown: tuple[str, ...]
    evidence: Mapping[str, Evidence]


FrameLike: TypeAlias = MilestoneFrame | str | Collection[str]
"""A frame, or the visible words as a set or as a text with blanks between."""


def judge(
    graph: MilestoneGraph,
    frames: Sequence[FrameLike],
    *,
    gap: Literal[0, 1] = 1,
    reader: FrameReader | None = None,
) -> MilestoneJudgement:
    """Judges whether the frames pass the milestones in order, and where.

    A milestone comes at least `gap` frames after its parents. Checks are evaluated in the order of
    their costs, and expensive ones only until the success is certain: `earliest` is by those that
    were evaluated. Of a failure all are, so that its score does not depend on what was looked at
    first. `reader` reads pictures and asks models; without one, what needs them is unknown.
    """
    return _Judge(graph, [to_frame(one) for one in frames], gap, reader or FrameReader()).judge()


def to_frame(frame: FrameLike) -> MilestoneFrame:
    """Converts visible words to a frame."""
    match frame:
        case MilestoneFrame():
            return frame
        case str():
            return MilestoneFrame(words=frozenset(frame.split()))
        case _:
            return MilestoneFrame(words=frozenset(frame))


class _Judge:
    """One judgement; `sure` and `maybe` are the first frames with the unknown as no, or as yes."""

    def __init__(
        self, graph: MilestoneGraph, frames: Sequence[MilestoneFrame], gap: int, reader: FrameReader
    ) -> None:
        self._graph = graph
        self._frames = frames
        self._gap = gap
        self._reader = reader
        self._known: dict[tuple[str, int], bool] = {}

    def judge(self) -> MilestoneJudgement:
        costs = sorted({cost for one in self._graph.milestones for cost in one.check.costs})
        for cost in costs or [CheckCost.WORDS]:
            sure, maybe = self._pass(cost)
            success = self._success(sure, maybe)
            if success:
                break
        unknown = [one.id for one in self._graph.milestones if sure[one.id] != maybe[one.id]]
        checks = {one.id: one.check for one in self._graph.milestones}
        return MilestoneJudgement(
            success=success,
            earliest=sure,
            score=self._graph.score({id_ for id_, frame in sure.items() if frame is not None}),
            unknown=tuple(unknown),
            evidence={
                id_: Evidence(frame, *checks[id_].evidence(self._look(frame)))
                for id_, frame in sure.items()
                if frame is not None
            },
        )

    def _success(self, *bounds: Mapping[str, int | None]) -> bool | None:
        """Return True or False if both bounds agree, else None."""
        graph = self._graph
        enough = all if graph.needs_all else any
        sure, maybe = (enough(found[id_] is not None for id_ in graph.success) for found in bounds)
        return sure if sure == maybe else None

    def _pass(self, cost: CheckCost) -> tuple[dict[str, int | None], dict[str, int | None]]:
        sure: dict[str, int | None] = {}
        maybe: dict[str, int | None] = {}
        cheapest = min(cost, CheckCost.TREE)
        for one in self._graph.milestones:
            limit = cost if one.id in self._graph.needed else cheapest
            sure[one.id], maybe[one.id] = self._find(
                one, self._first(one, sure), self._first(one, maybe), limit
            )
        return sure, maybe

    def _find(
        self, one: Milestone, sure_from: int | None, maybe_from: int | None, cost: CheckCost
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
        """Return the first possible frame after the parents; None if those were not seen."""
        if one.all_of:
            after = [found[id_] for id_ in one.all_of]
            latest = [frame for frame in after if frame is not None]
            return max(latest) + self._gap if len(latest) == len(after) else None
        if one.any_of:
            earliest = [frame for id_ in one.any_of if (frame := found[id_]) is not None]
            return min(earliest) + self._gap if earliest else None
        return 0

    def _look(self, number: int) -> FrameLook:
        return FrameLook(self._frames, number, self._reader)

    def _holds(self, one: Milestone, number: int, cost: CheckCost) -> Truth:
        key = one.id, number
        if key not in self._known:
            holds = one.check.holds(self._look(number), cost)
            if holds is None:
                return None
            self._known[key] = holds
        return self._known[key]


@dataclass(frozen=True)
class MilestonesCheck:
    """Passes when the agent has reached the milestones in their order.

    The score is how much of the best path was passed, the reward of a step what it added to it.
    What the words on the screen cannot decide is looked for by `reader`.
    """

    graph: MilestoneGraph
    gap: Literal[0, 1] = 1
    reader: FrameReader | None = None

    def __repr__(self) -> str:
        return f"PassesMilestones({self.graph!r}, gap={self.gap})"

    def start(self) -> Judge:
        """Return a judge for a new episode."""
        return _EpisodeJudge(self)


class _EpisodeJudge:
    def __init__(self, check: MilestonesCheck) -> None:
        self._check = check
        self._frames = [MilestoneFrame(instruction=check.graph.instruction)]
        self._score = 0.0

    def step(self, signals: Signals) -> Verdict:
        check = self._check
        instruction = check.graph.instruction
        if signals.action is not None:
            before = self._frames.pop().screen
            assert before is not None  # the screen after the reset came first
            self._frames.append(make_frame(before, signals.action, instruction=instruction))
        self._frames.append(MilestoneFrame(screen=signals.observation, instruction=instruction))
        judged = judge(check.graph, self._frames, gap=check.gap, reader=check.reader)
        reward, self._score = judged.score - self._score, judged.score
        passed = [id_ for id_, frame in judged.earliest.items() if frame is not None]
        return Verdict(
            score=judged.score,
            reward=reward,
            success=judged.success is True,
            extras={"milestones": list(passed), "unknown": list(judged.unknown)},
        )


def task_from_rule(path: Path) -> Task:
    """Builds the task of a rule file: its id, its instruction, and the milestones as its check.

    Raises:
        BadMilestonesError: it is not a rule, or has no description.
    """
    graph = read_graph(path)
    if not graph.instruction:
        raise BadMilestonesError(
            f"{path}: has no description, which is the instruction for the agent"
        )
    return Task(
        id=graph.task_id or path.stem,
        instruction=graph.instruction,
        apps=(graph.app,) if graph.app else (),
        check=MilestonesCheck(graph),
        setup=Setup(),
    )
