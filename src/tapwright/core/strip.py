"""Screens side by side as HTML, for notebooks: small pictures, marks over them, words below.

A strip holds all that it shows and runs nothing, so that a notebook keeps it and a forge displays
it. Text of recordings is escaped.
"""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tapwright.core.geometry import Point, Size
from tapwright.core.screenshot import Screenshot, shrink_image
from tapwright.errors import BadImageError

__all__ = ["MAX_CARDS", "Card", "render_strip"]

MAX_CARDS = 40
"""The most screens of one strip: about half a megabyte of a notebook."""

_HEIGHT_PX = 260
_TEXT_LENGTH = 160
_COLOR = "#E69F00"
_STRIP = "display:flex;gap:12px;overflow-x:auto;font:12px/1.4 system-ui,sans-serif"
_CARD = "margin:0;flex:none;width:min-content;min-width:120px"


@dataclass(frozen=True, slots=True)
class Card:
    """A screen with its marks: a ring at a place that stands alone, a line along several.

    The first of `lines` is printed bold.
    """

    picture: Screenshot
    marks: Sequence[Sequence[Point]]
    lines: Sequence[str]


def render_strip(title: str, cards: Sequence[Card]) -> str:
    """The HTML of the first `MAX_CARDS` cards below a title; the number of others is told."""
    shown = "".join(map(_render, cards[:MAX_CARDS]))
    more = len(cards) - MAX_CARDS
    told = f"<p>… and {more} more</p>" if more > 0 else ""
    return f'<p><b>{escape(title)}</b></p><div style="{_STRIP}">{shown}{told}</div>'


def _render(card: Card) -> str:
    first, *others = [escape(_shorten(line)) for line in card.lines if line] or [""]
    words = "<br/>".join([f"<b>{first}</b>", *others])
    return f'<figure style="{_CARD}">{_picture(card)}<figcaption>{words}</figcaption></figure>'


def _picture(card: Card) -> str:
    try:
        image = card.picture.image()
    except BadImageError as error:
        return f"<p>{escape(str(error))}</p>"
    scale = min(1.0, _HEIGHT_PX / image.height)
    size = Size(max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    data = io.BytesIO()
    shrink_image(image, size).save(data, "JPEG", quality=80)
    source = f"data:image/jpeg;base64,{base64.b64encode(data.getvalue()).decode()}"
    marks = "".join(_mark(places, size) for places in card.marks)
    return (
        f'<svg width="{size.width}" height="{size.height}" '
        f'viewBox="0 0 {size.width} {size.height}" style="border:1px solid #8888">'
        f'<image href="{source}" width="{size.width}" height="{size.height}"/>'
        f'<g fill="none" stroke="{_COLOR}" stroke-width="3">{marks}</g></svg>'
    )


def _mark(places: Sequence[Point], size: Size) -> str:
    points = [(place.x * size.width, place.y * size.height) for place in places]
    x, y = points[-1]
    ring = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8"/>'
    if len(points) == 1:
        return ring
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{line}"/>{ring}'


def _shorten(text: str) -> str:
    return text if len(text) <= _TEXT_LENGTH else f"{text[: _TEXT_LENGTH - 1]}…"
