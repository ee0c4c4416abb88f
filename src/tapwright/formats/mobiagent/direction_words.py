"""The words for a swipe's direction that MobiAgent looks for in its reasoning.

Its `compare_actions` takes a `react.json` when each swipe's reasoning has one of these phrases, and
the first that occurs says where the finger goes
(https://github.com/IPADS-SAI/MobiAgent/blob/fd5aa72/collect/annotate.py). Reasoning in another
language, or of what comes into view, gets such a phrase at its end, which is taken off when read.
"""

import re
from collections.abc import Mapping

from tapwright.core.directions import Direction

__all__ = ["add_direction_words", "strip_direction_words"]

_WAYS: tuple[Direction, ...] = ("up", "down", "left", "right")
_PHRASES: Mapping[str, Direction] = {
    f"{start}{motion}": way
    for motion in ("滑动", "滚动")
    for starts in (
        ("向上", "向下", "向左", "向右"),
        ("从下往上", "从上往下", "从右往左", "从左往右"),
    )
    for start, way in zip(starts, _WAYS, strict=True)
}
"""In the order in which they are looked for."""

_ADDED = re.compile(r"（向[上下左右]滑动）\Z")


def add_direction_words(reasoning: str, direction: str) -> str:
    """The reasoning with a phrase for the finger's direction, unless one already says it."""
    said = next((way for phrase, way in _PHRASES.items() if phrase in reasoning), None)
    if not reasoning or said == direction:
        return reasoning
    phrase = next(phrase for phrase, way in _PHRASES.items() if way == direction)
    return f"{reasoning}（{phrase}）"


def strip_direction_words(reasoning: str) -> str:
    """The reasoning without a phrase that was added to it."""
    return _ADDED.sub("", reasoning)
