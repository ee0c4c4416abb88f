"""The data set card of a store: counts, sources, languages, apps, known defects, sample pictures.

Markdown with pictures beside it, as the hub shows it
(https://huggingface.co/docs/hub/datasets-cards), and the same as one HTML page that needs no other
file. Recorded text is escaped in both.
"""

import base64
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from PIL import Image

from tapwright.errors import UsageError
from tapwright.files.atomic import wrap_disk_errors, write_atomically
from tapwright.visualize.stats import StoreStats

__all__ = [
    "Card", "CardSource", "SamplePicture", "refuse_to_replace", "write_card", "write_card_page",
]  # fmt: skip

PICTURES = "card"
_OURS = b" episodes of GUI agents, "
"""Stands in every card, in Markdown and HTML."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#!&])")
_ROWS = 20


@dataclass(frozen=True, slots=True)
class CardSource:
    """Where episodes came from, and under which licence; "" where nothing tells."""

    name: str
    licence: str
    address: str
    episodes: int


@dataclass(frozen=True, slots=True)
class SamplePicture:
    """A step's screen with its action marked, and the words below it."""

    image: Image.Image
    caption: str


@dataclass(frozen=True, slots=True)
class Card:
    """What a card tells. `defects` has how many findings of a kind, and in how many episodes."""

    title: str
    stats: StoreStats
    languages: Mapping[str, int]
    sources: Sequence[CardSource]
    defects: Mapping[str, tuple[int, int]]
    pictures: Sequence[SamplePicture]


def refuse_to_replace(out: Path) -> None:
    """Refuse a place where there is a file that is no card.

    Raises:
        UsageError: there is one.
        DiskError: it cannot be read.
    """
    if not out.is_file():
        return
    with wrap_disk_errors(out):
        is_card = _OURS in out.read_bytes()
    if not is_card:
        raise UsageError(
            f"{out}: is there already, and is no card that tapwright wrote",
            hint="give the card another name, as with -o CARD.md, or move that file away",
        )


def write_card(card: Card, out: Path) -> None:
    """Write the card as Markdown to the file `out`, and its pictures into `card/` beside it.

    Raises:
        DiskError: the disk is full or not writable.
    """
    names = []
    for number, picture in enumerate(card.pictures):
        names.append(f"{PICTURES}/{number:02d}.jpg")
        write_atomically(out.parent / names[-1], _encode(picture.image))
    jinja = _environment()
    jinja.filters["text"] = _escape
    page = _render(jinja, "card.md.jinja", card, names)
    write_atomically(out, page.encode("utf-8", "replace"))


def write_card_page(card: Card, out: Path) -> None:
    """Write the card as one HTML page to the file `out`.

    Raises:
        DiskError: the disk is full or not writable.
    """
    uris = [
        f"data:image/jpeg;base64,{base64.b64encode(_encode(one.image)).decode()}"
        for one in card.pictures
    ]
    page = _render(_environment(), "card.html.jinja", card, uris)
    write_atomically(out, page.encode("utf-8", "replace"))


def _render(jinja: Environment, template: str, card: Card, pictures: Sequence[str]) -> str:
    source = files("tapwright.visualize").joinpath(template).read_text("utf-8")
    facets = {
        facet: (card.stats.of(facet)[:_ROWS], max(0, len(card.stats.of(facet)) - _ROWS))
        for facet in ("app", "action", "outcome", "evidence", "length", "agent", "annotator")
    }
    return jinja.from_string(source).render(
        card=card, facets=facets, pictures=list(zip(card.pictures, pictures, strict=True))
    )


def _environment() -> Environment:
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _escape(text: str) -> Markup:
    """Text of a recording in one line of Markdown, in which nothing of it is markup."""
    return Markup(_MARKUP.sub(r"\\\1", " ".join(text.split())))  # noqa: S704 - it is escaped


def _encode(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "JPEG", quality=85)
    return buffer.getvalue()
