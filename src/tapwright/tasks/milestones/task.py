"""A graph of milestones as the check of a task, judged while an agent plays."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tapwright.tasks.errors import BadMilestonesError
from tapwright.tasks.milestones.frames import Frame, Watch, frame_of
from tapwright.tasks.milestones.judgement import Graph, judge, read_graph
from tapwright.tasks.task import Judge, Setup, Signals, Task, Verdict

__all__ = ["PassesMilestones", "task_of_rule"]


@dataclass(frozen=True)
class PassesMilestones:
    """The check that is passed when the agent has come by the milestones in their order.

    The score is how much of the best path was passed, the reward of a step what it added to it.
    What cannot be told by the words on the screen is looked for by `watch`.
    """

    graph: Graph
    gap: Literal[0, 1] = 1
    watch: Watch | None = None

    def __repr__(self) -> str:
        return f"PassesMilestones({self.graph!r}, gap={self.gap})"

    def start(self) -> Judge:
        """A judge that has seen nothing yet."""
        return _Judge(self)


class _Judge:
    def __init__(self, check: PassesMilestones) -> None:
        self._check = check
        self._frames = [Frame(instruction=check.graph.instruction)]
        self._score = 0.0

    def step(self, signals: Signals) -> Verdict:
        check = self._check
        instruction = check.graph.instruction
        if signals.action is not None:
            before = self._frames.pop().screen
            assert before is not None  # the screen after the reset came first
            self._frames.append(frame_of(before, signals.action, instruction=instruction))
        self._frames.append(Frame(screen=signals.observation, instruction=instruction))
        judged = judge(check.graph, self._frames, gap=check.gap, watch=check.watch)
        reward, self._score = judged.score - self._score, judged.score
        passed = [id_ for id_, frame in judged.earliest.items() if frame is not None]
        return Verdict(
            score=judged.score,
            reward=reward,
            success=judged.success is True,
            extras={"milestones": list(passed), "unknown": list(judged.unknown)},
        )


def task_of_rule(path: Path) -> Task:
    """The task that a rule file describes: its id, what is asked, and the milestones as its check.

    Raises:
        BadMilestonesError: it is no rule, or does not say what is asked.
    """
    graph = read_graph(path)
    if not graph.instruction:
        raise BadMilestonesError(
            f"{path}: has no description, so there is nothing that an agent could be asked"
        )
    return Task(
        id=graph.task_id or path.stem,
        instruction=graph.instruction,
        apps=(graph.app,) if graph.app else (),
        check=PassesMilestones(graph),
        setup=Setup(),
    )
