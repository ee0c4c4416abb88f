"""What step rules judge and measure: the recorded step, the verdict, and places, texts, movements.

Distances are in fractions of width and height, boundaries included.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

from tapwright.core.actions import Action, Drag, PointAction, Scroll, Swipe
from tapwright.core.directions import OPPOSITE, Direction, finger_direction, scroll_direction
from tapwright.core.geometry import Box, Point, Size

__all__ = [
    "NORMALISED", "WRONG_TYPE", "Bounds", "StepReference", "StepRule", "StepVerdict",
    "all_or_nothing", "enlarge", "gesture_direction", "is_inside", "is_within", "middle_distance",
    "one_holds_other", "place_of",
]  # fmt: skip

Bounds: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom in fractions; unlike a `Box`, it may reach beyond the screen."""

NORMALISED = Size(1, 1)
"""For the direction of a movement in shares of width and height; others compare it in pixels."""


@dataclass(frozen=True, slots=True)
class StepReference:
    """The reference of a step: the recorded action, and what is known of its screen.

    `size` is that of the screen, `elements` are the boxes on it, `target` that of the element that
    was acted on. `bounds` are those of every element of the view hierarchy as recorded, empty ones
    and those off the screen among them; without them a rule takes `elements`.
    """

    action: Action
    size: Size
    elements: Sequence[Box] = ()
    target: Box | None = None
    bounds: Sequence[Bounds] = ()

    @property
    def all_bounds(self) -> Sequence[Bounds]:
        """The bounds of every element that is known."""
        return self.bounds or [(box.left, box.top, box.right, box.bottom) for box in self.elements]


@dataclass(frozen=True, slots=True)
class StepVerdict:
    """Whether the type is right, and how right the action is, 0 to 1."""

    type_match: bool
    value: float


StepRule: TypeAlias = Callable[[Action, StepReference], StepVerdict]

WRONG_TYPE = StepVerdict(False, 0.0)


def all_or_nothing(hit: bool) -> StepVerdict:
    """The verdict on an action of the right type that is right or not."""
    return StepVerdict(True, float(hit))


def place_of(action: Action) -> Point | None:
    """The one place that an action is at; None for those that have none or two."""
    return action.at if isinstance(action, PointAction) else None


def is_within(one: Action, other: Action, reach: float) -> bool:
    """Whether both have a place, no further apart than `reach`, in fractions of the screen."""
    at, wanted = place_of(one), place_of(other)
    return at is not None and wanted is not None and at.distance(wanted) <= reach


def gesture_direction(action: Action, size: Size) -> Direction | None:
    """The direction of the finger, or of one that would scroll what the wheel scrolls."""
    match action:
        case Swipe() | Drag():
            return finger_direction(action, size)
        case Scroll():
            content = scroll_direction(action, size)
            return OPPOSITE[content] if content else None
        case _:
            return None


def enlarge(bounds: Bounds, growth: float) -> Bounds:
    """Bounds that are larger by a share of themselves, as both AITW and Qwen's enlarge them.

    At the left and the top they are moved onto the screen and not cut, so that they reach as much
    further at the other side.
    """
    left, top, right, bottom = bounds
    width, height = right - left, bottom - top
    left, top = max(0.0, left - growth * width / 2), max(0.0, top - growth * height / 2)
    return (left, top, left + min(1.0, width * (1 + growth)), top + min(1.0, height * (1 + growth)))


def is_inside(bounds: Bounds, point: Point) -> bool:
    """Whether a point is in the bounds, edges included."""
    left, top, right, bottom = bounds
    return left <= point.x <= right and top <= point.y <= bottom


def middle_distance(bounds: Bounds, point: Point) -> float:
    """From a point to the middle of the bounds, in fractions of the screen."""
    left, top, right, bottom = bounds
    return sqrt(((left + right) / 2 - point.x) ** 2 + ((top + bottom) / 2 - point.y) ** 2)


def one_holds_other(text: str, wanted: str) -> bool:
    """Whether one of two texts is a part of the other, blanks at their ends apart."""
    text, wanted = text.strip(), wanted.strip()
    return text in wanted or wanted in text
