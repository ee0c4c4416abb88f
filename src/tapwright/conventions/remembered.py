"""What was said of a decision or a step, remembered for the prompts of the steps after it.

It is known here by which object it is: to hash and to compare all that it holds takes as long as to
say it.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

__all__ = ["remember"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_MOST = 256


def remember(say: Callable[[T, *Ts], str]) -> Callable[[T, *Ts], str]:
    """`say`, called once for a decision or a step with the same other arguments."""
    kept: dict[int, tuple[T, tuple[object, ...], str]] = {}

    @wraps(say)
    def recall(told: T, /, *args: *Ts) -> str:
        known = kept.get(id(told))
        # It is kept with its words, so that no other object has its id.
        if known is None or known[0] is not told or known[1] != args:
            if len(kept) >= _MOST:
                kept.clear()
            known = kept[id(told)] = told, args, say(told, *args)
        return known[2]

    return recall
