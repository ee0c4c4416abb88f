"""An agent of your own: it looks at the screen and decides on an action.

Try it:     tapwright record --agent own:make --limit 1
Measure it: tapwright eval run l3 -m own:make --limit 3
"""

from collections.abc import Sequence
from random import Random

from tapwright import Decision, Finish, Point, Tap
from tapwright.core.episode import Step
from tapwright.core.observation import Observation
from tapwright.tasks.task import Task


class Own:
    """Taps somewhere ten times, the same places for the same seed, and gives up."""

    name = "own"

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """The next action; `history` is what was seen and done before, oldest first."""
        if len(history) >= 10:
            return Decision(Finish(outcome="failure"), "ten taps were in vain")
        # Places are fractions of the screen, from its upper left corner.
        place = Point(self._chance.random(), self._chance.random())
        return Decision(Tap(at=place), "it may be here", target="something")


def make(task: Task, seed: int) -> Own:
    """A new agent for each attempt at a task."""
    return Own(seed)
