"""The one way in which a model is asked: a query is built here, and sent here.

Suites, agents, grounders, planners, judges and annotators all ask so: one model is shown the same
pictures, declared the same tools and sent the same settings by all of them.
"""

import asyncio
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from pydantic import JsonValue

from tapwright.conventions.sent_pictures import resize_pictures
from tapwright.conventions.spoken import SpokenConvention
from tapwright.core.geometry import Size
from tapwright.core.messages import Message
from tapwright.core.screenshot import Screenshot, shrink_image
from tapwright.models.model import Completion, Model, complete_with

__all__ = ["Query", "build_query", "send_query", "shrink_screenshot"]


@dataclass(frozen=True, slots=True)
class Query:
    """What a model is sent: the messages, and the settings over the model's own."""

    messages: Sequence[Message]
    settings: Mapping[str, JsonValue] = field(default_factory=dict)


def build_query(
    model: Model,
    messages: Sequence[Message],
    spoken: SpokenConvention | None = None,
    size: Size | None = None,
    settings: Mapping[str, JsonValue] = MappingProxyType({}),
) -> Query:
    """The query about a screen of `size`, as a convention is `spoken` to the model.

    Pictures get the size that the convention sends; its tools are declared. This takes a while
    where pictures are scaled.

    Raises:
        BadImageError: a picture cannot be read, or cannot be sent in that size.
    """
    if spoken is None:
        return Query(messages, settings)
    tools = spoken.settings(model.settings, size) if size is not None else {}
    return Query(resize_pictures(spoken.convention, messages), {**tools, **settings})


async def send_query(
    model: Model,
    messages: Sequence[Message],
    spoken: SpokenConvention | None = None,
    size: Size | None = None,
    settings: Mapping[str, JsonValue] = MappingProxyType({}),
) -> Completion:
    """The model's answer to the query that `build_query` makes.

    Raises:
        BadImageError: a picture cannot be read, or cannot be sent in that size.
        ModelError: the query failed.
    """
    query = await asyncio.to_thread(build_query, model, messages, spoken, size, settings)
    return await complete_with(model, query.messages, query.settings)


@lru_cache(maxsize=64)
def shrink_screenshot(screenshot: Screenshot, size: Size) -> Screenshot:
    """The picture in a smaller size, as PNG; itself where it has that size.

    The latest few are kept, as histories repeat them.

    Raises:
        BadImageError: it cannot be read.
    """
    if size == screenshot.size:
        return screenshot
    buffer = io.BytesIO()
    shrink_image(screenshot.image(), size).save(buffer, "PNG")
    return Screenshot(buffer.getvalue(), origin=screenshot.origin)
