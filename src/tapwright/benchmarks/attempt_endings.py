"""How an attempt at a task ended, in one word: the causes that a suite's results are counted by."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.agents.loops import LOOPING, is_repetition
from tapwright.agents.model import UNREADABLE
from tapwright.agents.wrappers import TIMED_OUT
from tapwright.benchmarks.benchmark import Score
from tapwright.core.episode import Episode, Step

__all__ = ["Ending", "classify_ending", "is_loop", "own_score"]

Ending: TypeAlias = Literal[
    "done right",
    "infeasible right",
    "done wrong",
    "infeasible wrong",
    "gave up",
    "asked",
    "bad answers",
    "too slow",
    "loop",
    "step limit",
    "time limit",
]
"""The first two are successes.

"done" is what the agent claimed with its last action, or what the task itself reported;
"infeasible" is the claim that it cannot be done. "asked": it ended with a question that nobody
answered. "bad answers": its model gave none that could be read. "too slow": a decision took longer
than it might. "loop": it was in a loop, and was ended for that or reached a limit. "time limit" is
any limit but that of steps.
"""

_LOOKED_AT = 6
_LONGEST = 3
_ENDED_BY: Mapping[str, Ending] = {
    UNREADABLE: "bad answers",
    LOOPING: "loop",
    TIMED_OUT: "too slow",
}
"""By the begin of the reason of a failure that was not the agent's own decision."""


def classify_ending(episode: Episode, *, max_steps: int) -> Ending:
    """How an episode of a task with `max_steps` actions ended; pure."""
    claim = episode.steps[-1].decision.ending if episode.steps else None
    if episode.outcome == "success":
        infeasible = claim is not None and claim.outcome == "infeasible"
        return "infeasible right" if infeasible else "done right"
    if claim is None and episode.outcome == "truncated":
        if is_loop(episode.steps):
            return "loop"
        return "step limit" if len(episode.steps) >= max_steps else "time limit"
    if claim is None and episode.outcome == "asked":
        return "asked"
    if claim is None or claim.outcome == "success":
        return "done wrong"
    if claim.outcome == "infeasible":
        return "infeasible wrong"
    ended = (one for reason, one in _ENDED_BY.items() if claim.reason.startswith(reason))
    return next(ended, "gave up")


def own_score(value: float, episode: Episode, detail: Mapping[str, JsonValue]) -> Score:
    """The score of an attempt, `value` of 0 to 1; none where a person acted for the agent.

    Then the detail says how many steps were theirs: `steps_by_person`.
    """
    helped = sum(bool(step.by) for step in episode.steps)
    if helped:
        return Score(None, "ok", episode.outcome, {**detail, "steps_by_person": helped})
    return Score(value, "ok", episode.outcome, detail)


def is_loop(steps: Sequence[Step]) -> bool:
    """Whether the last six steps repeat one, two or three actions on the same screens.

    The clock at the top, which runs on, makes no other screen.
    """
    return any(is_repetition(steps, period, _LOOKED_AT) for period in range(1, _LONGEST + 1))
