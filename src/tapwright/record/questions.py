"""What the user answers to questions that are asked while a person demonstrates.

The task's script answers them in their order, as in an environment; once it is used up, a person
does. An answer is the message of the screen after the question, and of the next one acted on.
"""

from collections.abc import Sequence
from dataclasses import replace

from tapwright.core.actions import Action, AskUser
from tapwright.core.episode import Step
from tapwright.core.observation import Observation
from tapwright.record.errors import RecordingError
from tapwright.record.progress import StepView
from tapwright.tasks.task import Task

__all__ = ["answer_last", "answer_step", "find_reply", "last_reply"]


def last_reply(views: Sequence[StepView]) -> str:
    """What was answered to the question of the last step; "" where it asked none, or waits."""
    return views[-1].reply if views else ""


def find_reply(action: Action, views: Sequence[StepView], task: Task) -> str:
    """What the task has the user answer to an action after these steps; "" where it has nothing."""
    if not isinstance(action, AskUser):
        return ""
    asked = sum(isinstance(view.action, AskUser) for view in views)
    return next(iter(task.replies[asked:]), "")


def answer_step(step: Step, after: Observation, reply: str) -> Step:
    """The step with the screen after it and what the user answered; "" is no answer."""
    texts = (*step.instructions, *filter(None, [reply]))
    return replace(step, after=replace(after, message=reply), instructions=texts)


def answer_last(steps: Sequence[Step], reply: str) -> Step:
    """The last step with an answer to its question, in place of an earlier one.

    Raises:
        RecordingError: it asked nothing.
    """
    if not steps or not isinstance(steps[-1].decision.first, AskUser):
        raise RecordingError("the last step asked the user nothing", hint="ask first")
    step = steps[-1]
    after = step.after or replace(step.observation, stale=True)
    texts = step.instructions[:-1] if after.message else step.instructions
    return answer_step(replace(step, instructions=texts), after, reply)
