"""A graph of milestones as the check of a task, judged after every step."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tapwright.tasks.errors import BadMilestonesError
from tapwright.tasks.milestones.frames import FrameReader, MilestoneFrame, make_frame
from tapwright.tasks.milestones.judgement import MilestoneGraph, judge, read_graph
from tapwright.tasks.task import Judge, Setup, Signals, Task, Verdict

__all__ = ["MilestonesCheck", "task_from_rule"]


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
        return _Judge(self)


class _Judge:
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
