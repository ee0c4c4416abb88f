"""Live pictures on their way to one page: two at most are under way, and the newest wins.

    u32 frame id, u32 acts done, u8 kind (1 JPEG, 3 H.264 key, 4 H.264 delta), u8 0,
    u16 width, u16 height, f64 time in ms, all little-endian; then the picture

A page that is slow gets fewer pictures and never old ones. Of a stream of H.264, whose pictures
need those before them, it gets nothing after a gap until one can be shown by itself.
"""

import asyncio
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tapwright.devices.device import LiveFrame

__all__ = ["IN_FLIGHT", "Feed", "Shown"]

IN_FLIGHT = 2
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
        self._next: Shown | None = None
        self._gap = True
        self._moved = asyncio.Event()

    def show(self, shown: Shown) -> None:
        """A new picture; one that was not sent yet is forgotten."""
        alone = shown.frame.key
        if self._next is not None and not alone:
            self._gap = True
        if self._gap and not alone:
            return
        self._gap = False
        self._next = shown
        self._moved.set()

    def painted(self, count: int) -> None:
        """The page has painted so many."""
        self._credit = min(IN_FLIGHT, self._credit + count)
        self._moved.set()

    async def run(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send pictures as the page has room, until cancelled."""
        while True:
            await self._moved.wait()
            self._moved.clear()
            while self._credit and self._next is not None:
                shown, self._next = self._next, None
                self._credit -= 1
                await send(shown.packed())
