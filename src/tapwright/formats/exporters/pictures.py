"""The pictures of a training set: the recorded bytes, or scaled and re-encoded on all cores.

A convention whose client resizes pictures before it sends them (`sent_pictures`) gets them so here,
too: a model is trained on the pictures that it is measured on.

Pillow releases Python's lock while it decodes, scales and encodes, so threads are enough. Pictures
that stay as recorded are read without one: a thread waits for Python's lock at every system call,
and to read and hash a picture takes less than that.
"""

import os
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from typing import NamedTuple, Self, TypeAlias

from tapwright.conventions.convention import sent_size
from tapwright.conventions.sent_pictures import RESIZING, ShrinkingConvention, resize_picture
from tapwright.core.fit import NO_PICTURE, why_unseen
from tapwright.core.geometry import Size
from tapwright.core.screenshot import Screenshot, shrink_image
from tapwright.errors import BadImageError, CorruptEpisodeError, UsageError
from tapwright.formats.exporters.training_set import SftSettings, UnusableStepError

EncodePicture: TypeAlias = Callable[[Screenshot, Size, int | None], Screenshot]
"""Encodes a picture anew: at this size, and as JPEG of this quality or as PNG."""

FOLDER = "images"
_RECENT = 64
_SCREENS = (Size(1080, 2400), Size(1920, 1080), Size(3840, 2160))


def image_path(picture: Screenshot) -> str:
    """Returns the path of a picture's file in a training set: "images/<sha256>.<ext>"."""
    return f"{FOLDER}/{picture.sha256}.{picture.extension}"


def encode_picture(picture: Screenshot, size: Size, jpeg_quality: int | None) -> Screenshot:
    """Scales a picture to `size`, as PNG, or as JPEG of a quality from 1 to 95.

    Raises:
        BadImageError: its bytes are not an image.
    """
    image = picture.image()
    if size != picture.size:
        image = shrink_image(image, size)
    buffer = BytesIO()
    if jpeg_quality is None:
        image.save(buffer, "PNG", compress_level=1)
    else:
        image.save(buffer, "JPEG", quality=jpeg_quality)
    return Screenshot(buffer.getvalue(), origin=picture.origin)


class EncodedPicture(NamedTuple):
    """A picture of a training set, and the `size` in which places on it are rendered.

    A convention whose client resizes pictures has it smaller than that: it scales places itself.
    `unseen` is why it is not to be looked at, "" where it is (`core.fit`).
    """

    picture: Screenshot
    size: Size
    unseen: str = ""


class PictureEncoder:
    """Encodes pictures ahead of their use; as a context manager it waits for its threads.

    A picture that is requested again soon is not read again, and at most some dozens are in
    memory. `encode` runs in as many threads as the machine has cores, or in `threads`, and with 0
    in the one that asks.
    """

    def __init__(
        self,
        settings: SftSettings,
        *,
        encode: EncodePicture = encode_picture,
        threads: int | None = None,
    ) -> None:
        if not 0 < settings.scale <= 1:
            raise UsageError(f"scale {settings.scale}; expected above 0 and at most 1")
        if settings.max_pixels is not None and settings.max_pixels < 1:
            raise UsageError(f"at most {settings.max_pixels} pixels; expected at least 1")
        if settings.max_side is not None and settings.max_side < 1:
            raise UsageError(f"sides of at most {settings.max_side} pixels; expected at least 1")
        if settings.jpeg_quality is not None and not 1 <= settings.jpeg_quality <= 95:
            raise UsageError(f"JPEG quality {settings.jpeg_quality}; expected 1 to 95")
        self._settings = settings
        self._resizes = isinstance(settings.convention, RESIZING)
        self._recent: OrderedDict[tuple[str, str, bool], Callable[[], EncodedPicture]] = (
            OrderedDict()
        )
        self._kept: set[tuple[Size, bool]] = set()
        """The sizes of those that a convention's client sends as they are."""
        self._encode = encode
        workers = (os.cpu_count() or 1) if threads is None else threads
        workers *= _encodes_most(settings)
        self._pool = ThreadPoolExecutor(workers) if workers else None
        self.lookahead = 4 * workers
        """How many pictures are worth requesting before the first is used."""

    def output_size(self, size: Size) -> Size:
        """Returns the size after scaling by the settings, in which places are rendered."""
        told = self._settings
        return size.shrink(scale=told.scale, max_side=told.max_side, max_pixels=told.max_pixels)

    def request(
        self, recorded: Screenshot, *, earlier: bool = False
    ) -> Callable[[], EncodedPicture]:
        """Start encoding a picture, that of an `earlier` step; the function returned has it.

        Raises:
            UnusableStepError: when called: the recorded picture is broken, or another one.
        """
        # The file counts too: a broken one does not make its copy in another episode broken.
        key = (recorded.sha256, recorded.origin, earlier)
        made = self._recent.get(key)
        if made is None:
            make = partial(self._make, recorded, earlier)
            made = self._pool.submit(make).result if self._pool else _made(make)
            self._recent[key] = made
            if len(self._recent) > _RECENT:
                self._recent.popitem(last=False)
        return made

    def _make(self, recorded: Screenshot, earlier: bool) -> EncodedPicture:
        try:
            picture = Screenshot(recorded.data, origin=recorded.origin)  # read once
            if (unseen := why_unseen(picture, picture.size)) == NO_PICTURE:
                raise UnusableStepError(NO_PICTURE)
            if picture.sha256 != recorded.sha256:
                raise UnusableStepError(
                    "its screenshot differs from the recorded one", CorruptEpisodeError.code
                )
            size = self.output_size(picture.size)
            if size != picture.size or self._settings.jpeg_quality is not None:
                picture = self._encode(picture, size, self._settings.jpeg_quality)
        except (BadImageError, CorruptEpisodeError) as error:
            raise UnusableStepError("its screenshot cannot be read", error.code) from error
        if self._resizes and (picture.size, earlier) not in self._kept:
            try:
                sent = resize_picture(self._settings.convention, picture, earlier=earlier)
            except BadImageError as error:
                raise UnusableStepError(str(error), error.code) from error
            if sent is picture:
                self._kept.add((picture.size, earlier))
            picture = sent
        return EncodedPicture(picture, size, unseen)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)


def _made(make: Callable[[], EncodedPicture]) -> Callable[[], EncodedPicture]:
    """What tells a picture that is made at once, or why it cannot be."""
    try:
        picture = make()
    except UnusableStepError as error:
        unusable = error

        def refuse() -> EncodedPicture:
            raise unusable

        return refuse
    return lambda: picture


def _encodes_most(settings: SftSettings) -> bool:
    """Whether usual screens are encoded anew, so that threads are worth their turns."""
    convention = settings.convention
    resized = any(sent_size(convention, one) != one for one in _SCREENS)
    return settings.encodes or resized or isinstance(convention, ShrinkingConvention)
