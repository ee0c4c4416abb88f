"""A heatmap: where a screen was tapped, and how often."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tapwright.core.geometry import Point, Size, to_pixel

__all__ = ["draw_heatmap"]

_SPREAD = 0.03
_FADED = 0.7
_SHARE = 0.85
# From no taps to the most: the screen as it is, then yellow, orange, a dark red.
_STOPS = ((0.0, (255, 237, 160)), (0.4, (254, 178, 76)), (0.7, (240, 59, 32)), (1.0, (128, 0, 38)))


def draw_heatmap(picture: Image.Image, places: Iterable[Point]) -> Image.Image:
    """The picture, faded, with a heatmap of the places; the warmer, the more there are."""
    size = Size(*picture.size)
    heat: NDArray[np.float32] = np.zeros((size.height, size.width), dtype=np.float32)
    for place in places:
        x, y = to_pixel(place, size)
        heat[y, x] += 1
    spread = _SPREAD * size.width
    density = _kernel(size.height, spread) @ heat @ _kernel(size.width, spread)
    density = np.sqrt(
        density / max(float(density.max()), 1e-9)
    )  # so that one tap beside many stays visible
    ground = np.asarray(picture.convert("L").convert("RGB"), dtype=np.float32)
    ground = 255 - (255 - ground) * (1 - _FADED)
    at = [stop for stop, _ in _STOPS]
    colours = np.stack(
        [np.interp(density, at, [rgb[part] for _, rgb in _STOPS]) for part in range(3)], axis=-1
    )
    share = (np.clip(density * 4, 0, 1) * _SHARE)[..., None]
    return Image.fromarray((ground * (1 - share) + colours * share).astype(np.uint8))


def _kernel(length: int, spread: float) -> NDArray[np.float32]:
    """A matrix that spreads each of `length` pixels over its neighbours as a normal curve."""
    at = np.arange(length, dtype=np.float32)
    return np.exp(-(((at[:, None] - at) / spread) ** 2) / 2)
