"""Judges a recorded episode by a task's events, and tells which of them fired at which step."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tapwright.core.actions import describe
from tapwright.core.episode import Episode, EpisodeOutcome
from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.attempt import judge_recording
from tapwright.tasks.definitions.task import EventCheck, EventJudge, limit_of
from tapwright.tasks.events.graph import Compat
from tapwright.tasks.events.tree import EventOutcome
from tapwright.tasks.task import Task

__all__ = ["ReplayJudgement", "ReplayStep", "judge_episode"]


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One step of a recording with its outcome; number 0 is the screen after reset."""

    number: int
    action: str
    outcome: EventOutcome


@dataclass(frozen=True, slots=True)
class ReplayJudgement:
    """The steps up to the end by the task, and what became of the attempt.

    `missing` describes what was not recorded; `outcome` is None where too much is missing to tell.
    """

    steps: tuple[ReplayStep, ...]
    missing: tuple[str, ...]
    outcome: EpisodeOutcome | None


def judge_episode(
    episode: Episode,
    definition: pb.Task,
    *,
    folder: Path | None = None,
    compat: Compat | None = None,
) -> ReplayJudgement:
    """Judges an episode by a task's events; `folder` holds the pictures that the task names.

    Raises:
        NotRecordedError: the episode has no step.
        BadDefinitionError: the events are not valid.
        EventValueError: a transformation does not fit a value of this recording.
    """
    check = EventCheck(definition, folder, compat)
    attempt = judge_recording(
        Task(definition.id, "", (), check, max_steps=limit_of(definition)), episode
    )
    events = attempt.judge.judge
    assert isinstance(events, EventJudge)
    steps = tuple(
        ReplayStep(number, action, outcome)
        for (number, action), outcome in zip(_moments(episode), events.outcomes, strict=False)
    )
    return ReplayJudgement(steps, attempt.missing, attempt.outcome)


def _moments(episode: Episode) -> Iterator[tuple[int, str]]:
    """The number and the action of each screen that is judged."""
    yield 0, "reset"
    for number, step in enumerate(episode.steps, start=1):
        for event in step.raw[: len(step.between)]:
            yield number, event.type
        for moment in step.moments:
            yield number, describe(moment.action)
