"""The statistics of a store as one HTML page, with a heatmap of the taps in each app.

The page needs no network and no script, and opens from a disk. Names of apps and tasks are
escaped.
"""

import base64
import io
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from PIL import Image

from tapwright.drawing.marks import thumbnail
from tapwright.errors import BadImageError, CorruptEpisodeError
from tapwright.files.atomic import write_atomically
from tapwright.visualize.heatmap import draw_heatmap
from tapwright.visualize.stats import StoreStats, TappedScreen

__all__ = ["write_stats_page"]

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
        facets=("outcome", "evidence", "length", "action", "app", "task", "agent", "annotator"),
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
