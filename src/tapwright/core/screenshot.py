"""One picture of a screen, as the bytes that the device gave."""

import hashlib
import io
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from zlib import crc32

from PIL import Image, ImageDraw, UnidentifiedImageError
from PIL.PngImagePlugin import PngInfo

from tapwright.core.geometry import Size
from tapwright.errors import BadImageError

__all__ = ["MAX_PIXELS", "MAX_SIDE", "Screenshot", "shrink_image"]

MAX_PIXELS = 64_000_000
"""The largest screenshot that is decoded: more than an 8K screen, less than what fills memory."""
MAX_SIDE = 32_768
"""The longest side of a screenshot, in pixels."""

_STAND_IN = ("tapwright", "no picture was recorded")
_KINDS: Mapping[str, tuple[str, str]] = {
    "PNG": ("png", "image/png"),
    "JPEG": ("jpg", "image/jpeg"),
    "WEBP": ("webp", "image/webp"),
}
_STARTS = (("PNG", b"\x89PNG\r\n\x1a\n", 0), ("JPEG", b"\xff\xd8\xff", 0), ("WEBP", b"WEBP", 8))
"""Which bytes a picture of each kind has, and where."""
_PLAIN_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
_PLAIN_PIXELS = (b"\x08\x02\0\0\0", b"\x08\x06\0\0\0")
"""RGB and RGBA of 8 bits, not interlaced."""


class Screenshot:
    """One picture of a screen: the device's own bytes, never re-encoded, loaded when it is used.

    Two screenshots are equal when their bytes are.
    """

    def __init__(self, data: bytes, *, origin: str = "a screenshot") -> None:
        self._load: Callable[[], bytes] | None = None
        self._data: bytes | None = data
        self.origin = origin
        self.sha256 = hashlib.sha256(data).hexdigest()

    @classmethod
    def lazy(cls, load: Callable[[], bytes], *, sha256: str, origin: str) -> "Screenshot":
        """A screenshot whose bytes are read by `load` each time they are needed.

        `origin` names the file in errors; `sha256` is what the bytes hash to.
        """
        made = cls.__new__(cls)
        made._load, made._data = load, None
        made.origin, made.sha256 = origin, sha256
        return made

    def reloaded_by(self, load: Callable[[], bytes]) -> "Screenshot":
        """The same picture, its bytes read by `load` from now on; what is known of it stays.

        Raises:
            BadImageError: as `size`.
        """
        made = Screenshot.lazy(load, sha256=self.sha256, origin=self.origin)
        made.__dict__["_header"] = self._header
        return made

    @classmethod
    def stand_in(cls, size: Size) -> "Screenshot":
        """A crossed-out grey PNG for a screen of `size` of which no picture was recorded."""
        return cls(_crossed_out(size), origin=f"a stand-in for a screen of {size}")

    @property
    def recorded(self) -> bool:
        """Whether it shows a screen; False for a `stand_in`, which a text chunk marks."""
        return b"tEXt" + b"\0".join(part.encode() for part in _STAND_IN) not in self.data[:256]

    @property
    def data(self) -> bytes:
        """The encoded bytes."""
        if self._data is not None:
            return self._data
        assert self._load is not None  # one of the two is always set
        return self._load()

    @cached_property
    def _header(self) -> tuple[str, Size]:
        data = self.data  # once: it may be a file, or come from far away
        if size := _read_plain_png(data[:41]):
            return "PNG", size
        with self._open(data) as image:
            return image.format or "", Size(*image.size)

    def _open(self, data: bytes) -> Image.Image:
        """The picture with its header read, and checked; its pixels are not decoded."""
        try:
            # No decoder of another kind sees a stranger's bytes.
            image = Image.open(io.BytesIO(data), formats=tuple(_KINDS))
        except UnidentifiedImageError as error:  # whose words tell an address in memory
            raise BadImageError(
                f"{self.origin}: not a readable image; expected PNG, JPEG or WebP"
            ) from error
        except (
            OSError,
            ValueError,  # a text beside the picture that unpacks to too much
            Image.DecompressionBombError,
            Image.DecompressionBombWarning,
        ) as error:
            raise BadImageError(f"{self.origin}: not a readable image: {error}") from error
        if max(image.size) > MAX_SIDE:
            raise BadImageError(
                f"{self.origin}: {Size(*image.size)} pixels; a side of a screenshot has at most "
                f"{MAX_SIDE:,}",
                hint="scale the image down before importing it",
            )
        if image.width * image.height > MAX_PIXELS:
            raise BadImageError(
                f"{self.origin}: {Size(*image.size)} pixels; a screenshot has at most "
                f"{MAX_PIXELS:,}",
                hint="scale the image down before importing it",
            )
        return image

    @property
    def size(self) -> Size:
        """Width and height in pixels, from the image's header.

        Raises:
            BadImageError: the bytes are no PNG, JPEG or WebP, or larger than `MAX_PIXELS`
                or `MAX_SIDE`.
        """
        return self._header[1]

    @property
    def extension(self) -> str:
        """The file name extension that its bytes deserve: png, jpg or webp."""
        return _KINDS[self._header[0]][0]

    @cached_property
    def media_type(self) -> str:
        """The MIME type of its bytes."""
        start = self.data[:12]
        for kind, begin, at in _STARTS:  # a hundred times as fast as to open it
            if start[at : at + len(begin)] == begin:
                return _KINDS[kind][1]
        return _KINDS[self._header[0]][1]

    def image(self) -> Image.Image:
        """The decoded picture, in RGB.

        Raises:
            BadImageError: the bytes are truncated, unreadable or too large.
        """
        try:
            with self._open(self.data) as image:
                image.load()
                # A conversion copies every pixel, also where there is nothing to convert.
                return image if image.mode == "RGB" else image.convert("RGB")
        except (OSError, SyntaxError, ValueError) as error:
            raise BadImageError(f"{self.origin}: the image is broken: {error}") from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Screenshot) and other.sha256 == self.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __repr__(self) -> str:
        return f"Screenshot({self.sha256[:12]})"


def _read_plain_png(start: bytes) -> Size | None:
    """The size of a PNG as devices make them, by its first 41 bytes; None: Pillow is to be asked.

    Pillow takes ten times as long to open one, and finds the same.
    """
    if start[:16] != _PLAIN_PNG or start[24:29] not in _PLAIN_PIXELS or start[37:] != b"IDAT":
        return None
    if crc32(start[12:29]).to_bytes(4, "big") != start[29:33]:
        return None
    width, height = int.from_bytes(start[16:20], "big"), int.from_bytes(start[20:24], "big")
    fits = 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and width * height <= MAX_PIXELS
    return Size(width, height) if fits else None


def shrink_image(image: Image.Image, size: Size) -> Image.Image:
    """The picture in a smaller size, by Lanczos, to the same pixels as Pillow's `thumbnail`.

    Training sets and questions to models have their pictures made here: what is measured looks as
    what was taught.
    """
    side = (size.width, size.height)
    return image.resize(side, Image.Resampling.LANCZOS, reducing_gap=2.0)


@lru_cache(maxsize=16)
def _crossed_out(size: Size) -> bytes:
    picture, chunks, data = Image.new("L", (size.width, size.height), 160), PngInfo(), io.BytesIO()
    right, bottom = size.width - 1, size.height - 1
    draw = ImageDraw.Draw(picture)
    draw.line((0, 0, right, bottom), fill=96)
    draw.line((0, bottom, right, 0), fill=96)
    chunks.add_text(*_STAND_IN)
    picture.save(data, "PNG", pnginfo=chunks)
    return data.getvalue()
