"""Screens of any size with nothing on them, for prompts."""

import io
from functools import cache

from PIL import Image

from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot


@cache
def blank_observation(size: Size) -> Observation:
    buffer = io.BytesIO()
    Image.new("RGB", (size.width, size.height), "white").save(buffer, "PNG")
    return Observation(Screenshot(buffer.getvalue()), size)
