"""The outcome of a recorded episode, found anew from its steps by its task's check."""

from collections.abc import Mapping
from dataclasses import dataclass

from tapwright.core.episode import Episode, EpisodeOutcome
from tapwright.errors import TaskError
from tapwright.tasks.attempt import RecordedAttempt, judge_recording
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.definitions.task import EventCheck
from tapwright.tasks.task import Task

__all__ = ["Rejudgement", "rejudge"]


@dataclass(frozen=True, slots=True)
class Rejudgement:
    """The outcome that is stored, the one that the steps prove, and why it cannot be told.

    `is_claimed` is one that is the same, and was not proved so far.
    """

    id: str
    stored: EpisodeOutcome
    proved: EpisodeOutcome
    undecided: str = ""
    is_claimed: bool = False

    @property
    def differs(self) -> bool:
        """Whether the steps prove another outcome than the one that is stored."""
        return self.stored != self.proved


def rejudge(episode: Episode, tasks: Mapping[str, Task]) -> Rejudgement:
    """Judge an episode by its task; what its recording cannot prove keeps its stored outcome.

    An attempt that ended neither by its check nor by its actor, and did not reach its goal, keeps
    its outcome too, unless that is success.
    """
    stored = episode.outcome
    task = tasks.get(episode.task_id)
    if task is None:
        return Rejudgement(episode.id, stored, stored, f"no definition of task {episode.task_id!r}")
    if isinstance(task.check, Unchecked):
        return Rejudgement(episode.id, stored, stored, f"task {task.id!r} has no check")
    try:
        judged = judge_recording(task, episode)
    except TaskError as error:
        return Rejudgement(episode.id, stored, stored, str(error))
    missing = _find_missing(judged, task, episode)
    if missing:
        return Rejudgement(episode.id, stored, stored, f"not recorded: {missing}")
    outcome = judged.judge.outcome
    proves = judged.judge.evidence == "proved"
    if judged.judge.final is None and outcome != "success":
        outcome = "failure" if stored == "success" else stored
    is_claimed = outcome == stored and episode.evidence == "claimed"
    return Rejudgement(episode.id, stored, outcome, is_claimed=is_claimed and proves)


def _find_missing(judged: RecordedAttempt, task: Task, episode: Episode) -> str:
    """What a verdict other than success would need; a log without any line was not recorded."""
    if judged.judge.outcome == "success":
        return ""
    if judged.missing:
        return judged.missing[0]
    reads = isinstance(task.check, EventCheck) and "log_event" in task.check.kinds
    if reads and not any((episode.log, *(step.log for step in episode.steps))):
        return "the device's log"
    return ""
