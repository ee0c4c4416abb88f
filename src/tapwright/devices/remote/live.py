"""Sends a device's live frames to a client that may be slower than the screen."""

import asyncio
import time
from collections import deque
from contextlib import AbstractContextManager, suppress
from functools import partial

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from tapwright.devices.device import LiveDevice, LiveFrame, StreamingDevice
from tapwright.devices.timeouts import within
from tapwright.devices.remote.protocol import Frame, encode
from tapwright.errors import TapwrightError

__all__ = [
    "LiveSender",
]

_MOST_WAITING = 60


class LiveSender:
    """Frames on their way to one client.

    A frame that can be shown by itself replaces all that wait, so a slow client sees fewer and
    always the latest. Of others none is left out: after one had to be, the next such is waited for,
    and asked for where the device can be.
    """

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._waiting: deque[LiveFrame] = deque()
        self._any = asyncio.Event()
        self._broken = False
        self._device: LiveDevice | None = None
        self._showing: AbstractContextManager[None] | None = None
        self._sending: asyncio.Task[None] | None = None

    async def start(self, device: LiveDevice, limit_s: float) -> None:
        """Begin, within `limit_s`; raises what the device raises."""
        loop = asyncio.get_running_loop()

        def on_frame(frame: LiveFrame) -> None:
            loop.call_soon_threadsafe(self._take, frame)

        self._device = device
        showing = device.live(on_frame)
        await within(
            limit_s,
            showing.__enter__,
            doing="starting the live screen",
            late=lambda _: showing.__exit__(None, None, None),
        )
        self._showing = showing
        self._sending = asyncio.create_task(self._send())

    async def stop(self, limit_s: float) -> None:
        """End, if it has begun."""
        self._device = None
        showing, self._showing = self._showing, None
        if showing is None or self._sending is None:
            return
        self._sending.cancel()
        with suppress(TapwrightError):  # the next call to the device will tell
            end = partial(showing.__exit__, None, None, None)
            await within(limit_s, end, doing="ending the live screen")
        self._waiting.clear()
        self._broken = False

    def _take(self, frame: LiveFrame) -> None:
        if frame.key:
            self._waiting.clear()
            self._broken = False
        elif len(self._waiting) >= _MOST_WAITING and not self._broken:
            self._broken = True
            if isinstance(self._device, StreamingDevice):
                with suppress(TapwrightError):  # the next call to the device will tell
                    self._device.renew()
        if not self._broken:
            self._waiting.append(frame)
            self._any.set()

    async def _send(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                await self._any.wait()
                self._any.clear()
                while self._waiting:
                    frame = self._waiting.popleft()
                    await self._connection.send(encode(_said(frame), frame.data))


def _said(frame: LiveFrame) -> Frame:
    return Frame(
        kind=frame.kind,
        width=frame.size.width,
        height=frame.size.height,
        age_s=max(0.0, time.monotonic() - frame.time_s),
        key=frame.key,
    )
