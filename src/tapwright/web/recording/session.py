"""One open demonstration on the server: its thread, its lease on a device, and its tabs.

Of several tabs the one that sent `hello` last controls the session; the others follow it, and
their commands are refused. When no tab is left for a while the device is released, and the
demonstration can be resumed at any time.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from tapwright.devices.device import Device, LiveFrame
from tapwright.devices.live_pictures import NumberedFrame
from tapwright.devices.pool import DevicePool
from tapwright.errors import DeviceError, DeviceLostError, TapwrightError
from tapwright.record.command_queue import CommandQueue
from tapwright.record.commands import Act, Command
from tapwright.record.demonstration import Demonstration
from tapwright.record.progress import DemonstrationProgress
from tapwright.record.restoring import DeviceChange
from tapwright.web.errors import SESSION_BEHIND, SESSION_TAKEN_OVER, SessionReleasedError
from tapwright.web.recording import messages
from tapwright.web.recording.feed import FrameFeed
from tapwright.web.recording.messages import ServerMessage
from tapwright.web.recording.queue_item import RecordedItem

if TYPE_CHECKING:
    from tapwright.web.team.queue import Queue

__all__ = ["RecordingSession", "SessionTab", "SessionTimeouts"]


_RETRY_S = 0.5
_WAIT_FOR_DEVICE_S = 0.5
_SLOW_S = 1.5
_MAX_COMMANDS = 100
_MAX_MESSAGES = 1000


@dataclass(frozen=True, slots=True)
class SessionTimeouts:
    """The timeouts of a session, in seconds.

    It keeps its device for `alone_s` without a tab, renews its lease in the team's queue every
    `queue_s`, and when it is closed waits up to `close_s` for its device.
    """

    alone_s: float = 120.0
    queue_s: float = 30.0
    close_s: float = 10.0


class SessionTab:
    """One page that shows a session; `messages` are those to be sent."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[ServerMessage] = asyncio.Queue()

    @property
    def is_overflowing(self) -> bool:
        """Whether it sends messages without reading the answers."""
        return self.messages.qsize() >= _MAX_MESSAGES

    def send(self, message: ServerMessage) -> None:
        """Queue a message."""
        self.messages.put_nowait(message)


class RecordingSession:
    """An open demonstration; `make` creates it with the callbacks given to it.

    `note_use` is told of the device that it uses from now on, and returns what has changed on it.
    """

    def __init__(
        self,
        pool: DevicePool,
        make: Callable[..., Demonstration],
        *,
        timeouts: SessionTimeouts,
        on_end: Callable[["RecordingSession"], None],
        note_use: Callable[[Device], DeviceChange | None],
        assignments: "Queue | None" = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._pool = pool
        self._timeouts = timeouts
        self._on_end = on_end
        self._note_use = note_use
        self._queue = CommandQueue()
        self.demonstration = make(
            on_frame=self._on_frame, on_change=self._on_change, has_pending=self._queue.has_pending
        )
        self._queue.run(self.demonstration)
        self._item = RecordedItem(assignments, self.demonstration.header, retry_s=timeouts.queue_s)
        self.tabs: list[SessionTab] = []
        self._feeds: set[FrameFeed] = set()
        self._last: NumberedFrame | None = None
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._lost = asyncio.Event()
        self._over = asyncio.Event()
        self._sent = self.demonstration.progress
        self._refreshing = False
        self._queued = 0
        self._holding: asyncio.Task[None] | None = None
        self._released_by = ""
        self._slow = False
        self.has_device = False
        self._watcher = asyncio.create_task(self._watch())
        self._alone_since = monotonic()

    @property
    def owner(self) -> str:
        """The name of the user who records it."""
        return self.demonstration.header.owner

    @property
    def progress(self) -> DemonstrationProgress:
        """The progress of the demonstration."""
        return self.demonstration.progress

    @property
    def is_answering(self) -> bool:
        """Whether its device is connected and responds."""
        return self.progress.connected and not self._slow

    async def begin(self) -> None:
        """Lease the device and set it up.

        Raises:
            DeviceError: another user has it.
            DeviceError: it cannot be opened, or not be set up as the task wants.
        """
        self._holding = asyncio.create_task(self._hold_device())
        await asyncio.wait({self._holding, self._ready}, return_when=asyncio.FIRST_COMPLETED)
        await (self._ready if self._ready.done() else self._holding)
        await self._item.start()

    def resume(self) -> None:
        """Lease the device as soon as it is free, and resume."""
        self._ready.set_result(None)
        if self.progress.outcome is None:
            self._holding = asyncio.create_task(self._hold_device())

    def enter(self, tab: SessionTab) -> None:
        """Give this tab control of the session, and send it the whole state."""
        if self._released_by:
            tab.send(messages.ReleasedMessage(self._released_by))
            return
        if tab in self.tabs:
            self.tabs.remove(tab)
        if self.tabs:
            self.tabs[-1].send(messages.TabMessage(controls=False))
        self.tabs.append(tab)
        tab.send(messages.state_message(self.demonstration, self.progress))
        tab.send(messages.TabMessage(controls=True))

    def leave(self, tab: SessionTab) -> None:
        """Remove a tab that was closed."""
        if tab in self.tabs:
            self.tabs.remove(tab)
            if self.tabs:
                self.tabs[-1].send(messages.TabMessage(controls=True))
        self._alone_since = monotonic()

    def release(self, by: str) -> None:
        """Tell every tab that an admin released the device, and take nothing more from them."""
        self._released_by = by
        self._broadcast(messages.ReleasedMessage(by))
        self.tabs.clear()

    async def execute(self, tab: SessionTab, command: Command) -> None:
        """Execute a tab's command, and answer it; the other tabs get the new state."""
        if self._released_by:
            tab.send(messages.failed_message(command.key, SessionReleasedError(self._released_by)))
            return
        if not self.tabs or self.tabs[-1] is not tab:
            error: TapwrightError = SESSION_TAKEN_OVER(
                "this demonstration was opened in another tab, and nothing was done here",
                hint="reload this page to take it back",
            )
            tab.send(messages.failed_message(command.key, error))
            return
        if self._queued >= _MAX_COMMANDS:
            error = SESSION_BEHIND(
                f"{_MAX_COMMANDS} commands wait for the device; this one was not executed",
                hint="wait until the device has caught up, and do it again",
                values={"waiting": _MAX_COMMANDS},
            )
            tab.send(messages.failed_message(command.key, error))
            return
        before = self.progress
        self._queued += 1
        try:
            running = self._queue.submit(lambda: self.demonstration.do(command))
            result = await asyncio.wrap_future(running)
        except TapwrightError as failure:
            tab.send(messages.failed_message(command.key, failure))
        else:
            tab.send(messages.result_message(result))
        finally:
            self._queued -= 1
        self._send_changes()
        after = self.progress
        if after.outcome is not None and not self._over.is_set():
            self._over.set()
            if after.outcome != "discarded":
                await self._item.complete()
        is_appended = after.steps[:-1] == before.steps and isinstance(command, Act)
        if _without_device(after) != _without_device(before):
            for one in self.tabs:
                if one is not tab or not is_appended:
                    one.send(messages.state_message(self.demonstration, after))

    def follow(self, feed: FrameFeed) -> None:
        """Send live pictures to this feed from now on."""
        self._feeds.add(feed)
        self.refresh(feed)

    def refresh(self, feed: FrameFeed) -> None:
        """Send a key picture."""
        if self._last is not None and self._last.frame.kind == "jpeg":
            feed.push(self._last)
        elif not self._refreshing:  # one for all requests
            self._refreshing = True
            self._queue.submit(self._refresh)

    def _refresh(self) -> None:
        self._refreshing = False
        self.demonstration.refresh()

    def unfollow(self, feed: FrameFeed) -> None:
        """Send no more live pictures to this feed."""
        self._feeds.discard(feed)

    async def close(self) -> None:
        """Release the device and close the files; an unfinished demonstration can be resumed.

        A device that hangs is taken away; the files are closed when it no longer hangs.
        """
        self._over.set()
        self._watcher.cancel()
        try:
            async with asyncio.timeout(self._timeouts.close_s):
                if self._holding is not None:
                    with suppress(TapwrightError):
                        await self._holding
                await asyncio.wrap_future(self._queue.close())
        except TimeoutError:
            self._queue.close()
        if self.demonstration.is_empty:
            await self._item.unlink()

    async def _hold_device(self) -> None:
        """Hold a device for as long as the session lasts, and lease again when it is lost."""
        opening = self.demonstration.header
        while not self._over.is_set():
            try:
                async with self._pool.lease(
                    opening.place, who=opening.owner, wait_s=_WAIT_FOR_DEVICE_S
                ) as device:
                    self.has_device = True
                    try:
                        await self._use_device(device)
                    finally:
                        self.has_device = False
            except TapwrightError as error:
                if not self._ready.done():
                    self._ready.set_exception(error)
                    return
                self._queue.submit(partial(self.demonstration.lose, error))
                if not isinstance(error, DeviceError):
                    return
                await self._wait_for_end(_RETRY_S)

    async def _use_device(self, device: Device) -> None:
        self._lost.clear()
        changed = self._note_use(device)
        attach = self._queue.submit(lambda: self.demonstration.attach(device, changed))
        await asyncio.wrap_future(attach)
        if not self._ready.done():
            self._ready.set_result(None)
        self._send_changes()
        over = asyncio.create_task(self._over.wait())
        lost = asyncio.create_task(self._lost.wait())
        await asyncio.wait({over, lost}, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        lost.cancel()
        if self._lost.is_set():  # so that the pool replaces it
            raise DeviceLostError(self.progress.message)
        await asyncio.wrap_future(self._queue.submit(self.demonstration.detach))

    async def _wait_for_end(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), seconds)

    async def _watch(self) -> None:
        """Report a device that hangs, and end when no tab has been there for a while."""
        kept_s = monotonic()
        while True:
            await asyncio.sleep(0.25)
            if monotonic() - kept_s > self._timeouts.queue_s and self.tabs:
                kept_s = monotonic()
                await self._item.renew()
            slow = self.demonstration.waiting_s > _SLOW_S
            if slow and not self._slow:
                # Without a message the page names the device.
                self._send_device(replace(self.progress, connected=False, message=""))
            elif self._slow and not slow:
                self._send_device(self.progress)
            self._slow = slow
            if self.tabs or self._queued:
                continue
            if self.progress.outcome is not None or (
                monotonic() - self._alone_since > self._timeouts.alone_s
            ):
                self._on_end(self)
                return

    def _on_frame(self, number: int, acts: int, frame: LiveFrame) -> None:
        self._queue.notify_change()
        self._call(self._push, NumberedFrame(number, acts, frame))

    def _on_change(self) -> None:
        self._call(self._send_changes)

    def _call(self, call: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(call, *arguments)

    def _push(self, frame: NumberedFrame) -> None:
        self._last = frame
        blocked = [feed for feed in self._feeds if feed.push(frame)]
        if blocked:
            self._queue.submit(self.demonstration.refresh)

    def _send_changes(self) -> None:
        """Send what has changed without a command, or beside its result."""
        before, now = self._sent, self.progress
        self._sent = now
        if _device_part(before) != _device_part(now):
            self._send_device(now)
            if before.connected and not now.connected:
                self._lost.set()
        if (before.size, before.apps, before.keys) != (now.size, now.apps, now.keys):
            for tab in self.tabs:
                tab.send(messages.state_message(self.demonstration, now))
        if before.judge != now.judge and now.judge is not None:
            self._broadcast(messages.judge_message(now.judge))
        if before.disk != now.disk:
            self._broadcast(messages.DiskMessage(not now.disk, now.disk))

    def _send_device(self, now: DemonstrationProgress) -> None:
        self._broadcast(
            messages.DeviceMessage(now.connected, now.message, now.interrupted, now.restoring)
        )

    def _broadcast(self, message: messages.ServerMessage) -> None:
        for tab in self.tabs:
            tab.send(message)


def _device_part(progress: DemonstrationProgress) -> tuple[object, ...]:
    return (progress.connected, progress.message, progress.interrupted, progress.restoring)


def _without_device(progress: DemonstrationProgress) -> tuple[object, ...]:
    return (
        progress.steps, progress.undone, progress.paused, progress.takeover, progress.said,
        progress.outcome,
    )  # fmt: skip
