"""Reads places as a family's own evaluator did, where that is not how its agent reads them.

A published number is the evaluator's: its unit, its first match, its way with what it cannot read.
A rule of `score_rules` names its reader, and then neither a unit nor a convention is asked.
"""

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from tapwright.benchmarks.answers import PointAnswer
from tapwright.core.geometry import Point

__all__ = ["READERS", "PublishedReader"]

PublishedReader: TypeAlias = Callable[[str], PointAnswer]

# Longer numbers than Python reads end that program, and there is no row.
_MAI_UI = re.compile(r"\[(\d{1,4300}),(\d{1,4300})\]")


def _mai_ui(answer: str) -> PointAnswer:
    """The first `[x,y]` of whole numbers without blanks, thoughts included, divided by 1000.

    Its agent divides by 999 (src/mai_grounding_agent.py).
    """
    found = _MAI_UI.search(answer)
    if found is None:
        return PointAnswer(None, "none", "mai-ui", reason="no [x,y] of whole numbers")
    x, y = (int(number) for number in found.groups())
    if max(x, y) > 1000:
        reason = f"({x:.6g}, {y:.6g}) is off the screen" if max(x, y) < 10**9 else "off the screen"
        return PointAnswer(None, "out_of_range", "mai-ui", found.span(), reason)
    point = Point(x / 1000, y / 1000)
    return PointAnswer(point, "ok", "mai-ui", found.span(), "", (x, y), (point.x, point.y))


READERS: Mapping[str, PublishedReader] = {"mai-ui": _mai_ui}
"""The readers, by the name of their rule."""
