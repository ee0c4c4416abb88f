"""Pictures as answers: whole or as thumbnails, with the headers by which browsers keep them."""

from collections.abc import Callable
from typing import Annotated

from pydantic import Field
from starlette.requests import Request

from tapwright.core.screenshot import Screenshot
from tapwright.web.api import ImageResponse

__all__ = ["ThumbnailWidth", "image_response"]

_FOREVER = "private, max-age=31536000, immutable"

ThumbnailWidth = Annotated[int, Field(ge=40, le=1080)]


def image_response(
    request: Request,
    shot: Screenshot,
    read: Callable[[], bytes],
    media_type: str,
    *,
    immutable: bool = False,
) -> ImageResponse:
    """A picture; `immutable` ones, requested by hash, are cached for good, others revalidated."""
    tag = f'"{shot.sha256}-{request.query_params.get("w", "")}"'
    headers = {"ETag": tag, "Cache-Control": _FOREVER if immutable else "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return ImageResponse(status_code=304, headers=headers)
    return ImageResponse(read(), media_type=media_type, headers=headers)
