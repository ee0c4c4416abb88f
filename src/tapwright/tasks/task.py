"""What is asked, how the device is set up for it, and how to tell that it is done.

A check may have a memory over the steps of an episode, so a task holds what starts one. Judging
sees signals, never the device: the same check runs on a recorded episode.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from pydantic import JsonValue

from tapwright.actions import Action, Outcome
from tapwright.observation import Observation
from tapwright.setup import SetupStep
from tapwright.tasks.solution import Move

__all__ = [
    "Check",
    "Judge",
    "Setup",
    "Signals",
    "Suite",
    "Task",
    "Verdict",
]


@dataclass(frozen=True, slots=True)
class Signals:
    """What a check may look at after one step.

    `log` has all lines since the reset, `state` reads what apps hold at a dotted path. `action`
    is what the agent did in this step, None for the screen after the reset. `answer` is what the
    agent told the user last, `claim` the outcome it ended with; None before that.
    """

    observation: Observation
    log: Sequence[str]
    state: Callable[[str], JsonValue]
    action: Action | None = None
    answer: str | None = None
    claim: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check says of one step.

    `score` is how much is done, 0 to 1. `reward` is what this step earned. `ended` tells that
    the task itself is over, whatever the agent does; `truncated`, that it ended at a limit of its
    own. `success` counts when the episode ends. `extras` are values that the task gives beside it.
    """

    score: float
    reward: float
    success: bool
    ended: bool = False
    truncated: bool = False
    instructions: tuple[str, ...] = ()
    extras: Mapping[str, JsonValue] = field(default_factory=dict)


class Judge(Protocol):
    """One check at work on one episode."""

    def step(self, signals: Signals) -> Verdict:
        """Judge the screen after a step; called first for the screen after the reset."""


class Check(Protocol):
    """How to tell that a task is done.

    Its `repr` says all that it checks and is the same in every process: runs are told apart by it.
    """

    def start(self) -> Judge:
        """A judge without memory of earlier episodes."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What the device is reset to: `state` by dotted path over the seeded one, `app` in front.

    `steps` are done after that, in order.
    """

    seed: int = 0
    state: Mapping[str, JsonValue] = field(default_factory=dict)
    app: str = ""
    steps: tuple[SetupStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do on a device.

    A task whose words are known only once the device is set up has no `instruction` but an
    `instruction_at`: the path of the device's state where they stand then.
    `apps` names what it plays in, `max_steps` how many actions an agent has, `language` the
    device's. `solution` is a script that does it, empty when nobody wrote one. `kind` says in a
    word what sort of task it is ("ask", "create", …), for results by kind.
    """

    id: str
    instruction: str
    apps: tuple[str, ...]
    check: Check
    setup: Setup = Setup()
    max_steps: int = 30
    language: str = "en"
    solution: tuple[Move, ...] = ()
    kind: str = ""
    instruction_at: str = ""


Suite: TypeAlias = Callable[[], Sequence[Task]]
"""Makes the tasks of a suite, the same every time."""
