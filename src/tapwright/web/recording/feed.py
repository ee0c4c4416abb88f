"""Flow control of the live pictures for one page: two at most are in flight, the newest wins.

    u32 frame id, u32 acts done, u8 kind (1 JPEG, 3 H.264 key, 4 H.264 delta), u8 0,
    u16 width, u16 height, f64 time in ms, all little-endian; then the picture

A slow page gets fewer pictures and never old ones. Pictures of an H.264 stream, which depend on
those before them, are queued; when the queue is full it is dropped, and the page gets nothing until
the next key picture. For a page that does not play H.264 the stream is decoded here.
"""

import asyncio
import io
import struct
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from PIL import Image

from tapwright.devices.device import LiveFrame
from tapwright.errors import MissingExtraError

__all__ = ["IN_FLIGHT", "FrameFeed", "NumberedFrame", "StillDecoder"]

_QUALITY = 80


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


IN_FLIGHT = 2
_MAX_QUEUED = 15
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
        kind = 1 if frame.kind == "jpeg" else 3 if frame.key else 4
        header = _HEADER.pack(
            self.number, self.acts, kind, 0, frame.size.width, frame.size.height,
            frame.time_s * 1000,
        )  # fmt: skip
        return header + frame.data


class FrameFeed:
    """The pictures for one page; not thread-safe: use it in one event loop."""

    def __init__(self) -> None:
        self._credit = IN_FLIGHT
        self._queue: deque[NumberedFrame] = deque()
        self._needs_key = True
        self._changed = asyncio.Event()
        self._decoder: StillDecoder | None = None

    def push(self, frame: NumberedFrame) -> bool:
        """Queue a new picture; returns whether a key picture has to be requested.

        A key picture replaces all that were not sent yet.
        """
        if frame.frame.key:
            self._queue.clear()
            self._needs_key = False
        elif self._needs_key:
            return False
        elif len(self._queue) >= _MAX_QUEUED:
            self._queue.clear()
            self._needs_key = True
            return True
        self._queue.append(frame)
        self._changed.set()
        return False

    def send_stills(self) -> None:
        """Decode the stream, and send stills from now on.

        Raises:
            MissingExtraError: PyAV is not installed.
        """
        self._decoder = self._decoder or StillDecoder()
        self._queue.clear()
        self._needs_key = True

    def acknowledge(self, count: int) -> None:
        """The page has painted this many pictures."""
        self._credit = min(IN_FLIGHT, self._credit + count)
        self._changed.set()

    async def run(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send pictures as the page acknowledges them, until cancelled."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            while self._credit and self._queue:
                frame = self._queue.popleft()
                if self._decoder is not None and frame.frame.kind == "h264":
                    frames = [frame.frame, *(one.frame for one in self._queue)]
                    frame = self._queue[-1] if self._queue else frame
                    self._queue.clear()
                    still = await asyncio.to_thread(self._decoder.decode, frames)
                    if still is None:
                        continue
                    frame = replace(frame, frame=still)
                self._credit -= 1
                await send(frame.pack())
