"""What may go wrong between a set and its trainer, done on purpose, to see that it is seen.

Each break takes the rows of a set of `sft export --to trl --targets l2` and gives other rows.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

HALF_A_CELL = 16
"""Pixels of a picture that is 160 wide, of which a model sees cells of 32."""

_PLACE = re.compile(r"\((\d+),(\d+)\)")


def _moved(change: Callable[[int, int], tuple[int, int]]) -> Callable[[Any], Any]:
    """A set whose answers are at other places."""

    def answer(found: re.Match[str]) -> str:
        x, y = change(int(found[1]), int(found[2]))
        return f"({x},{y})"

    def row(one: Mapping[str, Any]) -> dict[str, Any]:
        (turn,) = one["completion"]
        text = _PLACE.sub(answer, turn["content"][0]["text"])
        content = [{"type": "text", "text": text}]
        return {"completion": [{"role": "assistant", "content": content}]}

    return lambda rows: rows.map(row)


def without_mask(rows: Any) -> Any:
    """The same set as one conversation, whose questions the loss counts, too."""
    return rows.map(
        lambda one: {"messages": one["prompt"] + one["completion"]},
        remove_columns=["prompt", "completion"],
    )


BREAKS: Mapping[str, Callable[[Any], Any]] = {
    "half-a-cell": _moved(lambda x, y: (x + HALF_A_CELL, y + HALF_A_CELL)),
    "swapped-axes": _moved(lambda x, y: (y, x)),
    "no-mask": without_mask,
}
"""By name; each gives the set that it makes."""
