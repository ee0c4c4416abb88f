"""Rectangles of a far screen as a server sends them: raw, copied, zlib and ZRLE.

RFC 6143, section 7.7, and zlib as https://github.com/rfbproto/rfbproto/blob/bbafa39/rfbproto.rst
has it. Pixels are 32 bits, blue first. Nothing unpacks to more than its rectangle needs.
"""

import zlib
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tapwright.core.geometry import Size
from tapwright.devices.errors import VncServerError

__all__ = ["DESKTOP_SIZE", "ENCODINGS", "Canvas"]

RAW, COPY, ZLIB, ZRLE = 0, 1, 6, 16
CURSOR, CURSOR_PLACE, DESKTOP_SIZE = -239, -232, -223
ENCODINGS = (ZRLE, ZLIB, COPY, RAW, DESKTOP_SIZE, CURSOR, CURSOR_PLACE)
"""What is asked for, the best first; the pointer apart, so that no picture has it."""
_MAX_SIDE = 8192
_TILE = 64
_PIXEL, _CPIXEL = 4, 3
_MAX_PACKED = 64_000_000

Place: TypeAlias = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""
Pixels: TypeAlias = npt.NDArray[np.uint8]
Read: TypeAlias = Callable[[int], bytes]


class Canvas:
    """The picture of a far screen, height x width x (blue, green, red, unused)."""

    def __init__(self, width: int, height: int) -> None:
        self.resize(width, height)
        self._zlib = zlib.decompressobj()
        self._zrle = zlib.decompressobj()

    def resize(self, width: int, height: int) -> None:
        """A black picture of another size.

        Raises:
            VncServerError: it is larger than any screen.
        """
        if not (1 <= width <= _MAX_SIDE and 1 <= height <= _MAX_SIDE):
            raise VncServerError(
                f"the server's screen is {width}x{height}; expected 1 to {_MAX_SIDE} each way"
            )
        self.size = Size(width, height)
        self.pixels: Pixels = np.zeros((height, width, _PIXEL), np.uint8)

    def read(self, place: Place, encoding: int, read: Read) -> Pixels | None:
        """Read the pixels of one rectangle; None for what is drawn nowhere.

        Raises:
            VncServerError: it is not on the screen, or not what its encoding says.
        """
        left, top, width, height = place
        if encoding == CURSOR_PLACE:
            return None
        if encoding == CURSOR:
            read(width * height * _PIXEL + height * ((width + 7) // 8))
            return None
        if left + width > self.size.width or top + height > self.size.height:
            raise VncServerError(
                f"the server sent a rectangle of {width}x{height} at ({left}, {top}) "
                f"of a screen of {self.size}"
            )
        if encoding == RAW:
            return _pixels(read(width * height * _PIXEL), width, height)
        if encoding == COPY:
            x, y = (int.from_bytes(read(2), "big") for _ in range(2))
            if x + width > self.size.width or y + height > self.size.height:
                raise VncServerError("the server copies from beyond its screen")
            return self.pixels[y : y + height, x : x + width].copy()
        if encoding == ZLIB:
            most = width * height * _PIXEL
            return _pixels(self._unpack(self._zlib, read, most), width, height)
        if encoding == ZRLE:
            tiles = (width // _TILE + 1) * (height // _TILE + 1)
            # A tile has a palette at most, and a run for each pixel.
            most = tiles * (2 + 128 * _CPIXEL) + width * height * (_CPIXEL + 1)
            return _tiles(self._unpack(self._zrle, read, most), width, height)
        raise VncServerError(f"the server sent encoding {encoding}, which nobody asked for")

    def draw(self, place: Place, drawn: Pixels) -> bool:
        """Put pixels in their place; whether that changed anything."""
        left, top, width, height = place
        there = self.pixels[top : top + height, left : left + width, :3]
        if np.array_equal(there, drawn[:, :, :3]):
            return False
        there[:] = drawn[:, :, :3]
        return True

    def _unpack(self, stream: "zlib._Decompress", read: Read, most: int) -> bytes:
        length = int.from_bytes(read(4), "big")
        if length > _MAX_PACKED:
            raise VncServerError(f"the server sent a rectangle of {length:,} packed bytes")
        try:
            data = stream.decompress(read(length), most + 1)
        except zlib.error as error:
            raise VncServerError(f"the server sent broken zlib data: {error}") from error
        if len(data) > most or stream.unconsumed_tail:
            raise VncServerError("the server sent more pixels than its rectangle has")
        return data


def _pixels(data: bytes, width: int, height: int) -> Pixels:
    if len(data) != width * height * _PIXEL:
        raise VncServerError(f"the server sent {len(data)} bytes for {width}x{height} pixels")
    return np.frombuffer(data, np.uint8).reshape(height, width, _PIXEL)


def _tiles(data: bytes, width: int, height: int) -> Pixels:
    drawn = np.empty((height, width, _CPIXEL), np.uint8)
    reader = _TileReader(data)
    for top in range(0, height, _TILE):
        for left in range(0, width, _TILE):
            across, down = min(_TILE, width - left), min(_TILE, height - top)
            tile = reader.tile(across, down)
            drawn[top : top + down, left : left + across] = tile
    return drawn


class _TileReader:
    """The tiles of one ZRLE rectangle, from left to right and down."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def tile(self, width: int, height: int) -> Pixels:
        kind = self._take(1)[0]
        count = width * height
        if kind == 0:
            return self._colors(count).reshape(height, width, _CPIXEL)
        if kind == 1:
            return np.broadcast_to(self._colors(1), (height, width, _CPIXEL))
        if 2 <= kind <= 16:
            palette = self._colors(kind)
            return self._chosen(palette, self._packed(kind, width, height)).reshape(
                height, width, _CPIXEL
            )
        if kind == 128:
            return self._runs(count).reshape(height, width, _CPIXEL)
        if kind >= 130:
            palette = self._colors(kind - 128)
            return self._chosen(palette, self._palette_runs(count)).reshape(height, width, _CPIXEL)
        raise VncServerError(f"the server sent a tile of the unknown kind {kind}")

    def _take(self, count: int) -> bytes:
        data = self._data[self._at : self._at + count]
        if len(data) != count:
            raise VncServerError("the server sent fewer pixels than its rectangle has")
        self._at += count
        return data

    def _colors(self, count: int) -> Pixels:
        return np.frombuffer(self._take(count * _CPIXEL), np.uint8).reshape(count, _CPIXEL)

    def _chosen(self, palette: Pixels, places: npt.NDArray[np.uint8]) -> Pixels:
        if len(places) and int(places.max()) >= len(palette):
            raise VncServerError("the server sent a color that is not in its palette")
        return palette[places]

    def _packed(self, kind: int, width: int, height: int) -> npt.NDArray[np.uint8]:
        bits = 1 if kind == 2 else 2 if kind <= 4 else 4
        row = (width * bits + 7) // 8
        data = np.frombuffer(self._take(row * height), np.uint8).reshape(height, row)
        each = np.unpackbits(data, axis=1).reshape(height, -1, bits)
        weights = (1 << np.arange(bits - 1, -1, -1)).astype(np.uint8)
        places: npt.NDArray[np.uint8] = (each * weights).sum(axis=2, dtype=np.uint8)[:, :width]
        return places.reshape(-1)

    def _runs(self, count: int) -> Pixels:
        colors, lengths = [], []
        left = count
        while left:
            colors.append(self._take(_CPIXEL))
            lengths.append(self._length(left))
            left -= lengths[-1]
        every = np.frombuffer(b"".join(colors), np.uint8).reshape(-1, _CPIXEL)
        return np.repeat(every, lengths, axis=0)

    def _palette_runs(self, count: int) -> npt.NDArray[np.uint8]:
        places, lengths = [], []
        left = count
        while left:
            place = self._take(1)[0]
            lengths.append(self._length(left) if place & 128 else 1)
            places.append(place & 127)
            left -= lengths[-1]
        return np.repeat(np.array(places, np.uint8), lengths)

    def _length(self, most: int) -> int:
        length = 1
        while True:
            more = self._take(1)[0]
            length += more
            if length > most:
                raise VncServerError("the server sent a run beyond its tile")
            if more != 255:
                return length
