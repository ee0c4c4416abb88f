"""How much an archive or a compressed file may become when it is unpacked."""

from typing import IO

from tapwright.errors import CorruptEpisodeError
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.limits import MAX_FILE_BYTES, MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO
from tapwright.store.states import decompress

__all__ = ["BoundedStream", "StreamLimitError", "unpack_zstd", "unpacked_limit"]


def unpacked_limit(packed: int) -> int:
    """Returns the bytes that a file of `packed` bytes may become."""
    return MAX_UNPACKED_BYTES + MAX_UNPACKED_RATIO * packed


def unpack_zstd(data: bytes, where: str) -> bytes:
    """What was packed with Zstandard.

    Raises:
        ForeignDataError: it was not, or becomes longer than 256 MB.
    """
    try:
        return decompress(data, where, largest=MAX_FILE_BYTES)
    except CorruptEpisodeError as error:
        raise ForeignDataError(str(error)) from error


class BoundedStream:
    """A stream of which no more than `largest` bytes are read at once, and none after `limit`.

    Raises:
        StreamLimitError: at a read beyond either, before memory is taken.
    """

    def __init__(self, stream: IO[bytes], *, limit: int, largest: int) -> None:
        self._stream, self._limit, self._largest = stream, limit, largest

    def read(self, count: int = -1) -> bytes:
        """Read up to `count` bytes."""
        if not 0 <= count <= self._largest:
            raise StreamLimitError(f"a header of {count:,} bytes; at most {self._largest:,}")
        self._check(self._stream.tell() + count)
        return self._stream.read(count)

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place."""
        if whence == 0:
            self._check(place)
        return self._stream.seek(place, whence)

    def tell(self) -> int:
        """The place."""
        return self._stream.tell()

    def _check(self, place: int) -> None:
        if place > self._limit:
            raise StreamLimitError(f"it unpacks to more than {self._limit:,} bytes")


class StreamLimitError(OSError):
    """A stream holds more than may be read of it."""
