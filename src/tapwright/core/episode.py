"""One attempt at a task: its observations, the decisions made on them, and its outcome.

An episode names its task by id and instruction and holds no task code, so that it can be read
when the task is gone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.core.actions import Action, RawEvent
from tapwright.core.observation import Observation

__all__ = [
    "APPS",
    "GROUP",
    "LET_GO",
    "TAKEOVER_BEFORE_STEP",
    "Decision",
    "Episode",
    "EpisodeOutcome",
    "Step",
]

TAKEOVER_BEFORE_STEP = "mobiagent: before it, takeover "
"""The log line of a person who took over before a step, up to the word "start" or "end".

It names the recorder that wrote such lines first, so that imported recordings and ours are alike.
"""

LET_GO = "tapwright: at the end, let go "
"""The log line of keys and buttons that were down when an attempt ended, up to their names."""

GROUP = "group"
"""The key of an episode's `extra` whose value plays of one task over the same data share."""

APPS = "apps"
"""The key of an episode's `extra` whose value names its apps, a line for each, where a data set
names those of a whole episode."""

EpisodeOutcome: TypeAlias = Literal[
    "success", "failure", "infeasible", "truncated", "asked", "interrupted", "unknown"
]
"""How an attempt ended: "asked" is one that asked the user something that nobody
answered; "interrupted" is one that did not end, as it is still being played, its process was killed
or its device was lost; "unknown" is one that ended and was not judged."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An action, the reason for it, and the element it acts on.

    `reasoning` is what led to the action, `target` describes the element so that it can be found
    without coordinates. Both are empty where they are not known.
    """

    action: Action
    reasoning: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A decision with the observation that it was made on (the screen *before* the action).

    `reward` and `instructions` are the task's response, `log` the lines that the device logged
    during the action, `state` the apps' state that the task's check read after it. `refused` is
    the reason why the device did not perform it; empty when it did. `raw` holds the recorder's own
    touch-level events that were folded into the action, and `between` the screens after each of
    them but the last (whose screen the next step has), so that all can be written out again.
    `step_instruction` tells what to do in this step alone ("tap the search bar"), in data sets that
    have such words; it is neither why the action was chosen nor what its target looks like.
    `after` is the screen that the action led to, where it was captured: the next step has the one
    that its own action was decided on, and much may have happened in between. `note` is a remark
    of the person who acted.
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
    step_instruction: str = ""

    @property
    def screens(self) -> tuple[Observation, ...]:
        """Every screen that the step holds, in the order in which they were observed."""
        return (self.observation, *self.between, *([] if self.after is None else [self.after]))


@dataclass(frozen=True, slots=True)
class Episode:
    """One attempt: its steps in order, and the screen after the last one (`final`).

    `agent` and `device` name who acted and where, `version` counts the edits (1 as recorded).
    `created` is an ISO 8601 time in UTC. `extra` holds the fields of another tool's format that
    have no place here, by that format's names, so that they can be written out again, and the
    `GROUP` of one that was played several times. `log` and
    `state` are those of the reset, as each step has those of its action.
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

    @property
    def has_ended(self) -> bool:
        """Whether the attempt was played to its end; if not, its recording may go on."""
        return self.outcome != "interrupted"
