"""Requests the place of one element in any convention, and reads it.

A convention with a prompt of its own for that (`GroundingConvention`) is used so. Any other one is
prompted to act, with the element as its instruction, and the place is that of the action it
chooses: that is how agents' models are measured on grounding benchmarks.

Some families answer with the box of what is touched where others have a point (`BoxConvention`).
"""

import re
from typing import Protocol, runtime_checkable

from tapwright.conventions.convention import Convention, GroundingConvention
from tapwright.conventions.parsing import bad_answer
from tapwright.core.actions import Action, Finish, PointAction, TypeText
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.errors import BadTreeError, CorruptEpisodeError

__all__ = [
    "BoxConvention", "grounding_messages", "has_empty_box", "place_of", "read_point", "touched_box",
]  # fmt: skip


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
    if "box" not in answer and not answer.lstrip().startswith("["):
        return False  # said at once of nearly all
    for found in _BOXES.finditer(answer):
        left, top, right, bottom = (float(side) for side in found.groups() if side is not None)
        if left == right or top == bottom:
            return True
    return False


def grounding_messages(
    convention: Convention, target: str, observation: Observation, reasoning: str = ""
) -> list[Message]:
    """The messages that request the place of `target`; `reasoning` is why it is tapped.

    Pictures are those of the observation; `sent_pictures.resize_pictures` makes them those that
    are sent.
    """
    if isinstance(convention, GroundingConvention):
        return convention.grounding_prompt(target, observation, reasoning)
    return convention.prompt(target, (), observation)


def read_point(convention: Convention, text: str, size: Size) -> Point | None:
    """The place that an answer means on a screen of `size`; None: there is no such element.

    Raises:
        BadAnswerError: the answer is not in the grammar, or to do something that has no one place.
    """
    if isinstance(convention, GroundingConvention):
        return convention.parse_point(text, size)
    return place_of(convention.parse(text, size).first)


def place_of(action: Action) -> Point | None:
    """The place of an action, or of what is typed into; None where it gives up: it is not there.

    Raises:
        BadAnswerError: it has no place, or several.
    """
    match action:
        case PointAction(at=at) | TypeText(at=Point() as at):
            return at
        case Finish(outcome="infeasible" | "failure"):
            return None
        case _:
            raise bad_answer(f"the answer is to {action.type}; expected one with a place")
