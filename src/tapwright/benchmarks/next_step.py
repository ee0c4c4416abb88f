"""The sample of step accuracy: one recorded step to be found.

The episodes of a large store do not fit in memory, so each is read when one of its samples is used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from tapwright.benchmarks.benchmark import StaticSample
from tapwright.core.actions import Action, ActionAdapter
from tapwright.core.episode import Episode, Step
from tapwright.core.observation import Observation

__all__ = ["NextStep", "dump_actions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep(StaticSample):
    """One step to be found: that of this `number` in the episode that `read` returns."""

    number: int
    read: Callable[[], Episode] = field(compare=False, repr=False)

    @property
    def step(self) -> Step:
        """The step as it was recorded."""
        return self.read().steps[self.number]

    @property
    def history(self) -> tuple[Step, ...]:
        """The steps before it."""
        return self.read().steps[: self.number]

    @property
    def truth(self) -> JsonValue:
        """The recorded action, as JSON; a list of several."""
        return dump_actions(self.step.decision.actions)

    @property
    def cluster(self) -> str:
        """The episode."""
        return self.labels["episode"]

    def observe(self) -> Observation:
        """The screen on which the step was chosen."""
        return self.step.observation


def dump_actions(actions: Sequence[Action]) -> JsonValue:
    """An action as JSON; a list of several."""
    found: list[JsonValue] = [ActionAdapter.dump_python(one, mode="json") for one in actions]
    return found[0] if len(found) == 1 else found
