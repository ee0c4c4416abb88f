"""Sends a device's live frames to a client that may be slower than the screen."""

import asyncio
import time
from collections import deque
from contextlib import AbstractContextManager, suppress
from functools import partial

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from tapwright.devices.device import LiveDevice, LiveFrame, StreamingDevice
from tapwright.devices.remote.protocol import FrameResponse, encode_message
from tapwright.devices.timeouts import run_within
from tapwright.errors import TapwrightError

__all__ = ["LiveSender"]

_MOST_WAITING = 60


class LiveSender:
    """Frames on their way to one client.

    A key frame replaces all that are queued, so a slow client gets fewer frames and always the
    latest. Of other frames none may be dropped: after one had to be, the sender waits for the next
    key frame, and requests one where the device can send it.
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
        """Start sending, within `limit_s`; raises what the device raises."""
        loop = asyncio.get_running_loop()

        def on_frame(frame: LiveFrame) -> None:
            loop.call_soon_threadsafe(self._take, frame)

        self._device = device
        showing = device.live(on_frame)
        await run_within(
            limit_s,
            showing.__enter__,
            description="starting the live screen",
            on_late=lambda _: showing.__exit__(None, None, None),
        )
        self._showing = showing
        self._sending = asyncio.create_task(self._send())

    async def stop(self, limit_s: float) -> None:
        """Stop sending, if it was started."""
        self._device = None
        showing, self._showing = self._showing, None
        if showing is None or self._sending is None:
            return
        self._sending.cancel()
        with suppress(TapwrightError):  # the next call to the device raises
            end = partial(showing.__exit__, None, None, None)
            await run_within(limit_s, end, description="ending the live screen")
        self._waiting.clear()
        self._broken = False

    def _take(self, frame: LiveFrame) -> None:
        if frame.key:
            self._waiting.clear()
            self._broken = False
        elif len(self._waiting) >= _MOST_WAITING and not self._broken:
            self._broken = True
            if isinstance(self._device, StreamingDevice):
                with suppress(TapwrightError):  # the next call to the device raises
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
                    await self._connection.send(encode_message(_frame_response(frame), frame.data))


def _frame_response(frame: LiveFrame) -> FrameResponse:
    return FrameResponse(
        kind=frame.kind,
        width=frame.size.width,
        height=frame.size.height,
        age_s=max(0.0, time.monotonic() - frame.time_s),
        key=frame.key,
    )
