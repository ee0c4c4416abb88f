"""The progress of a demonstration as plain data, without pictures, for those who display it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.core.actions import Action, Key
from tapwright.core.episode import EpisodeOutcome, Remark, Step, describe_actions
from tapwright.record.restoring import DeviceChange

__all__ = [
    "CommandDone", "CommandResult", "DemonstrationProgress", "JudgeView", "StepSaved", "StepView",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class StepView:
    """A recorded step as text; `frame_sha` is the hash of the screen before it.

    `reward` is in points, `reply` what the user answered to a question.
    """

    index: int
    action: Action
    description: str
    target: str
    stale: bool
    refused: str
    note: str
    reward: float
    instructions: tuple[str, ...]
    reply: str
    said: tuple[Remark, ...]
    frame_sha: str
    time_s: float

    @classmethod
    def of(cls, index: int, step: Step) -> "StepView":
        """The view of a step; `index` counts from 0."""
        seen, decision = step.observation, step.decision
        return cls(
            index=index,
            action=decision.first,
            description=describe_actions(decision.actions),
            target=decision.target,
            stale=seen.stale,
            refused=step.refused,
            note=step.note,
            reward=step.reward,
            instructions=step.instructions,
            reply="" if step.after is None else step.after.message,
            said=step.said,
            frame_sha=seen.screenshot.sha256,
            time_s=seen.time_s,
        )


@dataclass(frozen=True, slots=True)
class JudgeView:
    """The current verdict of the task's check.

    `reward` is the points of the last step, `total` those of all; `instructions` are all that
    were given so far. `wrong` is the reason why the check cannot judge; then the rest is as before.
    """

    score: float = 0.0
    reward: float = 0.0
    total: float = 0.0
    success: bool = False
    ended: bool = False
    instructions: tuple[str, ...] = ()
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class DemonstrationProgress:
    """A demonstration at one moment.

    `apps` are the names that can be opened, `keys` those that the device has. `judge` is None when
    the task has no check. `message` describes the device's failure, and `disk` why a step could not
    be written; both are "" when all is well. `said` was written down for the next step.
    `interrupted` is why the device has to be brought back before the next action, `restoring` the
    step that is being played again meanwhile, from 0. `outcome` is None until the end, "discarded"
    if it was discarded.
    """

    connected: bool
    message: str
    interrupted: DeviceChange | None
    restoring: int | None
    disk: str
    size: tuple[int, int] | None
    apps: tuple[str, ...]
    keys: tuple[Key, ...]
    steps: tuple[StepView, ...]
    undone: int
    paused: bool
    takeover: bool
    said: tuple[Remark, ...]
    judge: JudgeView | None
    outcome: EpisodeOutcome | Literal["discarded"] | None


@dataclass(frozen=True, slots=True)
class StepSaved:
    """A step is on disk."""

    key: str
    step: StepView
    judge: JudgeView | None


@dataclass(frozen=True, slots=True)
class CommandDone:
    """A command that makes no step was executed, and is on disk."""

    key: str


CommandResult: TypeAlias = StepSaved | CommandDone
