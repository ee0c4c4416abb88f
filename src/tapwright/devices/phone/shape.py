"""A phone's screen in the three units that meet in it: device pixels, CSS pixels, the picture's."""

from dataclasses import dataclass
from math import ceil
from typing import Self

from tapwright.core.geometry import Size
from tapwright.devices.capture import CaptureOptions
from tapwright.devices.chromium_device import Viewport
from tapwright.devices.phone.options import PhoneOptions

__all__ = ["PhoneShape"]


@dataclass(frozen=True, slots=True)
class PhoneShape:
    """A screen of `size` device and `width` x `height` CSS pixels, pictured in `frame` pixels."""

    size: Size
    width: float
    height: float
    frame: Size
    picture: CaptureOptions
    viewport: Viewport

    @classmethod
    def of(cls, options: PhoneOptions, size: Size) -> Self:
        """The screen of a phone that is turned so that it has `size`."""
        width, height = size.width / options.density, size.height / options.density
        if options.picture == "png":
            frame, picture = size, CaptureOptions("png", width, height)
        else:
            # As Chromium rounds. A clip that is not the whole view would cost one more frame.
            frame = Size(int(width + 0.5), int(height + 0.5))
            picture = CaptureOptions("jpeg", width, height, scale=1 / options.density)
        viewport = Viewport(Size(ceil(width), ceil(height)), options.density, mobile=True)
        return cls(size, width, height, frame, picture, viewport)

    @property
    def is_wide(self) -> bool:
        """Whether it is wider than high."""
        return self.size.width > self.size.height
