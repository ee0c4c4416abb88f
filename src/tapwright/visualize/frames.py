"""Episodes as pictures: one marked frame per step, and all of them on one contact sheet."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from PIL import Image

from tapwright.actions import describe
from tapwright.drawing import caption, mark_action, thumbnail
from tapwright.episode import Episode, Step

__all__ = [
    "draw_frames",
    "draw_sheet",
    "draw_step",
]

_QUALITY = 88
_GAP_PX = 12
_TITLE_PX = 16


def draw_step(step: Step, number: int, total: int, *, width_px: int) -> Image.Image:
    """One step's screen scaled to `width_px`, its action marked, and told in the caption below."""
    lines = [f"{number}/{total}  {describe(step.decision.action)}"]
    if step.decision.target:
        lines.append(f"on: {step.decision.target}")
    if step.reward:
        lines.append(f"reward {step.reward:+g}")
    lines.extend(f"told: {instruction}" for instruction in step.instructions)
    if step.decision.reasoning:
        lines.append(step.decision.reasoning)
    picture = thumbnail(step.observation.screenshot.image(), width_px)
    return caption(mark_action(picture, step.decision.action), lines)


def draw_frames(episode: Episode, directory: Path, *, width_px: int = 540) -> Iterator[Path]:
    """Write `001.jpg`, `002.jpg`, … and `final.jpg` into `directory`; yields each when written."""
    directory.mkdir(parents=True, exist_ok=True)
    names = [f"{number:03d}.jpg" for number in range(1, len(episode.steps) + 1)]
    if episode.final is not None:
        names.append("final.jpg")
    for name, picture in zip(names, _pictures(episode, width_px), strict=True):
        picture.save(directory / name, quality=_QUALITY)
        yield directory / name


def draw_sheet(
    episodes: Sequence[Episode], path: Path, *, width_px: int = 150, columns: int = 12
) -> None:
    """Write one picture with every step of the episodes, each under its title, in rows."""
    bands: list[Image.Image] = []
    for episode in episodes:
        cells = list(_pictures(episode, width_px))
        title = f"{episode.instruction}  ({episode.agent}: {episode.outcome})"
        blank = Image.new("RGB", (columns * (width_px + _GAP_PX) - _GAP_PX, 1), "white")
        bands.append(caption(blank, [title], size_px=_TITLE_PX))
        bands.extend(
            _row(cells[start : start + columns]) for start in range(0, len(cells), columns)
        )
    sheet = Image.new(
        "RGB",
        (
            max(band.width for band in bands) + 2 * _GAP_PX,
            sum(band.height + _GAP_PX for band in bands) + _GAP_PX,
        ),
        "white",
    )
    top = _GAP_PX
    for band in bands:
        sheet.paste(band, (_GAP_PX, top))
        top += band.height + _GAP_PX
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path, quality=_QUALITY)


def _pictures(episode: Episode, width_px: int) -> Iterator[Image.Image]:
    """Every step drawn, then the final screen; on all cores, as Pillow lets go of the lock."""
    total = len(episode.steps)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(
            partial(_draw, total=total, width_px=width_px), episode.steps, range(1, total + 1)
        )
    if episode.final is not None:
        picture = thumbnail(episode.final.screenshot.image(), width_px)
        yield caption(picture, [f"outcome: {episode.outcome}"])


def _draw(step: Step, number: int, *, total: int, width_px: int) -> Image.Image:
    return draw_step(step, number, total, width_px=width_px)


def _row(cells: Sequence[Image.Image]) -> Image.Image:
    width = sum(cell.width + _GAP_PX for cell in cells) - _GAP_PX
    band = Image.new("RGB", (width, max(cell.height for cell in cells)), "white")
    left = 0
    for cell in cells:
        band.paste(cell, (left, 0))
        left += cell.width + _GAP_PX
    return band
