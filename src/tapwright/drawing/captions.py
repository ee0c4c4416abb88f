"""Lines of text below or above a picture."""

from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw

from tapwright.drawing.text import draw_text, wrap_text

__all__ = ["BLACK", "CaptionLine", "add_caption", "draw_text_strip", "font_size"]

BLACK = "#1A1A1A"
_PAPER = "#F5F5F5"


class CaptionLine(NamedTuple):
    """A line of text and its colour."""

    text: str
    color: str = _PAPER


def add_caption(
    image: Image.Image,
    lines: Sequence[str | CaptionLine],
    *,
    size_px: int | None = None,
    background: str = BLACK,
    above: bool = False,
) -> Image.Image:
    """The picture with lines of text below it, or above; `draw_text_strip` has the options."""
    strip = draw_text_strip(lines, image.width, size_px=size_px, background=background)
    captioned = Image.new("RGB", (image.width, image.height + strip.height), background)
    captioned.paste(image, (0, strip.height if above else 0))
    captioned.paste(strip, (0, 0 if above else image.height))
    return captioned


def draw_text_strip(
    lines: Sequence[str | CaptionLine],
    width_px: int,
    *,
    size_px: int | None = None,
    background: str = BLACK,
    max_rows: int | None = None,
) -> Image.Image:
    """Lines of text in any script on a strip of a width, wrapped to it.

    `size_px` is the font size; by default it follows the width. Of more than `max_rows` rows the
    rest is cut, and the last one ends in "…".
    """
    size_px = size_px or font_size(width_px)
    pad, step = size_px // 2 + 2, round(size_px * 1.45)
    rows = [
        CaptionLine(row, line.color)
        for line in (CaptionLine(line) if isinstance(line, str) else line for line in lines)
        for row in wrap_text(line.text, size_px, width_px - 2 * pad)
    ]
    if max_rows is not None and len(rows) > max_rows:
        text, color = rows[max_rows - 1]
        rows = [*rows[: max_rows - 1], CaptionLine(f"{text[:-1]}…", color)]
    strip = Image.new("RGB", (width_px, 2 * pad + step * len(rows)), background)
    draw = ImageDraw.Draw(strip)
    for number, row in enumerate(rows):
        draw_text(draw, (pad, pad + step * number + size_px), row.text, size_px, row.color)
    return strip


def font_size(width_px: int) -> int:
    """The font size, in pixels, for a strip of a width."""
    return max(12, round(width_px / 24))
