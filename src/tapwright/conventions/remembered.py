"""What was said of a decision, remembered for the prompts of the steps after it.

A decision is known here by which object it is: to hash and to compare all that it holds takes as
long as to say it.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVarTuple

from tapwright.core.episode import Decision

__all__ = ["remember"]

Ts = TypeVarTuple("Ts")

_MOST = 256


def remember(say: Callable[[Decision, *Ts], str]) -> Callable[[Decision, *Ts], str]:
    """`say`, called once for a decision with the same other arguments."""
    kept: dict[int, tuple[Decision, tuple[object, ...], str]] = {}

    @wraps(say)
    def recall(decision: Decision, /, *args: *Ts) -> str:
        known = kept.get(id(decision))
        # It is kept with its words, so that no other object has its id.
        if known is None or known[0] is not decision or known[1] != args:
            if len(kept) >= _MOST:
                kept.clear()
            known = kept[id(decision)] = decision, args, say(decision, *args)
        return known[2]

    return recall
