"""Scales the pictures of a prompt to the size in which a family's own client sends them.

Most families get a picture as it was recorded, and their server resizes it. Some runners resize it
before they send it (`DownscalingConvention`), and what a model of theirs was measured with is that
picture. The filter is Pillow's default for `Image.resize`, as in the runners that name none, or
the convention's own (`sent_filter`).
"""

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from PIL import Image

from tapwright.conventions.convention import (
    Convention,
    DownscalingConvention,
    ResizingConvention,
    model_size,
    sent_size,
)
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Part, Picture
from tapwright.core.screenshot import MAX_PIXELS, Screenshot
from tapwright.errors import BadImageError

__all__ = [
    "RESIZING", "FilteringConvention", "PaddingConvention", "SentFilter", "ShrinkingConvention",
    "is_earlier", "resize_picture", "resize_pictures",
]  # fmt: skip

SentFilter: TypeAlias = Literal["bicubic", "lanczos"]
_FILTERS = {"bicubic": Image.Resampling.BICUBIC, "lanczos": Image.Resampling.LANCZOS}

# Runners hand the resized picture on as pixels: what a second JPEG loses should not show.
_JPEG_QUALITY = 95


@runtime_checkable
class FilteringConvention(Protocol):
    """A convention whose client resizes pictures by another filter than Pillow's default."""

    @property
    def sent_filter(self) -> SentFilter:
        """The filter's name."""


@runtime_checkable
class PaddingConvention(Protocol):
    """A convention whose client puts the resized picture into the corner of a white canvas."""

    def canvas_size(self, size: Size) -> Size:
        """The size of the canvas for a picture of `size`."""


@runtime_checkable
class ShrinkingConvention(Protocol):
    """A convention whose client sends the screens of earlier steps smaller than the present one."""

    @property
    def present_first(self) -> bool:
        """Whether the present screen is the first picture of the prompt, and not the last."""

    def earlier_size(self, size: Size) -> Size:
        """The size in which an earlier picture of `size` is sent."""


RESIZING = (DownscalingConvention, ResizingConvention, ShrinkingConvention)
"""Kinds of conventions whose pictures may be sent in another size, or may be refused."""


def resize_pictures(convention: Convention, messages: Sequence[Message]) -> list[Message]:
    """The messages, each picture in the size that the convention sends; others stay as they are.

    A JPEG stays one, any other picture becomes a PNG.

    Raises:
        BadImageError: a picture cannot be read, or its client or server cannot resize it.
    """
    if not isinstance(convention, RESIZING):
        return list(messages)
    count = sum(isinstance(part, Picture) for one in messages for part in one.parts)
    places = iter(range(count))

    def resize(part: Part) -> Part:
        if not isinstance(part, Picture):
            return part
        earlier = is_earlier(convention, next(places), count)
        return Picture(resize_picture(convention, part.screenshot, earlier=earlier))

    return [replace(one, parts=tuple(resize(part) for part in one.parts)) for one in messages]


def is_earlier(convention: Convention, place: int, count: int) -> bool:
    """Whether a picture is sent as that of an earlier step: at `place`, from 0, of `count`."""
    if count == 1 or not isinstance(convention, ShrinkingConvention):
        return False
    return place != (0 if convention.present_first else count - 1)


def resize_picture(
    convention: Convention, screenshot: Screenshot, *, earlier: bool = False
) -> Screenshot:
    """The picture in the size that the convention sends, that of an `earlier` step or the present.

    Raises:
        BadImageError: it cannot be read, or its client or server cannot resize it.
    """
    recorded = screenshot.size
    # What the server would refuse is refused here, where the picture is known.
    model_size(convention, recorded)
    size = canvas = sent_size(convention, recorded)
    if earlier and isinstance(convention, ShrinkingConvention):
        size = canvas = convention.earlier_size(recorded)
    if isinstance(convention, PaddingConvention):
        canvas = convention.canvas_size(recorded)
    if size == canvas == recorded:
        return screenshot
    sent_filter: SentFilter = (
        convention.sent_filter if isinstance(convention, FilteringConvention) else "bicubic"
    )
    return _resized(screenshot, size, canvas, sent_filter)


# Every step of a run sends the pictures of its history again.
@lru_cache(maxsize=32)
def _resized(
    screenshot: Screenshot, size: Size, canvas: Size, sent_filter: SentFilter
) -> Screenshot:
    if size.width * size.height > MAX_PIXELS:
        raise BadImageError(
            f"{screenshot.origin}: {screenshot.size} pixels would be sent as {size}; "
            f"at most {MAX_PIXELS:,} pixels can be",
            hint="crop the picture, or take a convention that sends it as it is",
        )
    kind, data = "JPEG" if screenshot.extension == "jpg" else "PNG", io.BytesIO()
    image = screenshot.image().resize((size.width, size.height), _FILTERS[sent_filter])
    if canvas != size:
        padded = Image.new("RGB", (canvas.width, canvas.height), "white")
        padded.paste(image, (0, 0))
        image = padded
    image.save(data, kind, **({"quality": _JPEG_QUALITY} if kind == "JPEG" else {}))
    return Screenshot(data.getvalue(), origin=f"{screenshot.origin}, resized to {size}")
