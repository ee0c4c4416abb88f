"""The protocol of conventions: how a model family is prompted, how it answers, in which unit."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from tapwright.episode import Decision, Step
from tapwright.errors import OffScreenError
from tapwright.geometry import Point, Size, from_pixel, to_pixel
from tapwright.messages import Message
from tapwright.observation import Observation

__all__ = [
    "HISTORY_STEPS",
    "Convention",
    "GroundingConvention",
    "ResizingConvention",
    "Space",
    "from_point",
    "model_size",
    "to_point",
]

Space: TypeAlias = Literal["pixel", "fraction", "permille", "percent"]
"""The unit in which an answer gives places; declared, never guessed. Pixels are those of the
picture as the model sees it: `model_size`."""

_WHOLE: Mapping[Space, int] = {"fraction": 1, "percent": 100, "permille": 1000}

HISTORY_STEPS = 10
"""How many of the latest steps a prompt holds by default; training sets and agents share it, so
that a model is prompted as it was trained."""


def to_point(x: float, y: float, size: Size, space: Space) -> Point:
    """The place that the numbers of an answer mean on a picture of `size`.

    A pixel means its centre, and a decimal number of pixels the pixel that holds it.

    Raises:
        OffScreenError: they run past the screen: pixels past `size.width - 1`, the others past
            the whole (1, 100 or 1000).
    """
    if space == "pixel":
        if not (0 <= x < size.width and 0 <= y < size.height):
            raise OffScreenError(f"pixel ({x}, {y}) is off a {size} screen")
        return from_pixel(int(x), int(y), size)
    whole = _WHOLE[space]
    if not (0 <= x <= whole and 0 <= y <= whole):
        raise OffScreenError(f"({x}, {y}) is off the screen; x and y run from 0 to {whole}")
    return Point(x / whole, y / whole)


def from_point(point: Point, size: Size, space: Space) -> tuple[float, float]:
    """The numbers for a place, as `to_point` reads them: whole pixels, the others unrounded."""
    if space == "pixel":
        return to_pixel(point, size)
    whole = _WHOLE[space]
    return point.x * whole, point.y * whole


@runtime_checkable
class Convention(Protocol):
    """The prompt and the grammar of one model family.

    Law: `parse(render(d, size), size) == d`, up to the grammar's own rounding of places.
    """

    @property
    def name(self) -> str:
        """Its short name."""

    @property
    def space(self) -> Space:
        """The unit of the places in its answers."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The messages that request the next decision."""

    def render(self, decision: Decision, size: Size) -> str:
        """The answer of a model of this family for `decision` on a screen of `size`.

        Raises:
            UnsupportedByConventionError: the grammar has no such action.
        """

    def parse(self, text: str, size: Size) -> Decision:
        """The decision that an answer means on a screen of `size`.

        Raises:
            BadAnswerError: the answer is not in the grammar.
        """


@runtime_checkable
class ResizingConvention(Protocol):
    """A convention whose pixels are those of a resized picture."""

    def model_size(self, size: Size) -> Size:
        """The size in which the model sees a picture of `size`."""


@runtime_checkable
class GroundingConvention(Protocol):
    """A convention whose prompt for an element takes the reason why it is tapped, too."""

    def ask(self, reasoning: str, target: str, observation: Observation) -> list[Message]:
        """The prompt that requests the place of `target`."""


def model_size(convention: Convention, size: Size) -> Size:
    """The size in which a model sees a picture of `size`, in whose pixels it answers."""
    return convention.model_size(size) if isinstance(convention, ResizingConvention) else size
