"""A random baseline: the score of a benchmark without any understanding."""

import random
from collections.abc import Sequence
from typing import Self

from tapwright.agents.text_matching import read_options
from tapwright.core.actions import Action, Answer, Finish, PressKey, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.tasks.task import Task

__all__ = ["RandomAgent"]

_WORDS = ("hello", "milk", "42", "Anna", "你好")
_FINISH, _BACK, _TYPE, _SWIPE = 0.03, 0.08, 0.08, 0.15


class RandomAgent:
    """Draws among the letters of a question, or among taps, swipes, words, back and the end.

    What it draws depends on `seed`, the instruction, the screen and the number of steps before,
    so the same attempt is played the same way in whatever order attempts are made.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @classmethod
    def for_task(cls, task: Task | None, seed: int) -> Self:
        """A fresh one; the task changes nothing."""
        return cls(seed)

    name = "random"

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """Any decision."""
        chance = random.Random(
            f"{self.seed} {instruction} {len(history)} {observation.screenshot.sha256}"
        )
        options = read_options(instruction)
        if options:
            return Decision(Answer(text=chance.choice(sorted(options))))
        if "(x,y)" in instruction:
            return Decision(self._tap(observation, chance))
        return Decision(self._play(observation, chance))

    def _play(self, observation: Observation, chance: random.Random) -> Action:
        drawn = chance.random()
        for share, make in (
            (_FINISH, lambda: Finish()),
            (_BACK, lambda: PressKey(key="back")),
            (_TYPE, lambda: TypeText(text=chance.choice(_WORDS))),
            (_SWIPE, lambda: self._swipe(chance)),
        ):
            if drawn < share:
                return make()
            drawn -= share
        return self._tap(observation, chance)

    def _tap(self, observation: Observation, chance: random.Random) -> Tap:
        tree = observation.ui_tree
        nodes = tree.nodes if tree is not None else ()
        places = [node.box.center for node in nodes if node.is_("clickable") and node.box]
        if places:
            return Tap(at=chance.choice(places))
        return Tap(at=Point(chance.random(), chance.random()))

    def _swipe(self, chance: random.Random) -> Swipe:
        ends = [Point(0.5, 0.75), Point(0.5, 0.25)]
        chance.shuffle(ends)
        return Swipe(start=ends[0], end=ends[1], duration_s=0.3)
