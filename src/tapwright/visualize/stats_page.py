"""The statistics of a store as one HTML page, with a heatmap of the taps in each app.

The page needs no network and no script, and opens from a disk. Names of apps and tasks are
escaped.
"""

import base64
import io
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import get_args

import numpy as np
from jinja2 import Environment, StrictUndefined
from numpy.typing import NDArray
from PIL import Image

from tapwright.core.geometry import Point, Size, to_pixel
from tapwright.drawing.marks import thumbnail
from tapwright.errors import BadImageError, CorruptEpisodeError
from tapwright.files.atomic import write_atomically
from tapwright.visualize.stats import Facet, StoreStats, TappedScreen

__all__ = ["draw_heatmap", "write_stats_page"]

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


_WIDTH_PX = 240
_MAX_MAPS = 24


@dataclass(frozen=True, slots=True)
class _Heatmap:
    app: str
    shape: str
    taps: int
    uri: str
    width: int
    height: int


def write_stats_page(stats: StoreStats, out: Path, *, title: str) -> None:
    """Write the page to the file `out`; the apps with the most taps have a heatmap.

    Raises:
        DiskError: the disk is full or not writable.
    """
    jinja = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    source = files("tapwright.visualize").joinpath("stats_page.html.jinja").read_text("utf-8")
    page = jinja.from_string(source).render(
        title=title,
        stats=stats,
        facets=get_args(Facet),
        maps=[_heatmap(taps) for taps in stats.taps[:_MAX_MAPS]],
        left_out=max(0, len(stats.taps) - _MAX_MAPS),
    )
    write_atomically(out, page.encode("utf-8", "replace"))


def _heatmap(taps: TappedScreen) -> _Heatmap:
    try:
        picture = thumbnail(taps.screen.image(), _WIDTH_PX)
    except (BadImageError, CorruptEpisodeError):
        height = _WIDTH_PX * 20 // 9 if taps.shape == "tall" else _WIDTH_PX * 9 // 16
        picture = Image.new("RGB", (_WIDTH_PX, height), "white")
    drawn = draw_heatmap(picture, taps.places)
    buffer = io.BytesIO()
    drawn.save(buffer, "JPEG", quality=80)
    uri = f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    return _Heatmap(taps.app, taps.shape, len(taps.places), uri, *drawn.size)
