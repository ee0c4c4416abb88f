"""An agent that ends at once, taps first or never ends, as its seed says: groups of it differ."""

from collections.abc import Sequence

from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.tasks.task import Task


class Gambler:
    """Ends after `seed` modulo 3 taps; with 2 it never does."""

    name = "gambler"

    def __init__(self, seed: int) -> None:
        self._taps = seed % 3

    @classmethod
    def for_task(cls, task: Task | None, seed: int) -> "Gambler":
        return cls(seed)

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        if self._taps < 2 and len(history) >= self._taps:
            return Decision(Finish())
        return Decision(Tap(at=Point(0.5, 0.5)))
