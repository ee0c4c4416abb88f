"""A pool of devices in named slots, each leased to one user at a time and kept healthy in between.

A device is observed before it is leased, unless it has just come back from a user whom it served
well. One that fails is removed, reopened after growing pauses,
and returned to the pool; one that hangs is abandoned after a time limit, so that it never blocks
the others.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf
from threading import Thread
from typing import Literal, TypeAlias

from tapwright.devices.device import Device
from tapwright.devices.errors import DEVICE_BUSY, UNHEALTHY_DEVICE
from tapwright.devices.timeouts import at_this_load, run_in_background, run_within
from tapwright.errors import DeviceError, DeviceLostError, TapwrightError, UnknownNameError
from tapwright.files.closing import Closing

__all__ = ["DevicePool", "PoolSlot", "SlotState"]

SlotState: TypeAlias = Literal["free", "opening", "leased", "unhealthy"]

_LIMIT_S = 30.0
_LONGEST_PAUSE_S = 60.0
_JUST_S = 5.0
"""How long a device that served its user well needs no look of the pool's own."""
_MAX_FAILURES = 5
"""Failures in a row after which those who wait for a slot that was healthy get an error: 15 s."""


@dataclass(frozen=True, slots=True)
class PoolSlot:
    """The state of one slot of a pool, held for `since_s` seconds.

    `who` leased it, or is waiting for it to open. `error` is the message of the last failure,
    `retry_s` the seconds until an unhealthy slot is retried.
    """

    name: str
    state: SlotState
    who: str = ""
    since_s: float = 0.0
    error: str = ""
    retry_s: float | None = None


@dataclass(slots=True, eq=False)
class _Slot:
    name: str
    open: Callable[[], Device]
    since: float
    device: Device | None = None
    state: SlotState = "free"
    who: str = ""
    error: str = ""
    failures: int = 0
    retry_at: float = 0.0
    was_healthy: bool = False
    served_at: float = -inf

    @property
    def is_given_up(self) -> bool:
        """Whether it failed too often for anyone to wait for it; it is retried nevertheless."""
        return self.state == "unhealthy" and self.failures >= _MAX_FAILURES

    @property
    def is_hopeless(self) -> bool:
        """Whether it is given up, or failed and never was healthy, as when its address is wrong.

        Later users wait for the next retry all the same.
        """
        return self.is_given_up or (self.state == "unhealthy" and not self.was_healthy)


@dataclass(slots=True, eq=False)
class _Waiter:
    slots: Sequence[_Slot]
    who: str
    granted: "asyncio.Future[_Slot]" = field(default_factory=asyncio.Future)


class DevicePool(Closing):
    """At most `size` devices of one kind, opened when first needed and used again afterwards.

    Use it in one event loop. Opening, observing and closing a device may take `limit_s` each: half
    a minute, unless it is given, and the first two more where the machine is busy. `clock` and
    `sleep` are for tests.
    """

    def __init__(
        self,
        open_device: Callable[[], Device],
        size: int,
        *,
        limit_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._limit_s = limit_s or _LIMIT_S
        self._patience_s = limit_s or partial(at_this_load, _LIMIT_S)
        self._clock = clock
        self._sleep = sleep
        self._slots = [
            _Slot(f"device-{number}", open_device, clock()) for number in range(1, size + 1)
        ]
        self._waiting: deque[_Waiter] = deque()
        self._recovering: set[asyncio.Task[None]] = set()
        self._closing: set[Thread] = set()
        self._closed = False

    @classmethod
    def of(
        cls,
        openers: Mapping[str, Callable[[], Device]],
        *,
        limit_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> "DevicePool":
        """A pool of different devices, each in a named slot."""
        pool = cls(_none, 0, limit_s=limit_s, clock=clock, sleep=sleep)
        pool._slots = [_Slot(name, opener, clock()) for name, opener in openers.items()]
        return pool

    @property
    def size(self) -> int:
        """How many devices can be leased at once."""
        return len(self._slots)

    def status(self) -> Sequence[PoolSlot]:
        """The state of each slot, in the order in which they were named."""
        now = self._clock()
        return [
            PoolSlot(
                slot.name,
                slot.state,
                slot.who,
                max(0.0, now - slot.since),
                slot.error,
                max(0.0, slot.retry_at - now) if slot.state == "unhealthy" else None,
            )
            for slot in self._slots
        ]

    @asynccontextmanager
    async def lease(
        self, name: str | None = None, *, who: str = "", wait_s: float | None = None
    ) -> AsyncIterator[Device]:
        """Lease the device in the slot `name`, or in the first that is free, while the block lasts.

        Waiters are served in order; `wait_s` limits the wait for a free slot, None does not. After
        a block that ends with a `DeviceError`, or is cancelled, the device is closed and a fresh
        one is opened for the next user.

        Raises:
            UnknownNameError: there is no such slot.
            DeviceError: others leased it all the time; the message names them.
            DeviceError: no device that fits is healthy, nor became so in time.
            TapwrightError: opening the device failed, and no other could be leased instead.
        """
        slot, device = await self._lease_slot(self._slots_named(name), who, wait_s)
        try:
            yield device
        except (DeviceError, asyncio.CancelledError) as error:
            # A thread may still be driving it, or its state is unknown; a fresh one is known
            # to be healthy.
            slot.error = str(error)
            self._replace(slot)
            raise
        except BaseException:
            self._release(slot)
            raise
        slot.served_at = self._clock()
        self._release(slot)

    def close(self) -> None:
        """Close every device, leased ones when they are returned; waiters get an error."""
        self._closed = True
        for task in self._recovering:
            task.cancel()
        for waiter in self._waiting:
            if not waiter.granted.done():
                waiter.granted.set_exception(_closed_error())
        self._waiting.clear()
        for slot in self._slots:
            if slot.state != "leased":
                self._start_closing(slot)
        deadline = time.monotonic() + self._limit_s
        for thread in self._closing:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _slots_named(self, name: str | None) -> Sequence[_Slot]:
        slots = [slot for slot in self._slots if name in (None, slot.name)]
        if not slots:
            raise UnknownNameError("device of the pool", name or "", (s.name for s in self._slots))
        return slots

    async def _lease_slot(
        self, slots: Sequence[_Slot], who: str, wait_s: float | None
    ) -> tuple[_Slot, Device]:
        """Lease a slot to `who`; returns it and its device, which is well."""
        tried = False
        while True:
            slot = await self._acquire(slots, who, wait_s, first=tried)
            tried = True
            try:
                device = await self._open_healthy(slot)
            except TapwrightError as error:
                self._mark_unhealthy(slot, error)
                if error.fatal or all(one.is_hopeless for one in slots):
                    raise
            except BaseException:
                self._replace(slot)
                raise
            else:
                self._set_state(slot, "leased")
                return slot, device

    async def _acquire(
        self, slots: Sequence[_Slot], who: str, wait_s: float | None, *, first: bool
    ) -> _Slot:
        if self._closed:
            raise _closed_error()
        free = [slot for slot in slots if slot.state == "free"]
        if free:  # no waiter could have taken it
            slot = min(free, key=lambda slot: slot.device is None)
            self._set_state(slot, "opening", who)
            return slot
        if all(slot.is_given_up for slot in slots):
            raise self._unhealthy_error(slots)
        waiter = _Waiter(slots, who)
        if first:
            self._waiting.appendleft(waiter)
        else:
            self._waiting.append(waiter)
        try:
            await asyncio.wait({waiter.granted}, timeout=wait_s)
        except asyncio.CancelledError:
            if waiter.granted.done() and waiter.granted.exception() is None:
                self._release(waiter.granted.result())
            raise
        finally:
            with suppress(ValueError):
                self._waiting.remove(waiter)
        if not waiter.granted.done() and all(slot.state == "unhealthy" for slot in slots):
            raise self._unhealthy_error(slots)
        if not waiter.granted.done():
            raise DEVICE_BUSY(self._describe(slots), hint="wait longer, or take another device")
        return waiter.granted.result()

    async def _open_healthy(self, slot: _Slot) -> Device:
        """The slot's device after a check; opened or reopened where needed."""
        if slot.device is not None:
            if self._clock() - slot.served_at < _JUST_S:
                return slot.device
            with suppress(TapwrightError):
                await self._check(slot, slot.device)
                return slot.device
            await self._close_device(slot)
        description = f"{slot.name}: opening it"
        device = slot.device = await run_within(
            self._patience_s, slot.open, description=description, on_late=_close
        )
        await self._check(slot, device)
        slot.was_healthy, slot.failures, slot.error = True, 0, ""
        return device

    async def _check(self, slot: _Slot, device: Device) -> None:
        what = f"{slot.name}: observing it"
        await run_within(self._patience_s, device.observe, description=what)

    async def _close_device(self, slot: _Slot) -> None:
        """Close the slot's device; one that hangs while closing is abandoned."""
        thread = self._start_closing(slot)
        if thread is not None:
            with suppress(DeviceLostError):
                await run_within(self._limit_s, thread.join, description=f"{slot.name}: closing it")

    def _start_closing(self, slot: _Slot) -> Thread | None:
        """Start to close the slot's device, if it has one."""
        device, slot.device = slot.device, None
        if device is None:
            return None
        thread = run_in_background(partial(_close, device))
        self._closing = {one for one in self._closing if one.is_alive()} | {thread}
        return thread

    def _set_state(self, slot: _Slot, state: SlotState, who: str | None = None) -> None:
        slot.state, slot.since = state, self._clock()
        slot.who = slot.who if who is None else who

    def _release(self, slot: _Slot) -> None:
        """Give a slot to its longest waiter, or mark it as free."""
        if self._closed:
            self._start_closing(slot)
        for waiter in self._waiting:
            if slot in waiter.slots and not waiter.granted.done():
                self._set_state(slot, "opening", waiter.who)
                waiter.granted.set_result(slot)
                return
        self._set_state(slot, "free", "")

    def _replace(self, slot: _Slot) -> None:
        """Close the slot's device, then let the next user open a fresh one."""
        self._set_state(slot, "opening", "")

        async def replace() -> None:
            try:
                await self._close_device(slot)
            finally:
                self._release(slot)

        self._start(replace())

    def _mark_unhealthy(self, slot: _Slot, error: TapwrightError) -> None:
        self._record_failure(slot, error)
        self._start(self._recover(slot))

    def _record_failure(self, slot: _Slot, error: TapwrightError) -> None:
        slot.failures += 1
        slot.error = str(error)
        pause_s = min(2.0 ** (slot.failures - 1), _LONGEST_PAUSE_S)
        self._set_state(slot, "unhealthy", "")
        slot.retry_at = slot.since + pause_s
        self._refuse_hopeless_waiters()

    async def _recover(self, slot: _Slot) -> None:
        """Retry an unhealthy slot until it is healthy."""
        try:
            while slot.state == "unhealthy":
                await self._close_device(slot)
                await self._sleep(max(0.0, slot.retry_at - self._clock()))
                self._set_state(slot, "opening", "")
                try:
                    await self._open_healthy(slot)
                except TapwrightError as error:
                    self._record_failure(slot, error)
        finally:
            self._release(slot)

    def _refuse_hopeless_waiters(self) -> None:
        for waiter in self._waiting:
            if not waiter.granted.done() and all(slot.is_hopeless for slot in waiter.slots):
                waiter.granted.set_exception(self._unhealthy_error(waiter.slots))

    def _unhealthy_error(self, slots: Sequence[_Slot]) -> DeviceError:
        return UNHEALTHY_DEVICE(
            self._describe(slots), hint="repair it; it is retried automatically"
        )

    def _describe(self, slots: Sequence[_Slot]) -> str:
        """The states of slots that could not be leased, as text."""
        names = {slot.name for slot in slots}
        return "; ".join(_describe_slot(slot) for slot in self.status() if slot.name in names)

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._recovering.add(task)
        task.add_done_callback(self._recovering.discard)


def _none() -> Device:
    raise DeviceError("an empty pool has no device to open")


def _closed_error() -> DeviceError:
    return DeviceError("the pool of devices is closed", hint="lease a device before it is closed")


def _close(device: Device) -> None:
    with suppress(TapwrightError):
        device.close()


def _describe_slot(slot: PoolSlot) -> str:
    """A slot's state as text: "phone-1 is leased by worker 3 since 12 s"."""
    words = f"{slot.name} is {slot.state}"
    if slot.who:
        words += f" by {slot.who}" if slot.state == "leased" else f" for {slot.who}"
    words += f" since {slot.since_s:.0f} s"
    if slot.retry_s is not None:
        words += f", next try in {slot.retry_s:.0f} s: {slot.error}"
    return words
