"""The box of what is touched, for families that answer with a box where others have a point."""

import re
from typing import Protocol, runtime_checkable

from tapwright.core.actions import PointAction
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Size
from tapwright.errors import BadTreeError, CorruptEpisodeError

__all__ = ["BoxConvention", "has_empty_box", "touched_box"]


@runtime_checkable
class BoxConvention(Protocol):
    """A convention whose answers name what is touched by its box.

    `Convention.render` knows a point alone, and writes it as a box without area.
    """

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """As `Convention.render`, with the box of what is touched where it is known.

        Raises:
            UnsupportedByConventionError: the grammar has no such action.
        """


def touched_box(step: Step) -> Box | None:
    """The box of the smallest element that can be clicked where a step acts.

    None without a view hierarchy that can be read, or where the element has no area.
    """
    tree = step.observation.ui_tree
    match step.decision.first:
        case PointAction(at=at) if tree is not None:
            try:
                node = tree.at(at)
            except (BadTreeError, CorruptEpisodeError):
                return None
        case _:
            return None
    box = node.box if node is not None and node.is_("clickable") else None
    return box if box is not None and box.area > 0 else None


_NUMBER = r"\s*(-?\d+(?:\.\d+)?)\s*"
_SIDES = ",".join([_NUMBER] * 4)
_PAIRS = rf"\({_NUMBER},{_NUMBER}\)\s*,\s*\({_NUMBER},{_NUMBER}\)"
_BOXES = re.compile(
    rf"""["']?\b(?:bbox|bbox_2d|box_2d|box)["']?\s*[:=]\s*\[+{_SIDES}\]"""
    rf"|<\|box_start\|>{_PAIRS}"
    rf"|\A\s*\[{_SIDES}\]\s*\Z"
)


def has_empty_box(answer: str) -> bool:
    """Whether an answer has a box without area, as a point alone makes one."""
    for found in _BOXES.finditer(answer):
        left, top, right, bottom = (float(side) for side in found.groups() if side is not None)
        if left == right or top == bottom:
            return True
    return False
