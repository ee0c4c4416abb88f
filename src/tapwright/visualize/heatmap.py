"""A store's numbers as one HTML page, with a map of where each app was tapped.

The page needs no network and no script, and opens from a disk. Whatever apps and tasks are called
is escaped, never HTML.
"""

import base64
import io
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from jinja2 import Environment, StrictUndefined
from numpy.typing import NDArray
from PIL import Image

from tapwright.drawing.marks import thumbnail
from tapwright.errors import BadImageError, CorruptEpisodeError
from tapwright.files.atomic import write_atomically
from tapwright.geometry import Point, Size, to_pixel
from tapwright.visualize.stats import Stats, Taps

__all__ = ["draw_heat", "write_stats_page"]

_WIDTH_PX = 240
_SPREAD = 0.03
_FADED = 0.7
_MAX_MAPS = 24
_SHARE = 0.85
# From no taps to the most: the ground as it is, then yellow, orange, a dark red.
_STOPS = ((0.0, (255, 237, 160)), (0.4, (254, 178, 76)), (0.7, (240, 59, 32)), (1.0, (128, 0, 38)))


@dataclass(frozen=True, slots=True)
class _Map:
    app: str
    shape: str
    taps: int
    uri: str
    width: int
    height: int


def write_stats_page(stats: Stats, out: Path, *, title: str) -> None:
    """Write the page to the file `out`; the apps that were tapped most have a map.

    Raises:
        DiskError: the disk is full or not writable.
    """
    jinja = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    source = files("tapwright.visualize").joinpath("stats.html.jinja").read_text("utf-8")
    page = jinja.from_string(source).render(
        title=title,
        stats=stats,
        facets=("outcome", "length", "action", "app", "task", "agent", "annotator"),
        maps=[_map(taps) for taps in stats.taps[:_MAX_MAPS]],
        left_out=max(0, len(stats.taps) - _MAX_MAPS),
    )
    write_atomically(out, page.encode("utf-8", "replace"))


def draw_heat(picture: Image.Image, places: Iterable[Point]) -> Image.Image:
    """The picture, faded, with the places on it: the warmer the colour, the more of them."""
    size = Size(*picture.size)
    heat: NDArray[np.float32] = np.zeros((size.height, size.width), dtype=np.float32)
    for place in places:
        x, y = to_pixel(place, size)
        heat[y, x] += 1
    spread = _SPREAD * size.width
    warm = _bell(size.height, spread) @ heat @ _bell(size.width, spread)
    warm = np.sqrt(warm / max(float(warm.max()), 1e-9))  # so that one tap beside many is seen
    ground = np.asarray(picture.convert("L").convert("RGB"), dtype=np.float32)
    ground = 255 - (255 - ground) * (1 - _FADED)
    at = [stop for stop, _ in _STOPS]
    colours = np.stack(
        [np.interp(warm, at, [rgb[part] for _, rgb in _STOPS]) for part in range(3)], axis=-1
    )
    share = (np.clip(warm * 4, 0, 1) * _SHARE)[..., None]
    return Image.fromarray((ground * (1 - share) + colours * share).astype(np.uint8))


def _bell(length: int, spread: float) -> NDArray[np.float32]:
    """A matrix that spreads each of `length` pixels over its neighbours, as a normal curve."""
    at = np.arange(length, dtype=np.float32)
    return np.exp(-(((at[:, None] - at) / spread) ** 2) / 2)


def _map(taps: Taps) -> _Map:
    try:
        picture = thumbnail(taps.screen.image(), _WIDTH_PX)
    except (BadImageError, CorruptEpisodeError):
        height = _WIDTH_PX * 20 // 9 if taps.shape == "tall" else _WIDTH_PX * 9 // 16
        picture = Image.new("RGB", (_WIDTH_PX, height), "white")
    drawn = draw_heat(picture, taps.places)
    buffer = io.BytesIO()
    drawn.save(buffer, "JPEG", quality=80)
    uri = f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    return _Map(taps.app, taps.shape, len(taps.places), uri, *drawn.size)
