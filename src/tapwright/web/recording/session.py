"""One open demonstration on the server: its thread, its lease on a device, and its tabs.

Of several tabs the one that said hello last has the session; the others see what happens and are
told so when they ask for something. When none is left for a while the device is given back, and
the demonstration can be gone on with at any time.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from tapwright.actions import Wait
from tapwright.devices.device import Device, LiveFrame
from tapwright.devices.pool import DevicePool
from tapwright.errors import DeviceError, DeviceLostError, TapwrightError
from tapwright.record.commands import Act, Command
from tapwright.record.demonstration import Demonstration
from tapwright.record.operator import Operator
from tapwright.record.progress import Progress
from tapwright.web.assignments import Assignments
from tapwright.web.errors import BadMessageError, DatabaseError, LeaseError, SessionTakenOverError
from tapwright.web.recording.feed import Feed, Shown
from tapwright.web.recording.messages import (
    told_failure,
    told_judge,
    told_result,
    told_state,
)

__all__ = ["Patience", "Session", "Tab"]

_RETRY_S = 0.5
_WAIT_FOR_DEVICE_S = 0.5
_SLOW_S = 1.5
_WAITING = 100
_UNHEARD = 1000


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a session waits, in seconds.

    For `alone_s` it keeps its device when no tab shows it, every `queue_s` it tells the team's
    queue of itself, and when it is closed it waits for `close_s` for what its device is doing.
    """

    alone_s: float = 120.0
    queue_s: float = 30.0
    close_s: float = 10.0


class Tab:
    """One page that sees a session; `messages` are what it is yet to be told."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[dict[str, object]] = asyncio.Queue()

    @property
    def deaf(self) -> bool:
        """Whether it asks and asks, and takes no answer."""
        return self.messages.qsize() >= _UNHEARD

    def tell(self, message: dict[str, object]) -> None:
        """Send it when there is time."""
        self.messages.put_nowait(message)


class Session:
    """A demonstration that somebody has open. `make` makes it, given how it tells of itself."""

    def __init__(
        self,
        pool: DevicePool,
        make: Callable[..., Demonstration],
        *,
        patience: Patience,
        on_end: Callable[["Session"], None],
        assignments: Assignments | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._pool = pool
        self._patience = patience
        self._on_end = on_end
        self._assignments = assignments
        self._operator = Operator()
        self.demonstration = make(
            on_frame=self._on_frame, on_change=self._on_change, hurry=self._operator.waits
        )
        self._operator.run(self.demonstration)
        self.tabs: list[Tab] = []
        self._feeds: set[Feed] = set()
        self._last: Shown | None = None
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._lost = asyncio.Event()
        self._over = asyncio.Event()
        self._told = self.demonstration.progress
        self._refreshing = False
        self._waiting = 0
        self._expected_s = 0.0
        self._holding: asyncio.Task[None] | None = None
        self._completing: asyncio.Task[None] | None = None
        self._watching = asyncio.create_task(self._watch())
        self._alone_since = monotonic()

    @property
    def owner(self) -> str:
        """Whose demonstration it is."""
        return self.demonstration.opening.owner

    @property
    def progress(self) -> Progress:
        """How it stands."""
        return self.demonstration.progress

    async def begin(self) -> None:
        """Lease the device and set it up.

        Raises:
            DeviceBusyError: somebody else has it.
            DeviceError: it cannot be opened, or not be set up as the task wants.
        """
        self._holding = asyncio.create_task(self._hold())
        await asyncio.wait({self._holding, self._ready}, return_when=asyncio.FIRST_COMPLETED)
        await (self._ready if self._ready.done() else self._holding)
        episode = self.demonstration.opening.episode
        await self._report(lambda queue, who, item: queue.began(who, item, episode))

    def go_on(self) -> None:
        """Lease the device as soon as it is free, and go on."""
        self._ready.set_result(None)
        if self.progress.outcome is None:
            self._holding = asyncio.create_task(self._hold())

    async def _report(self, call: Callable[[Assignments, str, int], None]) -> bool:
        """Tell the team's queue, if this is recorded for an item of it; whether it was there."""
        item = self.demonstration.opening.assignment
        if self._assignments is not None and item is not None:
            # The queue never ends a recording.
            with suppress(LeaseError):
                try:
                    await asyncio.to_thread(call, self._assignments, self.owner, item)
                except DatabaseError:
                    return False
        return True

    async def _complete(self) -> None:
        """Tell the team's queue that it is recorded, as soon as it is there to hear it."""
        episode = self.demonstration.opening.episode
        while not await self._report(lambda queue, who, item: queue.complete(who, item, episode)):  # noqa: ASYNC110
            await asyncio.sleep(self._patience.queue_s)

    def enter(self, tab: Tab) -> None:
        """This tab has the session from now on, and is told all of it."""
        if tab in self.tabs:
            self.tabs.remove(tab)
        self.tabs.append(tab)
        tab.tell(told_state(self.demonstration, self.progress))

    def leave(self, tab: Tab) -> None:
        """This tab is closed."""
        if tab in self.tabs:
            self.tabs.remove(tab)
        self._alone_since = monotonic()

    async def do(self, tab: Tab, command: Command) -> None:
        """Do what a tab asks, and answer it; the other tabs see what it led to."""
        if not self.tabs or self.tabs[-1] is not tab:
            error: TapwrightError = SessionTakenOverError(
                "this demonstration was opened in another tab, and nothing was done here",
                hint="reload this page to take it back",
            )
            tab.tell(told_failure(command.key, error))
            return
        if self._waiting >= _WAITING:
            error = BadMessageError(f"{_WAITING} wishes are waiting; nothing was done")
            tab.tell(told_failure(command.key, error))
            return
        action = command.action if isinstance(command, Act) else None
        self._expected_s = action.duration_s if isinstance(action, Wait) else 0.0
        before = self.progress
        self._waiting += 1
        try:
            asking = self._operator.ask(lambda: self.demonstration.do(command))
            result = await asyncio.wrap_future(asking)
        except TapwrightError as failure:
            tab.tell(told_failure(command.key, failure))
        else:
            tab.tell(told_result(result))
        finally:
            self._waiting -= 1
        self._tell_changes()
        after = self.progress
        if after.outcome is not None and not self._over.is_set():
            self._over.set()
            if after.outcome != "discarded":
                self._completing = asyncio.create_task(self._complete())
        grown = after.steps[:-1] == before.steps and isinstance(command, Act)
        if _without_device(after) != _without_device(before):
            for one in self.tabs:
                if one is not tab or not grown:
                    one.tell(told_state(self.demonstration, after))

    def follow(self, feed: Feed) -> None:
        """Send live pictures there from now on."""
        self._feeds.add(feed)
        self.refresh(feed)

    def refresh(self, feed: Feed) -> None:
        """Send a picture that can be shown by itself."""
        if self._last is not None and self._last.frame.kind == "jpeg":
            feed.show(self._last)
        elif not self._refreshing:  # one for all who ask
            self._refreshing = True
            self._operator.ask(self._refresh)

    def _refresh(self) -> None:
        self._refreshing = False
        self.demonstration.refresh()

    def unfollow(self, feed: Feed) -> None:
        """Send none there any more."""
        self._feeds.discard(feed)

    async def close(self) -> None:
        """Give the device back and close the files; what is not ended can be gone on with.

        From a device that hangs it is taken away, and the files are closed when it no longer does.
        """
        self._over.set()
        self._watching.cancel()
        try:
            async with asyncio.timeout(self._patience.close_s):
                if self._holding is not None:
                    with suppress(TapwrightError):
                        await self._holding
                await asyncio.wrap_future(self._operator.close())
        except TimeoutError:
            self._operator.close()

    async def _hold(self) -> None:
        """Have a device for as long as the session lasts, and another when that one is lost."""
        opening = self.demonstration.opening
        while not self._over.is_set():
            try:
                async with self._pool.lease(
                    opening.place, who=opening.owner, wait_s=_WAIT_FOR_DEVICE_S
                ) as device:
                    await self._use(device)
            except TapwrightError as error:
                if not self._ready.done():
                    self._ready.set_exception(error)
                    return
                self._operator.ask(partial(self.demonstration.lose, error))
                if not isinstance(error, DeviceError):
                    return
                await self._pause(_RETRY_S)

    async def _use(self, device: Device) -> None:
        self._lost.clear()
        attach = self._operator.ask(lambda: self.demonstration.attach(device))
        await asyncio.wrap_future(attach)
        if not self._ready.done():
            self._ready.set_result(None)
        self._tell_changes()
        over = asyncio.create_task(self._over.wait())
        lost = asyncio.create_task(self._lost.wait())
        await asyncio.wait({over, lost}, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        lost.cancel()
        if self._lost.is_set():  # so that the pool replaces it
            raise DeviceLostError(self.progress.message)
        await asyncio.wrap_future(self._operator.ask(self.demonstration.detach))

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), seconds)

    async def _watch(self) -> None:
        """Tell of a device that hangs, and end when no tab has been there for a while."""
        told = False
        kept_s = monotonic()
        while True:
            await asyncio.sleep(0.25)
            if monotonic() - kept_s > self._patience.queue_s and self.tabs:
                kept_s = monotonic()
                await self._report(lambda queue, who, item: queue.keep(who, item))
            slow = self._operator.busy_s > _SLOW_S + self._expected_s
            if slow and not told:
                self._broadcast(
                    {"t": "device", "connected": False, "message": "the device does not answer"}
                )
            elif told and not slow:
                self._tell_device(self.progress)
            told = slow
            if self.tabs or self._waiting:
                continue
            if self.progress.outcome is not None or (
                monotonic() - self._alone_since > self._patience.alone_s
            ):
                self._on_end(self)
                return

    def _on_frame(self, number: int, acts: int, frame: LiveFrame) -> None:
        self._operator.nudge()
        self._call(self._show, Shown(number, acts, frame))

    def _on_change(self) -> None:
        self._call(self._tell_changes)

    def _call(self, call: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended, and nobody listens
            self._loop.call_soon_threadsafe(call, *arguments)

    def _show(self, shown: Shown) -> None:
        self._last = shown
        gaps = [feed for feed in self._feeds if feed.show(shown)]
        if gaps:
            self._operator.ask(self.demonstration.refresh)

    def _tell_changes(self) -> None:
        """Tell of what changed without being asked for, or beside what was."""
        before, now = self._told, self.progress
        self._told = now
        if (before.connected, before.message) != (now.connected, now.message):
            self._tell_device(now)
            if before.connected and not now.connected:
                self._lost.set()
        if before.size != now.size or before.apps != now.apps:
            for tab in self.tabs:
                tab.tell(told_state(self.demonstration, now))
        judge = told_judge(now.judge)
        if before.judge != now.judge and judge is not None:
            self._broadcast({"t": "judge", **judge})
        if before.disk != now.disk:
            self._broadcast({"t": "disk", "ok": not now.disk, "message": now.disk})

    def _tell_device(self, now: Progress) -> None:
        self._broadcast({"t": "device", "connected": now.connected, "message": now.message})

    def _broadcast(self, message: dict[str, object]) -> None:
        for tab in self.tabs:
            tab.tell(message)


def _without_device(progress: Progress) -> tuple[object, ...]:
    return (progress.steps, progress.undone, progress.paused, progress.takeover, progress.outcome)
