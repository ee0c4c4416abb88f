"""Screens made small without a loss: PNG as lossless WebP, anything else as it was recorded.

Effort 2 at quality 50 gives what the highest effort gives within a few hundredths, in a third of
its time. A JPEG stays one: its pixels take three times the room in any lossless form.
"""

import hashlib
import io
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Literal, TypeAlias

from PIL import Image

from tapwright.episode import Episode
from tapwright.errors import BadImageError, CorruptEpisodeError
from tapwright.formats.temporary_storage import TemporaryStorage
from tapwright.observation import Observation
from tapwright.screenshot import Screenshot

__all__ = ["ImageEncoding", "encode_lossless_webp", "pack_pictures", "replace_pictures"]

ImageEncoding: TypeAlias = Literal["webp", "original"]
"""How pictures are packed: small, or as the bytes that were recorded."""

_WEBP_SIDE_PX = 16_383


def pack_pictures(
    episode: Episode, pictures: ImageEncoding, pool: ThreadPoolExecutor, spool: TemporaryStorage
) -> dict[str, Screenshot]:
    """Every screen of an episode as it is to be packed, by the hash of what was recorded.

    Raises:
        CorruptEpisodeError: a picture or tree cannot be read, or a picture is not the one that was
            recorded.
        BadImageError: a picture cannot be decoded.
    """
    shots: dict[str, Screenshot] = {}
    for seen in _list_observations(episode):
        shots[seen.screenshot.sha256] = seen.screenshot
        if seen.ui_tree is not None:
            _ = seen.ui_tree.unread().xml  # a row that is begun cannot be taken back
    packed = pool.map(partial(_pack_picture, pictures=pictures, spool=spool), shots.values())
    return dict(zip(shots, packed, strict=True))


def replace_pictures(episode: Episode, packed: Mapping[str, Screenshot]) -> Episode:
    """The episode with each screen as `pack_pictures` gave it, and all else as it was."""

    def seen(observation: Observation) -> Observation:
        return replace(observation, screenshot=packed[observation.screenshot.sha256])

    steps = tuple(
        replace(
            step,
            observation=seen(step.observation),
            between=tuple(seen(one) for one in step.between),
            after=step.after and seen(step.after),
        )
        for step in episode.steps
    )
    final = None if episode.final is None else seen(episode.final)
    return replace(episode, steps=steps, final=final)


def encode_lossless_webp(data: bytes) -> bytes | None:
    """A PNG as WebP of the very same pixels; None when it is no PNG, or would not be smaller.

    Palettes and grey are left alone: as PNG they are small, and WebP knows neither.

    Raises:
        OSError: the PNG is broken.
    """
    with Image.open(io.BytesIO(data)) as image:
        plain = image.mode in ("RGB", "RGBA") and "transparency" not in image.info
        if image.format != "PNG" or not plain or max(image.size) > _WEBP_SIDE_PX:
            return None
        buffer = io.BytesIO()
        # Exact: the colours under what is transparent are pixels, too.
        image.save(buffer, "WEBP", lossless=True, method=2, quality=50, exact=True)
    made = buffer.getvalue()
    return made if len(made) < len(data) else None


def _list_observations(episode: Episode) -> Iterator[Observation]:
    for step in episode.steps:
        yield from step.screens
    if episode.final is not None:
        yield episode.final


def _pack_picture(
    shot: Screenshot, *, pictures: ImageEncoding, spool: TemporaryStorage
) -> Screenshot:
    data = shot.data
    if hashlib.sha256(data).hexdigest() != shot.sha256:
        raise CorruptEpisodeError(
            f"{shot.origin}: not the picture that was recorded: its bytes do not hash to its name",
            hint="tapwright episodes check tells what else is wrong with its store",
        )
    _ = shot.size
    if pictures == "original":
        return shot
    try:
        made = encode_lossless_webp(data)
    except (OSError, SyntaxError, ValueError) as error:
        raise BadImageError(f"{shot.origin}: the image is broken: {error}") from error
    if made is None:
        return shot
    sha256 = hashlib.sha256(made).hexdigest()
    return Screenshot.lazy(spool.add(made), sha256=sha256, origin=shot.origin)
