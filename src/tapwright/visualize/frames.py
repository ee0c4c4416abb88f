"""Episodes as pictures: one marked frame per step, and all of them on contact sheets."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TypeVar

from PIL import Image

from tapwright.actions import TypeText, describe
from tapwright.drawing.marks import Line, caption, mark_action, mark_text, thumbnail
from tapwright.episode import Episode, Step
from tapwright.errors import NothingFoundError, UsageError
from tapwright.files.atomic import write_atomically

__all__ = [
    "draw_frames",
    "draw_sheet",
    "draw_step",
    "in_order",
    "mark_step",
    "step_words",
]

T = TypeVar("T")

_GREEN, _RED = "#4CD2A7", "#FF8A66"  # the marks' colours, light enough for a dark ground
_QUALITY = 88
_GAP_PX = 12
_TITLE_PX = 16
_AT_ONCE = 16
_MAX_HEIGHT_PX = 65_000  # JPEG holds 65,500
_MAX_SHEET_PIXELS = 30_000_000
_KINDS: Mapping[str, str] = {".jpg": "JPEG", ".jpeg": "JPEG", ".png": "PNG"}


def draw_step(step: Step, number: int, *, width_px: int) -> Image.Image:
    """One step's screen scaled to `width_px`, its action marked, and told in the caption below."""
    return caption(mark_step(step, width_px=width_px), step_words(step, number))


def mark_step(step: Step, *, width_px: int) -> Image.Image:
    """One step's screen scaled to `width_px`, with its action's place, or its text, marked."""
    picture = thumbnail(step.observation.screenshot.image(), width_px)
    if isinstance(step.decision.action, TypeText):
        return mark_text(picture, step.decision.action.text)
    return mark_action(picture, step.decision.action)


def step_words(step: Step, number: int) -> list[Line]:
    """What is told of step `number`, line by line: action, target, reward, instructions, why."""
    lines = [Line(f"{number}  {describe(step.decision.action)}")]
    if step.decision.target:
        lines.append(Line(f"on: {step.decision.target}"))
    if step.refused:
        lines.append(Line(f"refused: {step.refused}", _RED))
    if step.reward:
        lines.append(Line(f"reward {step.reward:+g}", _GREEN if step.reward > 0 else _RED))
    lines.extend(Line(f"told: {instruction}", _RED) for instruction in step.instructions)
    if step.decision.reasoning:
        lines.append(Line(step.decision.reasoning))
    return lines


def draw_frames(episode: Episode, directory: Path, *, width_px: int = 540) -> Iterator[Path]:
    """Write `000.jpg`, `001.jpg`, … and `final.jpg` into `directory`; yields each when written.

    A picture's number is its step's, which count from 0.

    Raises:
        DiskError: the directory cannot be written to.
    """
    names = [f"{number:03d}.jpg" for number in range(len(episode.steps))]
    if episode.final is not None:
        names.append("final.jpg")
    for name, picture in zip(names, _pictures(episode, width_px), strict=True):
        yield _save(_cut(picture, _MAX_HEIGHT_PX), directory / name)


def draw_sheet(
    episodes: Iterable[Episode], path: Path, *, width_px: int = 150, columns: int = 12
) -> list[Path]:
    """Write every step of the episodes, each under its title, in rows, on as few pictures as fit.

    One picture is `path` itself; several are `sheet-1.jpg`, `sheet-2.jpg`, … for a `path` of
    `sheet.jpg`. At most one of them is in memory at a time.

    Returns:
        What was written, in order.

    Raises:
        UsageError: `path` does not end in .jpg, .jpeg or .png.
        NothingFoundError: there are no episodes.
        DiskError: `path` cannot be written.
    """
    if path.suffix.lower() not in _KINDS:
        raise UsageError(
            f"{path}: a contact sheet is a picture, and its name ends in {', '.join(_KINDS)}",
            hint=f"-o {path.parent / (path.stem or 'sheet')}.jpg",
        )
    width = columns * (width_px + _GAP_PX) - _GAP_PX
    most = min(_MAX_HEIGHT_PX, _MAX_SHEET_PIXELS // (width + 2 * _GAP_PX)) - 2 * _GAP_PX
    written: list[Path] = []
    page: list[Image.Image] = []
    for episode in episodes:
        for found in _bands(episode, width_px, columns, width):
            band = _cut(found, most)
            if page and _height([*page, band]) > most:
                written.append(
                    _save(_stack(page, margin=_GAP_PX), _numbered(path, len(written) + 1))
                )
                page.clear()
            page.append(band)
    if not page:
        raise NothingFoundError("there are no episodes to draw")
    last = _numbered(path, len(written) + 1) if written else path
    return [*written, _save(_stack(page, margin=_GAP_PX), last)]


def in_order(draw: Callable[[T], Image.Image], items: Sequence[T]) -> Iterator[Image.Image]:
    """What `draw` makes of each item, in order; on all cores, as Pillow lets go of the lock."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # Some at a time: a pool draws all that it is given, and keeps what nobody has taken yet.
        for start in range(0, len(items), _AT_ONCE):
            yield from pool.map(draw, items[start : start + _AT_ONCE])


def _pictures(episode: Episode, width_px: int) -> Iterator[Image.Image]:
    """Every step drawn, then the final screen."""
    yield from in_order(
        lambda numbered: draw_step(numbered[1], numbered[0], width_px=width_px),
        list(enumerate(episode.steps)),
    )
    if episode.final is not None:
        picture = thumbnail(episode.final.screenshot.image(), width_px)
        yield caption(picture, [f"outcome: {episode.outcome}"])


def _bands(episode: Episode, width_px: int, columns: int, width: int) -> Iterator[Image.Image]:
    """The episode in rows over the whole width; the first has the title above it."""
    title = f"{episode.instruction}  ({episode.agent}: {episode.outcome})"
    above = [caption(Image.new("RGB", (width, 1), "white"), [title], size_px=_TITLE_PX)]
    pictures = _pictures(episode, width_px)
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
    made = Image.new("RGB", size, "white")
    top = margin
    for band in bands:
        made.paste(band, (margin, top))
        top += band.height + _GAP_PX
    return made


def _height(bands: Sequence[Image.Image]) -> int:
    return sum(band.height + _GAP_PX for band in bands) - _GAP_PX


def _cut(picture: Image.Image, most: int) -> Image.Image:
    """The upper part of a picture that is too high; what is lost is the end of its words."""
    if picture.height <= most:
        return picture
    return picture.crop((0, 0, picture.width, most))


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _save(picture: Image.Image, path: Path) -> Path:
    buffer = BytesIO()
    picture.save(buffer, _KINDS[path.suffix.lower()], quality=_QUALITY)
    write_atomically(path, buffer.getvalue())
    return path
