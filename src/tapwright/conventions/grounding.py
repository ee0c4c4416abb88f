"""Requests the place of one element in any convention, and reads it.

A convention with a prompt of its own for that (`GroundingConvention`) is used so. Any other one is
prompted to act, with the element as its instruction, and the place is that of the action it
chooses: that is how agents' models are measured on grounding benchmarks.
"""

from tapwright.conventions.convention import Convention, GroundingConvention
from tapwright.conventions.parsing import bad_answer
from tapwright.core.actions import Action, Finish, PointAction
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation

__all__ = ["grounding_messages", "place_of", "read_point"]


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
    return place_of(convention.parse(text, size).action)


def place_of(action: Action) -> Point | None:
    """The one place of an action; None where it gives up, as there is no such element.

    Raises:
        BadAnswerError: it has no place, or several.
    """
    match action:
        case PointAction(at=at):
            return at
        case Finish(outcome="infeasible" | "failure"):
            return None
        case _:
            raise bad_answer(f"the answer is to {action.type}; expected one with a place")
