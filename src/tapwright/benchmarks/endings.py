"""How an attempt at a task ended, in one word: the causes that a suite's results are counted by."""

from collections.abc import Hashable, Sequence
from typing import Literal, TypeAlias

from tapwright.actions import Action, Finish
from tapwright.agents.model import UNREADABLE
from tapwright.episode import Episode, Step
from tapwright.observation import Observation

__all__ = [
    "Ending",
    "ending",
    "is_loop",
]

Ending: TypeAlias = Literal[
    "done right",
    "infeasible right",
    "done wrong",
    "infeasible wrong",
    "gave up",
    "bad answers",
    "loop",
    "step limit",
    "time limit",
]
"""The first two are successes.

"done" is what the agent claimed with its last action, or what the task itself said; "infeasible"
is the claim that it cannot be done. "bad answers": its model gave none that could be read. "loop":
a limit was reached while it went round in circles. "time limit" is any limit but that of steps.
"""

_LOOKED_AT = 6
_LONGEST = 3
_STATUS_BAR = 0.05
"""The upper part of a screen where its clock runs on, as a fraction of the height."""


def ending(episode: Episode, *, max_steps: int) -> Ending:
    """How an episode of a task with `max_steps` actions ended; pure."""
    last = episode.steps[-1].decision.action if episode.steps else None
    claim = last if isinstance(last, Finish) else None
    if episode.outcome == "success":
        infeasible = claim is not None and claim.outcome == "infeasible"
        return "infeasible right" if infeasible else "done right"
    if claim is None and episode.outcome == "truncated":
        if is_loop(episode.steps):
            return "loop"
        return "step limit" if len(episode.steps) >= max_steps else "time limit"
    if claim is None or claim.outcome == "success":
        return "done wrong"
    if claim.outcome == "infeasible":
        return "infeasible wrong"
    return "bad answers" if claim.reason.startswith(UNREADABLE) else "gave up"


def is_loop(steps: Sequence[Step]) -> bool:
    """Whether the last six steps repeat one, two or three actions on the same screens.

    The clock at the top, which runs on, makes no other screen.
    """
    if len(steps) < _LOOKED_AT:
        return False
    seen = [_what(step) for step in steps[-_LOOKED_AT:]]
    return any(
        all(one == other for one, other in zip(seen[period:], seen, strict=False))
        for period in range(1, _LONGEST + 1)
    )


def _what(step: Step) -> tuple[Action, Hashable]:
    return step.decision.action, _screen(step.observation)


def _screen(observation: Observation) -> Hashable:
    if observation.ui_tree is None:
        return observation.screenshot.data
    return tuple(
        (node.text, node.description, node.box)
        for node in observation.ui_tree.nodes
        if node.box is not None and node.box.bottom > _STATUS_BAR
    )
