"""The picture that a client is sent: the device's own bytes, or a smaller one within a limit."""

import io
from functools import lru_cache

from tapwright.core.screenshot import Screenshot, shrink_image

__all__ = ["shrink_picture"]


@lru_cache(maxsize=8)  # a client that looks twice at one screen
def shrink_picture(screenshot: Screenshot, max_side: int) -> Screenshot:
    """The screenshot itself, or as a PNG or JPEG whose longest side is `max_side` pixels."""
    size = screenshot.size.shrink(max_side=max_side)
    if size == screenshot.size:
        return screenshot
    buffer = io.BytesIO()
    kind = "JPEG" if screenshot.extension == "jpg" else "PNG"
    shrink_image(screenshot.image(), size).save(buffer, kind)
    return Screenshot(buffer.getvalue(), origin=f"{screenshot.origin}, shrunk to {size}")
