"""Episodes as pictures: one frame per step, with its action marked."""

from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

from PIL import Image

from tapwright.core.actions import Lift, Repeat, TypeText, Wait
from tapwright.core.episode import Episode, Step, describe_actions
from tapwright.drawing.marks import mark_actions, mark_text, thumbnail
from tapwright.drawing.parallel import draw_in_parallel
from tapwright.drawing.text import CaptionLine, add_caption
from tapwright.files.atomic import write_atomically
from tapwright.files.names import without_folders

__all__ = [
    "FILE_TYPES", "MAX_HEIGHT_PX", "crop_height", "describe_step", "draw_frames",
    "draw_step", "draw_steps", "mark_step", "save_picture", "step_caption",
]  # fmt: skip

_GREEN, _RED = "#4CD2A7", "#FF8A66"  # the marks' colours, light enough for a dark ground
_QUALITY = 88
MAX_HEIGHT_PX = 65_000  # JPEG holds 65,500
FILE_TYPES: Mapping[str, str] = {".jpg": "JPEG", ".jpeg": "JPEG", ".png": "PNG"}


def draw_step(step: Step, number: int, *, width_px: int) -> Image.Image:
    """A step's screen scaled to `width_px`, with its action marked and described in a caption."""
    return add_caption(mark_step(step, width_px=width_px), step_caption(step, number))


def mark_step(step: Step, *, width_px: int) -> Image.Image:
    """A step's screen scaled to `width_px`, with its action's place, or its text, marked.

    Of several actions the places are numbered.
    """
    picture = thumbnail(step.observation.screenshot.image(), width_px)
    if isinstance(step.decision.alone, TypeText):
        return mark_text(picture, step.decision.alone.text)
    return mark_actions(picture, step.decision.actions)


def step_caption(step: Step, number: int) -> list[CaptionLine]:
    """The caption of step `number`: action, who acted, target, reward, instructions, why."""
    lines = [CaptionLine(f"{number}  {describe_step(step)}")]
    if step.step_instruction:
        lines.append(CaptionLine(f"told: {step.step_instruction}"))
    if step.by:
        lines.append(CaptionLine(f"by {step.by}"))
    if step.decision.target:
        lines.append(CaptionLine(f"on: {step.decision.target}"))
    if step.refused:
        lines.append(CaptionLine(f"refused: {without_folders(step.refused)}", _RED))
    if step.reward:
        lines.append(CaptionLine(f"reward {step.reward:+g}", _GREEN if step.reward > 0 else _RED))
    lines.extend(
        CaptionLine(f"instruction: {instruction}", _RED) for instruction in step.instructions
    )
    if step.decision.reasoning:
        lines.append(CaptionLine(step.decision.reasoning))
    return lines


def describe_step(step: Step) -> str:
    """What was done in words; what a recorder calls it, where the step is one of its events."""
    match step.raw, step.between:
        case (Lift() | Repeat() as event,), () if isinstance(step.decision.alone, Wait):
            return event.type
    return describe_actions(step.decision.actions)


def draw_frames(
    episode: Episode, directory: Path, *, width_px: int = 540, first: int | None = None
) -> Iterator[Path]:
    """Write `000.jpg`, `001.jpg`, … and `final.jpg` into `directory`; yields each when written.

    A picture's number is its step's, which count from 0. With `first` they count from that, and
    are called `1.jpg`, `2.jpg`, ….

    Raises:
        DiskError: the directory cannot be written to.
    """
    names = [
        f"{number:03d}.jpg" if first is None else f"{first + number}.jpg"
        for number in range(len(episode.steps))
    ]
    if episode.final is not None:
        names.append("final.jpg")
    for name, picture in zip(names, draw_steps(episode, width_px, first or 0), strict=True):
        yield save_picture(crop_height(picture, MAX_HEIGHT_PX), directory / name)


def draw_steps(episode: Episode, width_px: int, first: int = 0) -> Iterator[Image.Image]:
    """Every step with its caption, numbered from `first`, then the final screen."""
    yield from draw_in_parallel(
        lambda numbered: draw_step(numbered[1], numbered[0], width_px=width_px),
        enumerate(episode.steps, first),
    )
    if episode.final is not None:
        picture = thumbnail(episode.final.screenshot.image(), width_px)
        yield add_caption(picture, [f"outcome: {episode.outcome}"])


def crop_height(picture: Image.Image, max_px: int) -> Image.Image:
    """The upper part of a picture that is too high; the end of its caption is lost."""
    if picture.height <= max_px:
        return picture
    return picture.crop((0, 0, picture.width, max_px))


def save_picture(picture: Image.Image, path: Path) -> Path:
    """Write a picture in the format of the path's extension; returns the path."""
    buffer = BytesIO()
    picture.save(buffer, FILE_TYPES[path.suffix.lower()], quality=_QUALITY)
    write_atomically(path, buffer.getvalue())
    return path
