"""Contact sheets: every step of some episodes on few pictures."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from PIL import Image

from tapwright.core.episode import Episode
from tapwright.drawing.text import add_caption
from tapwright.errors import NothingFoundError, UsageError
from tapwright.visualize import frames

__all__ = ["draw_contact_sheet"]

_GAP_PX = 12
_TITLE_PX = 16
_MAX_SHEET_PIXELS = 30_000_000


def draw_contact_sheet(
    episodes: Iterable[Episode], path: Path, *, width_px: int = 150, columns: int = 12
) -> list[Path]:
    """Write every step of the episodes in rows, each under its title, in as few files as fit.

    One picture is `path` itself; several are `sheet-1.jpg`, `sheet-2.jpg`, … for a `path` of
    `sheet.jpg`. At most one of them is in memory at a time.

    Returns:
        The written files, in order.

    Raises:
        UsageError: `path` does not end in .jpg, .jpeg or .png.
        NothingFoundError: there are no episodes.
        DiskError: `path` cannot be written.
    """
    if path.suffix.lower() not in frames.FILE_TYPES:
        raise UsageError(
            f"{path}: a contact sheet is a picture, "
            f"and its name ends in {', '.join(frames.FILE_TYPES)}",
            hint=f"-o {path.parent / (path.stem or 'sheet')}.jpg",
        )
    width = columns * (width_px + _GAP_PX) - _GAP_PX
    max_px = min(frames.MAX_HEIGHT_PX, _MAX_SHEET_PIXELS // (width + 2 * _GAP_PX)) - 2 * _GAP_PX
    written: list[Path] = []
    page: list[Image.Image] = []
    for episode in episodes:
        for rows in _bands(episode, width_px, columns, width):
            band = frames.crop_height(rows, max_px)
            if page and _height([*page, band]) > max_px:
                written.append(
                    frames.save_picture(
                        _stack(page, margin=_GAP_PX), _numbered(path, len(written) + 1)
                    )
                )
                page.clear()
            page.append(band)
    if not page:
        raise NothingFoundError("there are no episodes to draw")
    last = _numbered(path, len(written) + 1) if written else path
    return [*written, frames.save_picture(_stack(page, margin=_GAP_PX), last)]


def _bands(episode: Episode, width_px: int, columns: int, width: int) -> Iterator[Image.Image]:
    """The episode in rows over the whole width; the first has the title above it."""
    title = f"{episode.instruction}  ({episode.agent}: {episode.outcome})"
    above = [add_caption(Image.new("RGB", (width, 1), "white"), [title], size_px=_TITLE_PX)]
    pictures = frames.draw_steps(episode, width_px)
    while cells := list(islice(pictures, columns)):
        yield _stack([*above, _row(cells, width)])
        above = []
    if above:
        yield above[0]


def _row(cells: Sequence[Image.Image], width: int) -> Image.Image:
    band = Image.new("RGB", (width, max(cell.height for cell in cells)), "white")
    left = 0
    for cell in cells:
        band.paste(cell, (left, 0))
        left += cell.width + _GAP_PX
    return band


def _stack(bands: Sequence[Image.Image], *, margin: int = 0) -> Image.Image:
    size = (bands[0].width + 2 * margin, _height(bands) + 2 * margin)
    stacked = Image.new("RGB", size, "white")
    top = margin
    for band in bands:
        stacked.paste(band, (margin, top))
        top += band.height + _GAP_PX
    return stacked


def _height(bands: Sequence[Image.Image]) -> int:
    return sum(band.height + _GAP_PX for band in bands) - _GAP_PX


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number}{path.suffix}")
