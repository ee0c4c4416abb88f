"""An agent that plays a task's own solution: the proof that the task can be done."""

from collections.abc import Sequence

from tapwright.core.actions import Finish
from tapwright.core.episode import Decision, Step
from tapwright.core.observation import Observation
from tapwright.tasks.errors import SOLUTION_MISSING
from tapwright.tasks.solution import SolutionScript
from tapwright.tasks.task import Task

__all__ = ["ScriptAgent"]


class ScriptAgent:
    """Walks through a script, and finishes with success when no move is left."""

    def __init__(self, script: SolutionScript) -> None:
        self._script = script

    @classmethod
    def for_task(cls, task: Task | None, seed: int) -> "ScriptAgent":
        """The agent for a task's solution; it leaves nothing to chance, so `seed` is not used.

        Raises:
            TaskError: nobody wrote a solution for the task.
        """
        if task is None or not task.solution:
            raise SOLUTION_MISSING(
                f"{f'the task {task.id}' if task else 'a still picture'} has no scripted solution",
                hint="choose another agent",
            )
        return cls(SolutionScript(task.solution))

    name = "script"

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """The next move on this screen.

        Raises:
            TaskError: the element of the next move is not to be found.
        """
        if self._script.done:
            return Decision(Finish(outcome="success"))
        return self._script.decide(observation)
