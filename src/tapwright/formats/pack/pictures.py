"""Packs screens as they were recorded, or PNG as lossless WebP.

Below quality 25 libwebp does not search for a cache of colours, which halves its time for a fifth
more bytes; a higher method than 2 is faster on flat screens and many times slower on photographs
(`docs/pack.md` has the figures). A JPEG stays one: its pixels take three times the space in any
lossless form.
"""

import hashlib
import io
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Literal, TypeAlias

from PIL import Image

from tapwright.core.episode import Episode
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError, CorruptEpisodeError
from tapwright.formats.temporary_storage import TemporaryStorage

__all__ = ["ImageEncoding", "encode_lossless_webp", "pack_pictures", "replace_pictures"]

ImageEncoding: TypeAlias = Literal["webp", "original"]
"""How images are packed: as lossless WebP, or as the recorded bytes."""

_WEBP_SIDE_PX = 16_383


def pack_pictures(
    episode: Episode, pictures: ImageEncoding, pool: ThreadPoolExecutor, storage: TemporaryStorage
) -> dict[str, Screenshot]:
    """Returns every screen of an episode as it is packed, by the hash of the recorded one.

    Raises:
        CorruptEpisodeError: a picture or tree cannot be read, or a picture is not the recorded one.
        BadImageError: a picture cannot be decoded.
    """
    shots: dict[str, Screenshot] = {}
    for observation in _list_observations(episode):
        shots[observation.screenshot.sha256] = observation.screenshot
        if observation.ui_tree is not None:
            _ = observation.ui_tree.unread().xml  # a row cannot be withdrawn once it is started
    packed = pool.map(partial(_pack_picture, pictures=pictures, storage=storage), shots.values())
    return dict(zip(shots, packed, strict=True))


def replace_pictures(episode: Episode, packed: Mapping[str, Screenshot]) -> Episode:
    """Returns the episode with each screen as `pack_pictures` returned it."""

    def replaced(observation: Observation) -> Observation:
        return replace(observation, screenshot=packed[observation.screenshot.sha256])

    steps = tuple(
        replace(
            step,
            observation=replaced(step.observation),
            between=tuple(replaced(one) for one in step.between),
            after=step.after and replaced(step.after),
        )
        for step in episode.steps
    )
    final = None if episode.final is None else replaced(episode.final)
    return replace(episode, steps=steps, final=final)


def encode_lossless_webp(data: bytes) -> bytes | None:
    """Encodes a PNG as WebP of the same pixels; None if it is not a PNG, or would not be smaller.

    Palettes and grey are skipped: they are small as PNG, and WebP has neither.

    Raises:
        OSError: the PNG is broken.
    """
    with Image.open(io.BytesIO(data)) as image:
        plain = image.mode in ("RGB", "RGBA") and "transparency" not in image.info
        if image.format != "PNG" or not plain or max(image.size) > _WEBP_SIDE_PX:
            return None
        buffer = io.BytesIO()
        # Exact: the colours of transparent pixels count too.
        image.save(buffer, "WEBP", lossless=True, method=2, quality=20, exact=True)
    encoded = buffer.getvalue()
    return encoded if len(encoded) < len(data) else None


def _list_observations(episode: Episode) -> Iterator[Observation]:
    for step in episode.steps:
        yield from step.screens
    if episode.final is not None:
        yield episode.final


def _pack_picture(
    shot: Screenshot, *, pictures: ImageEncoding, storage: TemporaryStorage
) -> Screenshot:
    data = shot.data
    if hashlib.sha256(data).hexdigest() != shot.sha256:
        raise CorruptEpisodeError(
            f"{shot.origin}: not the recorded picture: its bytes do not have the hash of its name",
            hint="tapwright episodes check lists what else is wrong with its store",
        )
    _ = shot.size
    if pictures == "original":
        return shot
    try:
        encoded = encode_lossless_webp(data)
    except (OSError, SyntaxError, ValueError) as error:
        raise BadImageError(f"{shot.origin}: the image is broken: {error}") from error
    if encoded is None:
        return shot
    sha256 = hashlib.sha256(encoded).hexdigest()
    return Screenshot.lazy(storage.add(encoded), sha256=sha256, origin=shot.origin)
