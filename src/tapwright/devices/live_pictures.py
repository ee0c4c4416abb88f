"""Live pictures on their way to a page: numbered, with a header, as stills where they must be.

u32 number, u32 actions begun, u8 kind (1 JPEG, 3 H.264 key, 4 H.264 delta), u8 0,
u16 width, u16 height, f64 time in ms, all little-endian; then the picture
"""

import io
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from PIL import Image

from tapwright.core.geometry import Size
from tapwright.devices.device import LiveFrame
from tapwright.errors import MissingExtraError

__all__ = ["NumberedFrame", "StillDecoder"]

_QUALITY = 80
_JPEG = 1
_HEADER = struct.Struct("<IIBBHHd")


@dataclass(frozen=True, slots=True)
class NumberedFrame:
    """A live picture, its number, and how many actions had been started when it arrived."""

    number: int
    acts: int
    frame: LiveFrame

    def pack(self) -> bytes:
        """The picture with its header, as it is sent."""
        frame = self.frame
        kind = _JPEG if frame.kind == "jpeg" else 3 if frame.key else 4
        header = _HEADER.pack(
            self.number, self.acts, kind, 0, frame.size.width, frame.size.height,
            frame.time_s * 1000,
        )  # fmt: skip
        return header + frame.data

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """A still with its header, as `pack` made it.

        Raises:
            ValueError: it is something else.
        """
        try:
            number, acts, kind, _, width, height, time_ms = _HEADER.unpack_from(packed)
        except struct.error as error:
            raise ValueError("no header of a live picture") from error
        if kind != _JPEG:
            raise ValueError(f"a live picture of kind {kind}, not a still")
        data, size = packed[_HEADER.size :], Size(width, height)
        return cls(number, acts, LiveFrame(data, "jpeg", size, time_ms / 1000))


class StillDecoder:
    """A decoder of one stream; use it from one thread at a time.

    Raises:
        MissingExtraError: PyAV is not installed.
    """

    def __init__(self) -> None:
        try:
            import av
        except ImportError as error:
            raise MissingExtraError("stills of a live picture", "video") from error
        self._av = av
        self._restart()

    def decode(self, frames: Sequence[LiveFrame]) -> LiveFrame | None:
        """The picture after these access units, as a JPEG; None if none of them decodes.

        After a break in the stream the first of them has `key` set.
        """
        image: Image.Image | None = None
        for frame in frames:
            if frame.key:
                self._restart()
            try:
                for picture in self._decoder.decode(self._av.Packet(frame.data)):
                    image = picture.to_image()  # type: ignore[no-untyped-call]
            except self._av.error.FFmpegError:
                continue  # a broken picture; the next key picture restarts the stream
        if image is None:
            return None
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=_QUALITY)
        return replace(frames[-1], data=buffer.getvalue(), kind="jpeg", key=True)

    def _restart(self) -> None:
        self._decoder = self._av.CodecContext.create("h264", "r")
        # Frame threads would delay pictures.
        self._decoder.thread_type = "SLICE"
        self._decoder.flags |= self._av.codec.context.Flags.low_delay
