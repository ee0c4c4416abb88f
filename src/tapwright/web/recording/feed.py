"""Flow control of the live pictures for one page: two at most are in flight, the newest wins.

A slow page gets fewer pictures and never old ones. Pictures of an H.264 stream, which depend on
those before them, are queued; when the queue is full it is dropped, and the page gets nothing until
the next key picture. For a page that does not play H.264 the stream is decoded here.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from tapwright.devices.live_pictures import NumberedFrame, StillDecoder
from tapwright.errors import MissingExtraError
from tapwright.web.recording.messages import FrameMessages

__all__ = ["IN_FLIGHT", "FrameFeed", "PictureSource", "receive_text", "stream_pictures"]

IN_FLIGHT = 2
_MAX_QUEUED = 15


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


class PictureSource(Protocol):
    """What shows a device to pages: all its methods are called in one event loop."""

    def follow(self, feed: FrameFeed) -> None:
        """Send live pictures to this feed from now on."""

    def refresh(self, feed: FrameFeed) -> None:
        """Send a key picture."""

    def unfollow(self, feed: FrameFeed) -> None:
        """Send no more live pictures to this feed."""


async def stream_pictures(socket: WebSocket, source: PictureSource) -> None:
    """Send a page the live pictures of a source, as it acknowledges them, until it has gone."""
    feed = FrameFeed()
    sending = asyncio.create_task(feed.run(socket.send_bytes))
    source.follow(feed)
    try:
        while True:
            text = await receive_text(socket)
            try:
                request = FrameMessages.validate_json(text or "")
            except ValidationError:
                continue
            if request.t == "credit":
                feed.acknowledge(request.n)
                continue
            if request.t == "still":
                with suppress(MissingExtraError):  # the page reports that it cannot play this
                    feed.send_stills()
            source.refresh(feed)
    except WebSocketDisconnect:
        return
    finally:
        source.unfollow(feed)
        sending.cancel()


async def receive_text(socket: WebSocket) -> str | None:
    """The next message; None when it is binary. A page that has gone is a disconnect."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text: str | None = message.get("text")
    return text
