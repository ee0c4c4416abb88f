"""How model families resize a picture before they look at it, as sizes only.

Follows `smart_resize` of https://github.com/QwenLM/Qwen3-VL/blob/8cdcb85d224a71da4a999e73877fd5c686db5237
/qwen-vl-utils and of its copies in the families that build on it. A picture is sent as it was
recorded: the server resizes it, by these limits, and answers in pixels of the result. A server
that is given other limits answers in other pixels.
"""

import math
from dataclasses import dataclass
from typing import Protocol

from tapwright.core.geometry import Size
from tapwright.errors import BadImageError

__all__ = [
    "GUI_OWL", "OPENCUA", "QWEN2_5_VL", "QWEN3_VL", "UI_TARS", "AreaLimit", "FitInto", "Resize",
    "SmartResize",
]  # fmt: skip

_MAX_RATIO = 200


class Resize(Protocol):
    """How a picture is resized before it is looked at."""

    def size(self, size: Size) -> Size:
        """The size to which a picture of `size` is resized."""


@dataclass(frozen=True, slots=True)
class SmartResize:
    """Sides become multiples of `factor`, the area stays within `min_pixels` and `max_pixels`.

    Sides are rounded half to even, as Python does; past a limit both shrink or grow by the same
    share and are rounded towards it.
    """

    factor: int
    min_pixels: int
    max_pixels: int

    def size(self, size: Size) -> Size:
        """The size to which a picture of `size` is resized; idempotent.

        Raises:
            BadImageError: one side is over 200 times the other, which servers refuse.
        """
        if max(size.width, size.height) > _MAX_RATIO * min(size.width, size.height):
            raise BadImageError(
                f"a picture of {size} pixels cannot be resized for the model: "
                f"one side is more than {_MAX_RATIO} times the other",
                hint="crop the picture, or leave the row out",
            )
        width, height = self._nearest(size.width), self._nearest(size.height)
        if width * height > self.max_pixels:
            shrink = math.sqrt(size.width * size.height / self.max_pixels)
            width = self._below(size.width / shrink)
            height = self._below(size.height / shrink)
        elif width * height < self.min_pixels:
            grow = math.sqrt(self.min_pixels / (size.width * size.height))
            width = self._above(size.width * grow)
            height = self._above(size.height * grow)
        return Size(width, height)

    def _nearest(self, side: int) -> int:
        return max(self.factor, round(side / self.factor) * self.factor)

    def _below(self, side: float) -> int:
        return max(self.factor, math.floor(side / self.factor) * self.factor)

    def _above(self, side: float) -> int:
        return math.ceil(side / self.factor) * self.factor


@dataclass(frozen=True, slots=True)
class AreaLimit:
    """Both sides shrink by the same share until the area is `max_pixels`; then `then` follows."""

    max_pixels: int
    then: SmartResize

    def size(self, size: Size) -> Size:
        """The size to which a picture of `size` is resized."""
        if size.width * size.height <= self.max_pixels:
            return self.then.size(size)
        share = math.sqrt(self.max_pixels / (size.width * size.height))
        width, height = round(size.width * share), round(size.height * share)
        return self.then.size(Size(max(width, 1), max(height, 1)))


@dataclass(frozen=True, slots=True)
class FitInto:
    """The picture grows or shrinks until it fills `canvas` in one direction."""

    canvas: Size

    def size(self, size: Size) -> Size:
        """The size to which a picture of `size` is resized; sides are rounded down."""
        ratio = size.width / size.height
        if ratio > self.canvas.width / self.canvas.height:
            return Size(self.canvas.width, max(int(self.canvas.width / ratio), 1))
        return Size(max(int(self.canvas.height * ratio), 1), self.canvas.height)


QWEN2_5_VL = SmartResize(28, 4 * 28**2, 16384 * 28**2)
QWEN3_VL = SmartResize(32, 4 * 32**2, 16384 * 32**2)
UI_TARS = SmartResize(28, 100 * 28**2, 16384 * 28**2)
OPENCUA = SmartResize(28, 3136, 12_845_056)
GUI_OWL = SmartResize(16, 3136, 1_003_520 * 200)
