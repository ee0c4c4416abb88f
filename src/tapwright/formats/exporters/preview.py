"""A preview of one sample: its text, where its pictures stand, and what the loss counts."""

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, TypeAlias

import jinja2

from tapwright.core.messages import Picture, Text
from tapwright.core.screenshot import Screenshot
from tapwright.formats.exporters.rendered import OWN_TEMPLATE, SampleRenderer
from tapwright.formats.exporters.training_set import SftSettings, TrainingSample

__all__ = ["Segment", "SegmentKind", "render_preview", "render_preview_html"]

SegmentKind: TypeAlias = Literal["turn", "text", "picture", "loss"]

# How known templates write a picture; the first alternatives cover several tokens at once.
_PICTURE = re.compile(
    r"<\|vision_start\|><\|(?:image|video)_pad\|><\|vision_end\|>"
    r"|<image>|<\|image\|>|<\|image_pad\|>|<start_of_image>|<image_soft_token>|\[IMG\]"
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a sample: the role of the next turn, text, a picture, or trained text."""

    kind: SegmentKind
    text: str
    picture: Screenshot | None = None


def render_preview(sample: TrainingSample, settings: SftSettings) -> list[Segment]:
    """Renders a sample by its chat template, or as turns where no template is known.

    Raises:
        UnusableStepError: the template refuses it, or breaks the prefix law.
        UsageError: the template of the settings is not one.
    """
    if settings.template or settings.convention.name == OWN_TEMPLATE:
        pair = SampleRenderer(settings)(sample)
        return [*_cut(pair.prompt, sample.pictures), Segment("loss", pair.completion)]
    return list(_turns(sample))


def render_preview_html(sample: TrainingSample, segments: list[Segment]) -> str:
    """Renders the same as one HTML page without other files; recorded text is escaped."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    source = (
        files("tapwright.formats.exporters")
        .joinpath("preview.html.jinja")
        .read_text(encoding="utf-8")
    )
    rows = [
        {
            "kind": segment.kind,
            "text": segment.text.encode("utf-8", "backslashreplace").decode(),
            "source": _data_uri(segment.picture) if segment.picture is not None else "",
            "size": str(segment.picture.size) if segment.picture is not None else "",
        }
        for segment in segments
    ]
    return environment.from_string(source).render(sample=sample, segments=rows)


def _turns(sample: TrainingSample) -> Iterator[Segment]:
    for message in sample.prompt:
        yield Segment("turn", message.role)
        for part in message.parts:
            match part:
                case Text(text=text):
                    yield Segment("text", text)
                case Picture(screenshot=screenshot):
                    yield Segment("picture", "<image>", screenshot)
                case _:
                    yield Segment("text", repr(part))
    for message in sample.completion:
        yield Segment("turn", message.role)
        yield Segment("loss" if message.role == "assistant" else "text", message.text)


def _cut(text: str, pictures: list[Screenshot]) -> Iterator[Segment]:
    left = iter(pictures)
    at = 0
    for mark in _PICTURE.finditer(text):
        if mark.start() > at:
            yield Segment("text", text[at : mark.start()])
        yield Segment("picture", mark[0], next(left, None))
        at = mark.end()
    if at < len(text):
        yield Segment("text", text[at:])


def _data_uri(picture: Screenshot) -> str:
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode()}"
