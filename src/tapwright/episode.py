"""One attempt at a task: what was seen, what was chosen and why, how it ended.

An episode names its task by id and instruction and holds no task code, so that it can be read
when the task is gone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.actions import Action, RawEvent
from tapwright.observation import Observation

__all__ = [
    "Decision",
    "Episode",
    "EpisodeOutcome",
    "Step",
]

EpisodeOutcome: TypeAlias = Literal["success", "failure", "infeasible", "truncated", "unknown"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What was chosen, why, and on which element.

    `reasoning` is what led to the action, `target` describes the element so that it can be found
    without coordinates. Both are empty when nobody has said.
    """

    action: Action
    reasoning: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A decision with the observation that it was made on (the screen *before* the action).

    `reward` and `instructions` are what the task said in return, `log` the lines that the device
    logged meanwhile, `state` what the task's check read of the apps' state after the action.
    `refused` says why the device did not do it; empty when it did. `raw` holds the recorder's own
    touch-level events that were folded into the action, and `between` the screens after each of
    them but the last (whose screen the next step has), so that all can be written out again.
    `after` is the screen that the action led to, where it was taken: the next step has the one
    that its own action was decided on, and much may have happened meanwhile. `note` is what the
    person who acted says of the step.
    """

    observation: Observation
    decision: Decision
    reward: float = 0.0
    instructions: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    state: Mapping[str, JsonValue] = field(default_factory=dict)
    refused: str = ""
    raw: tuple[RawEvent, ...] = ()
    between: tuple[Observation, ...] = ()
    after: Observation | None = None
    note: str = ""

    @property
    def screens(self) -> tuple[Observation, ...]:
        """Every screen that the step holds, in the order in which they were seen."""
        return (self.observation, *self.between, *([] if self.after is None else [self.after]))


@dataclass(frozen=True, slots=True)
class Episode:
    """One attempt: its steps in order, and the screen after the last one (`final`).

    `agent` and `device` name who acted and where, `version` counts the edits (1 as recorded).
    `created` is an ISO 8601 time in UTC. `extra` is what another tool's format says of it beside
    all this, by that format's names, so that it can be written out again. `log` and `state` are
    those of the reset, as each step has those of its action.
    """

    id: str
    task_id: str
    instruction: str
    steps: tuple[Step, ...]
    final: Observation | None = None
    outcome: EpisodeOutcome = "unknown"
    agent: str = ""
    device: str = ""
    created: str = ""
    version: int = 1
    extra: Mapping[str, str] = field(default_factory=dict, hash=False)
    log: tuple[str, ...] = ()
    state: Mapping[str, JsonValue] = field(default_factory=dict, hash=False)
