"""Live pictures on their way to one page: two at most are under way, and the newest wins.

    u32 frame id, u32 acts done, u8 kind (1 JPEG, 3 H.264 key, 4 H.264 delta), u8 0,
    u16 width, u16 height, f64 time in ms, all little-endian; then the picture

A page that is slow gets fewer pictures and never old ones. Of a stream of H.264, whose pictures
need those before them, a few wait for it; when they become too many, it gets nothing until one can
be shown by itself. For a page that does not play H.264 the stream is decoded here.
"""

import asyncio
import struct
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from tapwright.devices.device import LiveFrame
from tapwright.web.recording.stills import StillDecoder

__all__ = ["IN_FLIGHT", "Feed", "Shown"]

IN_FLIGHT = 2
_MOST_WAITING = 15
_HEADER = struct.Struct("<IIBBHHd")


@dataclass(frozen=True, slots=True)
class Shown:
    """A live picture, its number, and how many actions had been begun when it came."""

    number: int
    acts: int
    frame: LiveFrame

    def packed(self) -> bytes:
        """As it goes over the wire."""
        frame = self.frame
        kind = 1 if frame.kind == "jpeg" else 3 if frame.key else 4
        header = _HEADER.pack(
            self.number, self.acts, kind, 0, frame.size.width, frame.size.height,
            frame.time_s * 1000,
        )  # fmt: skip
        return header + frame.data


class Feed:
    """The pictures for one page; use it in one event loop."""

    def __init__(self) -> None:
        self._credit = IN_FLIGHT
        self._waiting: deque[Shown] = deque()
        self._gap = True
        self._moved = asyncio.Event()
        self._decoder: StillDecoder | None = None

    def show(self, shown: Shown) -> bool:
        """A new picture; whether one that can be shown by itself is to be asked for.

        One that can be takes the place of all that were not sent yet.
        """
        if shown.frame.key:
            self._waiting.clear()
            self._gap = False
        elif self._gap:
            return False
        elif len(self._waiting) >= _MOST_WAITING:
            self._waiting.clear()
            self._gap = True
            return True
        self._waiting.append(shown)
        self._moved.set()
        return False

    def decode(self) -> None:
        """Send stills from now on.

        Raises:
            MissingExtraError: PyAV is not installed.
        """
        self._decoder = self._decoder or StillDecoder()
        self._waiting.clear()
        self._gap = True

    def painted(self, count: int) -> None:
        """The page has painted so many."""
        self._credit = min(IN_FLIGHT, self._credit + count)
        self._moved.set()

    async def run(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send pictures as the page has room, until cancelled."""
        while True:
            await self._moved.wait()
            self._moved.clear()
            while self._credit and self._waiting:
                shown = self._waiting.popleft()
                if self._decoder is not None and shown.frame.kind == "h264":
                    frames = [shown.frame, *(one.frame for one in self._waiting)]
                    shown = self._waiting[-1] if self._waiting else shown
                    self._waiting.clear()
                    still = await asyncio.to_thread(self._decoder.still, frames)
                    if still is None:
                        continue
                    shown = replace(shown, frame=still)
                self._credit -= 1
                await send(shown.packed())
