"""Places on a screen, in fractions of it, and the only rounding rule.

One unit inside: (0, 0) is the top-left corner of the screen, (1, 1) the bottom-right one; x runs
right, y runs down. A pixel means its centre. Foreign units (absolute or resized pixels, permille)
exist in conventions and formats only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, hypot, isqrt
from operator import truediv
from typing import Self, TypeVar

from tapwright.errors import OffScreenError

__all__ = ["WHOLE_SCREEN", "Box", "Point", "Size", "from_pixel", "to_pixel"]

R = TypeVar("R", float, Fraction)


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a screen or an image, in pixels; both at least 1."""

    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise OffScreenError(f"a screen of {self.width}x{self.height} pixels has no pixel")

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"

    def shrink(
        self, *, scale: float = 1.0, max_side: int | None = None, max_pixels: int | None = None
    ) -> "Size":
        """The size scaled by `scale` and, where that is not enough, down to the limits.

        Each side is the smallest that one of the three gives, and at least one pixel. `max_side`
        follows Pillow's `Image.thumbnail`, as MMBench-GUI does: one side is `max_side`, and the
        other is rounded to what keeps the shape best. `scale` is the `max_side` of so many times
        the longest side, rounded; halves are rounded down, so that of an upright phone's picture
        it makes the half that MobiAgent makes. `max_pixels` rounds down, so that no picture has
        more.
        """
        longest = max(self.width, self.height)
        sizes = [self]
        if scale != 1:
            side = max(ceil(longest * scale - 0.5), 1)
            sizes.append(self._with_longest(side, Fraction))
        if max_side is not None and max_side < longest:
            sizes.append(self._with_longest(max_side, truediv))
        if max_pixels is not None:
            width = isqrt(self.width * max_pixels // self.height)
            height = isqrt(self.height * max_pixels // self.width)
            sizes.append(Size(max(width, 1), max(height, 1)))
        return Size(min(one.width for one in sizes), min(one.height for one in sizes))

    def _with_longest(self, side: int, divide: Callable[[int, int], R]) -> "Size":
        """The size whose longest side is `side`: Pillow's with `truediv`; exact with `Fraction`."""
        shape = divide(self.width, self.height)
        if self.width <= self.height:
            return Size(_best(side * shape, lambda n: abs(shape - divide(n, side))), side)
        return Size(side, _best(side / shape, lambda n: abs(shape - divide(side, n)) if n else 0))


def _best(side: float | Fraction, error: Callable[[int], float | Fraction]) -> int:
    return max(min(floor(side), ceil(side), key=error), 1)


@dataclass(frozen=True, slots=True)
class Point:
    """A place on a screen: `x` and `y` in fractions of its width and height, both in [0, 1]."""

    x: float
    y: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.x <= 1.0 and 0.0 <= self.y <= 1.0):
            raise OffScreenError(
                f"the point ({self.x}, {self.y}) is off the screen; "
                "x and y are fractions between 0 and 1"
            )

    def distance(self, other: "Point") -> float:
        """Euclidean distance in fractions, as AITW's rules measure it: 0 to sqrt(2)."""
        return hypot(self.x - other.x, self.y - other.y)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: edges in fractions of the screen, 0 <= left <= right <= 1, same for y.

    Edges are not pixels: a box of pixels `left..right` (right exclusive, as uiautomator's bounds
    are) has its edges at `left / width` and `right / width`, so it holds those pixels' centres.
    """

    left: float
    top: float
    right: float
    bottom: float

    def __post_init__(self) -> None:
        inside = 0.0 <= self.left <= self.right <= 1.0 and 0.0 <= self.top <= self.bottom <= 1.0
        if not inside:
            raise OffScreenError(
                f"the box ({self.left}, {self.top}, {self.right}, {self.bottom}) is not one: "
                "expected 0 <= left <= right <= 1 and 0 <= top <= bottom <= 1"
            )

    @classmethod
    def from_pixels(cls, left: float, top: float, right: float, bottom: float, size: Size) -> Self:
        """The box between pixel edges, clipped to the screen; `right` and `bottom` exclusive.

        A box that only touches the screen from outside becomes an empty one at its edge.

        Raises:
            OffScreenError: the box lies wholly beyond a screen of `size`, or its edges are swapped.
        """
        if left > right or top > bottom:
            raise OffScreenError(
                f"the box [{left},{top}][{right},{bottom}] has swapped edges; "
                "expected [left,top][right,bottom]"
            )
        if right < 0 or bottom < 0 or left > size.width or top > size.height:
            raise OffScreenError(f"the box [{left},{top}][{right},{bottom}] is off a {size} screen")
        return cls(
            max(left, 0) / size.width,
            max(top, 0) / size.height,
            min(right, size.width) / size.width,
            min(bottom, size.height) / size.height,
        )

    def to_pixels(self, size: Size) -> tuple[int, int, int, int]:
        """Pixel edges (left, top, right, bottom), exact for boxes that came from pixels."""
        return (
            round(self.left * size.width),
            round(self.top * size.height),
            round(self.right * size.width),
            round(self.bottom * size.height),
        )

    @property
    def center(self) -> Point:
        """The middle of the box."""
        return Point((self.left + self.right) / 2, (self.top + self.bottom) / 2)

    @property
    def area(self) -> float:
        """The share of the screen that the box covers, 0 to 1."""
        return (self.right - self.left) * (self.bottom - self.top)

    def contains(self, point: Point) -> bool:
        """Whether `point` lies in the box; all four edges count as inside."""
        return self.left <= point.x <= self.right and self.top <= point.y <= self.bottom

    def overlap(self, other: "Box") -> float:
        """Intersection over union, 0 to 1; 0 when both are empty."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        shared = max(width, 0.0) * max(height, 0.0)
        union = self.area + other.area - shared
        return shared / union if union else 0.0


WHOLE_SCREEN = Box(0.0, 0.0, 1.0, 1.0)


def from_pixel(x: int, y: int, size: Size) -> Point:
    """The centre of pixel (x, y), in fractions of the screen.

    (0, 0) is the top-left pixel, so x runs from 0 to `size.width - 1`. Taking the centre makes
    the trip exact: `to_pixel(from_pixel(x, y, s), s) == (x, y)`.

    Raises:
        OffScreenError: a screen of `size` has no such pixel.
    """
    if not (0 <= x < size.width and 0 <= y < size.height):
        raise OffScreenError(
            f"pixel ({x}, {y}) is off a {size} screen; "
            f"x runs from 0 to {size.width - 1}, y from 0 to {size.height - 1}"
        )
    return Point((x + 0.5) / size.width, (y + 0.5) / size.height)


def to_pixel(point: Point, size: Size) -> tuple[int, int]:
    """The pixel (x, y) that holds `point`; the far edges belong to the last pixel."""
    return (
        min(int(point.x * size.width), size.width - 1),
        min(int(point.y * size.height), size.height - 1),
    )
