"""Who sets a task up and judges it in place of the task's own set-up and check.

The check of a task reads signals after every step. The evaluators of published suites are programs
that look at the device once, at the end: a referee asks one of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from tapwright.core.episode import EpisodeOutcome
from tapwright.devices.device import Device
from tapwright.harnesses.protocol import Attempt, Evaluation, Preparation

__all__ = ["REFEREE", "Referee", "Ruling", "rule"]

REFEREE = "suite"
"""Where the state of an episode's first and last step has what the referee told."""


class Referee(Protocol):
    """Sets one task up and judges one attempt at it; its methods block."""

    def set_up(self, device: Device) -> Preparation:
        """Prepare a device that was reset; what is asked."""

    def evaluate(self, attempt: Attempt) -> Evaluation:
        """Judge the attempt that has ended."""

    def facts(self) -> Mapping[str, JsonValue]:
        """What else a recording should say: who judged, at which version."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The end of an attempt by its referee; `told` is kept in the last step's state."""

    outcome: EpisodeOutcome
    told: Mapping[str, JsonValue] = field(default_factory=dict)


def rule(referee: Referee, attempt: Attempt, reached: EpisodeOutcome) -> Ruling:
    """The ruling on an attempt that would have ended as `reached`; success is the referee's to say.

    Raises:
        TapwrightError: the evaluator failed; the attempt has no score then.
    """
    found = referee.evaluate(attempt)
    failed: EpisodeOutcome = "failure" if reached == "success" else reached
    outcome: EpisodeOutcome = "success" if found.score >= 1 else failed
    return Ruling(outcome, {"score": found.score, "reason": found.reason, **referee.facts()})
