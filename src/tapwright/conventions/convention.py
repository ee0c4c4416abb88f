"""The protocol of conventions: how a model family is prompted, how it answers, in which unit."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size, from_pixel, to_pixel
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.errors import OffScreenError

__all__ = [
    "Convention", "DownscalingConvention", "ElementConvention", "GroundingConvention",
    "PlatformConvention", "ResizingConvention", "ScreenKind", "Space", "decides_size", "from_point",
    "model_size", "parse_on", "sent_size", "to_point", "to_shares",
]  # fmt: skip

ScreenKind: TypeAlias = Literal["phone", "computer", "any"]
"""What is acted on: by a finger, by a mouse, or either."""

Space: TypeAlias = Literal["pixel", "fraction", "permille", "percent", "0-999"]
"""The unit in which an answer gives places; declared, never guessed. Pixels are those of the
picture as the model sees it: `model_size`. "0-999" divides by 999, as some families do."""

_WHOLE: Mapping[Space, int] = {"fraction": 1, "percent": 100, "permille": 1000, "0-999": 999}
# Prompts of those families state a screen of 1000x1000, so models write 1000 for the far edge.
_LAST: Mapping[Space, int] = {**_WHOLE, "0-999": 1000}


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
    whole, last = _WHOLE[space], _LAST[space]
    if not (0 <= x <= last and 0 <= y <= last):
        raise OffScreenError(f"({x}, {y}) is off the screen; x and y run from 0 to {whole}")
    return Point(min(x / whole, 1.0), min(y / whole, 1.0))


def to_shares(x: float, y: float, size: Size, space: Space) -> tuple[float, float]:
    """The numbers of an answer in shares of the width and height, wherever they are.

    Nothing is rounded, so pixel 0 is at 0.0 and not at its centre: published scores count so.
    """
    if space == "pixel":
        return x / size.width, y / size.height
    return x / _WHOLE[space], y / _WHOLE[space]


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

    @property
    def source(self) -> str:
        """Where its words come from: "owner/repository@commit path"; "tapwright" for our own."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The messages that request the next decision.

        `history` is every step that a `HistoryPolicy` leaves, oldest first; what the family's own
        agent drops (old pictures, old answers) the convention drops.
        """

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
class ElementConvention(Protocol):
    """A convention whose answers may name an element of the screen by its number."""

    def parse_on(self, text: str, observation: Observation) -> Decision:
        """The decision that an answer means on this screen, whose elements the prompt listed.

        Raises:
            BadAnswerError: the answer is not in the grammar, or there is no such element.
        """


@runtime_checkable
class ResizingConvention(Protocol):
    """A convention whose pixels are those of a resized picture."""

    def model_size(self, size: Size) -> Size:
        """The size in which the model sees a picture of `size`."""


@runtime_checkable
class DownscalingConvention(Protocol):
    """A convention whose models are sent a picture that the client has resized."""

    def sent_size(self, size: Size) -> Size:
        """The size in which a picture of `size` is sent."""


@runtime_checkable
class PlatformConvention(Protocol):
    """A convention whose prompt is for one kind of screen, whatever else its grammar could say."""

    @property
    def screen(self) -> ScreenKind:
        """The screen that the prompt tells the model of."""


@runtime_checkable
class GroundingConvention(Protocol):
    """A convention with a prompt of its own for the place of one element."""

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """The messages that request the place of `target`; `reasoning` is why it is tapped."""

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place that an answer means on a screen of `size`; None: there is no such element.

        Raises:
            BadAnswerError: the answer is neither.
        """


def parse_on(convention: Convention, text: str, observation: Observation) -> Decision:
    """The decision that an answer means on a screen.

    Raises:
        BadAnswerError: the answer is not in the grammar, or names an element that is not there.
    """
    if isinstance(convention, ElementConvention):
        return convention.parse_on(text, observation)
    return convention.parse(text, observation.size)


def model_size(convention: Convention, size: Size) -> Size:
    """The size in which a model sees a picture of `size`, in whose pixels it answers."""
    return convention.model_size(size) if isinstance(convention, ResizingConvention) else size


def sent_size(convention: Convention, size: Size) -> Size:
    """The size in which a picture of `size` is sent to a model of `convention`."""
    return convention.sent_size(size) if isinstance(convention, DownscalingConvention) else size


def decides_size(convention: Convention) -> bool:
    """Whether pictures are resized for its models, so that no limit of the user's is asked for."""
    sizes = (Size(3840, 2160), Size(1920, 1080), Size(1080, 2400), Size(320, 240))
    return any({sent_size(convention, one), model_size(convention, one)} != {one} for one in sizes)
