"""An episode as pictures: one marked frame per step, and all of them on one contact sheet."""

from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from tapwright.actions import describe
from tapwright.drawing import caption, mark_action
from tapwright.episode import Episode, Step

_QUALITY = 88
_GAP_PX = 12


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
    picture = _scaled(step.observation.screenshot.image(), width_px)
    return caption(mark_action(picture, step.decision.action), lines)


def draw_frames(episode: Episode, directory: Path, *, width_px: int = 540) -> Iterator[Path]:
    """Write `001.jpg`, `002.jpg`, … and `final.jpg` into `directory`; yields each when written."""
    directory.mkdir(parents=True, exist_ok=True)
    total = len(episode.steps)
    for number, step in enumerate(episode.steps, start=1):
        path = directory / f"{number:03d}.jpg"
        draw_step(step, number, total, width_px=width_px).save(path, quality=_QUALITY)
        yield path
    if episode.final is not None:
        picture = _scaled(episode.final.screenshot.image(), width_px)
        path = directory / "final.jpg"
        caption(picture, [f"final screen  outcome: {episode.outcome}"]).save(path, quality=_QUALITY)
        yield path


def draw_sheet(episode: Episode, path: Path, *, width_px: int = 270, columns: int = 6) -> None:
    """Write one picture with every step of an episode, left to right and down, and its title."""
    total = len(episode.steps)
    cells = [
        draw_step(step, number, total, width_px=width_px)
        for number, step in enumerate(episode.steps, start=1)
    ]
    if episode.final is not None:
        final = _scaled(episode.final.screenshot.image(), width_px)
        cells.append(caption(final, [f"outcome: {episode.outcome}"]))
    columns = max(1, min(columns, len(cells)))
    rows = [cells[start : start + columns] for start in range(0, len(cells), columns)]
    heights = [max(cell.height for cell in row) for row in rows]
    sheet = Image.new(
        "RGB",
        (columns * (width_px + _GAP_PX) + _GAP_PX, sum(heights) + _GAP_PX * (len(rows) + 1)),
        "white",
    )
    top = _GAP_PX
    for row, height in zip(rows, heights, strict=True):
        for column, cell in enumerate(row):
            sheet.paste(cell, (_GAP_PX + column * (width_px + _GAP_PX), top))
        top += height + _GAP_PX
    path.parent.mkdir(parents=True, exist_ok=True)
    title = [episode.instruction, f"{episode.agent} on {episode.device}: {episode.outcome}"]
    caption(sheet, title).save(path, quality=_QUALITY)


def _scaled(image: Image.Image, width_px: int) -> Image.Image:
    height_px = max(1, round(image.height * width_px / image.width))
    return image.resize((width_px, height_px), Image.Resampling.LANCZOS)
