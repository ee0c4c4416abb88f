"""Loops: how they are detected, and a wrapper that warns an agent or ends the attempt.

Two screens are the same when their elements have the same words in the same places, or without
trees when their pictures look the same everywhere; the status bar, where the clock runs on, is left
out of both.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from PIL import Image, ImageChops

from tapwright.agents.agent import Agent
from tapwright.core.actions import Finish
from tapwright.core.episode import Decision, Step, describe_actions
from tapwright.core.language import Language, language_of
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import UsageError

__all__ = ["LOOPING", "LoopGuard", "LoopPolicy", "is_repetition", "show_same_screen"]

LOOPING = "in a loop"
"""The begin of the reason of an attempt that a `LoopGuard` ended."""

LoopPolicy: TypeAlias = Literal["warn", "end"]

_STATUS_BAR = 0.05
"""The upper part of a screen where its clock runs on, as a fraction of the height."""

_LONGEST = 3
_GRID = (24, 48)
_GREY_APART = 6
_NOTE: Mapping[Language, str] = {
    "en": "Note: the last steps ({what}) have been done {times} times on the same screen and have "
    "led nowhere. Do something else now, or end the task if it cannot be done.",
    "zh": "注意：最近的操作（{what}）已在同一界面上重复了 {times} 次，没有任何效果。"
    "请换一种做法；若任务无法完成，请结束任务。",
}


def is_repetition(steps: Sequence[Step], period: int, count: int) -> bool:
    """Whether the last `count` steps are the same `period` actions on the same screens again."""
    if len(steps) < count:
        return False
    last = steps[-count:]
    return all(
        one.decision.actions == other.decision.actions
        and show_same_screen(one.observation, other.observation)
        for one, other in zip(last[period:], last, strict=False)
    )


def show_same_screen(one: Observation, other: Observation) -> bool:
    """Whether two observations show the same, but for the status bar."""
    if one.ui_tree is not None and other.ui_tree is not None:
        return _elements(one) == _elements(other)
    if one.screenshot == other.screenshot:
        return True
    if one.size != other.size or not (one.screenshot.recorded and other.screenshot.recorded):
        return False
    apart = ImageChops.difference(_thumbnail(one.screenshot), _thumbnail(other.screenshot))
    return not any(apart.histogram()[_GREY_APART + 1 :])


class LoopGuard:
    """A wrapper that detects when its agent is in a loop.

    That is when an action was done `times` times on one screen, or two or three actions in turn on
    as many screens, and the screen is that one again. By "warn" the inner agent receives a note
    behind the instruction, for each decision; by "end" the attempt ends as a failure.
    """

    def __init__(self, inner: Agent, then: LoopPolicy, *, times: int = 3) -> None:
        if times < 2:
            raise UsageError(f"a loop after {times} times; expected at least 2")
        self.inner = inner
        self._then = then
        self._times = times
        self._detected = 0

    @property
    def name(self) -> str:
        """The inner agent's: the loop policy stands in the run's configuration."""
        return self.inner.name

    @property
    def tally(self) -> Mapping[str, int]:
        """How often a loop was detected."""
        return {"loops": self._detected}

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """The decision of the inner agent, with a note on a loop if there is one; or the end.

        Raises:
            ModelError: the query of the inner agent failed.
        """
        period = self._period(history, observation)
        if period is None:
            return await self.inner.act(instruction, history, observation)
        self._detected += 1
        what = ", ".join(describe_actions(step.decision.actions) for step in history[-period:])
        if self._then == "end":
            return Decision(Finish(outcome="failure", reason=f"{LOOPING}: {what}"))
        times = _rounds(period, self._times)
        note = _NOTE[language_of(instruction)].format(what=what, times=times)
        return await self.inner.act(f"{instruction}\n\n{note}", history, observation)

    def _period(self, history: Sequence[Step], now: Observation) -> int | None:
        for period in range(1, _LONGEST + 1):
            count = period * _rounds(period, self._times)
            if is_repetition(history, period, count) and show_same_screen(
                history[-period].observation, now
            ):
                return period
        return None


def _rounds(period: int, times: int) -> int:
    """Three different actions in turn count as a loop sooner than one."""
    return times if period < _LONGEST else max(2, times - 1)


def _elements(observation: Observation) -> Hashable:
    assert observation.ui_tree is not None  # the caller has looked
    return tuple(
        (node.text, node.description, node.box)
        for node in observation.ui_tree.nodes
        if node.box is not None and node.box.bottom > _STATUS_BAR
    )


@lru_cache(maxsize=64)
def _thumbnail(screenshot: Screenshot) -> Image.Image:
    """The picture below the status bar in grey, so small that noise of its encoding is lost."""
    image = screenshot.image()
    below = (0, round(image.height * _STATUS_BAR), image.width, image.height)
    return image.convert("L").resize(_GRID, Image.Resampling.BOX, box=below)
