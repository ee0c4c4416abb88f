"""A task: its instruction, the setup of its device, and the check that it is done.

A check may have a state over the steps of an episode, so it makes a judge for each episode. A judge
sees signals, never the device, so the same check runs on a recorded episode.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from pydantic import JsonValue

from tapwright.core.actions import Action, Outcome
from tapwright.core.observation import Observation
from tapwright.core.task_setup import SetupStep
from tapwright.tasks.solution import Move

__all__ = ["Check", "Judge", "Setup", "Signals", "Suite", "Task", "Verdict"]


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals of one step, which is all that a judge sees.

    `log` has all lines since the reset, `state` reads the state of apps at a dotted path. `action`
    is the agent's action in this step, None for the screen after the reset. `answer` is the agent's
    last answer to the user, `claim` the outcome with which it finished; None before that.
    """

    observation: Observation
    log: Sequence[str]
    state: Callable[[str], JsonValue]
    action: Action | None = None
    answer: str | None = None
    claim: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a judge on one step.

    `score` is how much is done, 0 to 1. `reward` is what this step earned. `ended` is True when the
    task itself is over, whatever the agent does, `truncated` when it ended at a limit of its own.
    `success` counts when the episode ends. `extras` are further values that the task reports.
    """

    score: float
    reward: float
    success: bool
    ended: bool = False
    truncated: bool = False
    instructions: tuple[str, ...] = ()
    extras: Mapping[str, JsonValue] = field(default_factory=dict)


class Judge(Protocol):
    """Judges the steps of one episode."""

    def step(self, signals: Signals) -> Verdict:
        """Judge the screen after a step; called first for the screen after the reset."""


class Check(Protocol):
    """Decides whether a task is done.

    Its `repr` holds all that it checks and is the same in every process: it identifies runs.
    """

    def start(self) -> Judge:
        """Return a judge for a new episode."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A device's state after reset: `state` by dotted path over the seeded one, `app` in front.

    `steps` are performed after that, in order.
    """

    seed: int = 0
    state: Mapping[str, JsonValue] = field(default_factory=dict)
    app: str = ""
    steps: tuple[SetupStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One task on a device.

    A task whose instruction is known only once the device is set up has no `instruction` but an
    `instruction_at`: the path of the device's state that then holds it. `apps` are those that it
    needs, `max_steps` is the number of actions that an agent has, `language` the device's.
    `solution` is a script that solves it, empty if there is none. `kind` is the kind of task in a
    word ("ask", "create", …), for results by kind. `replies` are what the user says, in their
    order, when an agent asks; once they are used up nobody answers.
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
    replies: tuple[str, ...] = ()


Suite: TypeAlias = Callable[[], Sequence[Task]]
"""Returns the tasks of a suite, the same every time."""
