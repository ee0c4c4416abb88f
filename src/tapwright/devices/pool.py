"""A farm: devices in named places, lent to one user at a time, and looked after in between.

A device is looked at before it is lent. One that fails is taken out, opened anew after pauses that
grow, and put back; one that hangs is given up after a limit, so that it never holds up the others.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import Literal, Self, TypeAlias

from tapwright.devices.device import Device
from tapwright.devices.errors import DeviceBusyError, UnhealthyDeviceError
from tapwright.devices.limits import in_background, within
from tapwright.errors import DeviceError, DeviceLostError, TapwrightError, UnknownNameError

__all__ = [
    "DevicePool",
    "Place",
    "PlaceState",
]

PlaceState: TypeAlias = Literal["free", "opening", "leased", "sick"]

_LONGEST_PAUSE_S = 60.0
_TRIES = 5
"""So often a place that was well is tried before who waits for it is told to give up: 15 s."""


@dataclass(frozen=True, slots=True)
class Place:
    """How one place of a pool is: `since_s` is for how many seconds it has been so.

    `who` leased it, or is waiting for it to open. `wrong` is what the last failure said and
    `retry_s` in how many seconds a sick one is tried again.
    """

    name: str
    state: PlaceState
    who: str = ""
    since_s: float = 0.0
    wrong: str = ""
    retry_s: float | None = None


@dataclass(slots=True, eq=False)
class _Spot:
    name: str
    open: Callable[[], Device]
    since: float
    device: Device | None = None
    state: PlaceState = "free"
    who: str = ""
    wrong: str = ""
    failures: int = 0
    retry_at: float = 0.0
    was_well: bool = False

    @property
    def given_up(self) -> bool:
        """Tried so often that nobody is asked to wait for it; it is tried further nevertheless."""
        return self.state == "sick" and self.failures >= _TRIES

    @property
    def hopeless(self) -> bool:
        """Given up, or it failed and never was well before, which may be a slip of who set it up.

        Who comes later waits for the next try all the same.
        """
        return self.given_up or (self.state == "sick" and not self.was_well)


@dataclass(slots=True, eq=False)
class _Waiter:
    spots: Sequence[_Spot]
    who: str
    given: "asyncio.Future[_Spot]" = field(default_factory=asyncio.Future)


class DevicePool:
    """At most `size` devices of one kind, opened when first needed and used again afterwards.

    Use it in one event loop. Opening, looking at and closing a device may take `limit_s` each.
    `clock` and `sleep` are there for tests.
    """

    def __init__(
        self,
        open_device: Callable[[], Device],
        size: int,
        *,
        limit_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._sleep = sleep
        self._spots = [
            _Spot(f"device-{number}", open_device, clock()) for number in range(1, size + 1)
        ]
        self._waiting: deque[_Waiter] = deque()
        self._mending: set[asyncio.Task[None]] = set()
        self._ending: set[Thread] = set()
        self._closed = False

    @classmethod
    def of(
        cls,
        openers: Mapping[str, Callable[[], Device]],
        *,
        limit_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> "DevicePool":
        """A pool of different devices, each in a place with a name of its own."""
        pool = cls(_none, 0, limit_s=limit_s, clock=clock, sleep=sleep)
        pool._spots = [_Spot(name, opener, clock()) for name, opener in openers.items()]
        return pool

    @property
    def size(self) -> int:
        """How many devices can be leased at once."""
        return len(self._spots)

    def status(self) -> Sequence[Place]:
        """How each place is, in the order in which they were named."""
        now = self._clock()
        return [
            Place(
                spot.name,
                spot.state,
                spot.who,
                max(0.0, now - spot.since),
                spot.wrong,
                max(0.0, spot.retry_at - now) if spot.state == "sick" else None,
            )
            for spot in self._spots
        ]

    @asynccontextmanager
    async def lease(
        self, name: str | None = None, *, who: str = "", wait_s: float | None = None
    ) -> AsyncIterator[Device]:
        """The device in the place `name`, or in whichever is free first, while the block lasts.

        Who came first is served first; `wait_s` limits the wait for a free place, None does not.
        A block that ends with a `DeviceError`, or is cancelled, costs the device: it is closed and
        a fresh one is opened for the next.

        Raises:
            UnknownNameError: there is no such place.
            DeviceBusyError: others had it all the time; the message says who.
            UnhealthyDeviceError: no device that would do is well, nor was in time.
            TapwrightError: what opening the device said, if no other could be lent instead.
        """
        spot, device = await self._ready_spot(self._named(name), who, wait_s)
        try:
            yield device
        except (DeviceError, asyncio.CancelledError) as error:
            # A thread may still be driving it, or nobody knows what is wrong with it; a fresh
            # one is known to be well.
            spot.wrong = str(error)
            self._replace(spot)
            raise
        except BaseException:
            self._free(spot)
            raise
        self._free(spot)

    def close(self) -> None:
        """Close every device, those on loan when they come back; whoever waits is refused."""
        self._closed = True
        for task in self._mending:
            task.cancel()
        for waiter in self._waiting:
            if not waiter.given.done():
                waiter.given.set_exception(_closed_error())
        self._waiting.clear()
        for spot in self._spots:
            if spot.state != "leased":
                self._end(spot)
        deadline = time.monotonic() + self._limit_s
        for thread in self._ending:
            thread.join(max(0.0, deadline - time.monotonic()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _named(self, name: str | None) -> Sequence[_Spot]:
        spots = [spot for spot in self._spots if name in (None, spot.name)]
        if not spots:
            raise UnknownNameError("device of the pool", name or "", (s.name for s in self._spots))
        return spots

    async def _ready_spot(
        self, spots: Sequence[_Spot], who: str, wait_s: float | None
    ) -> tuple[_Spot, Device]:
        """A place that is `who`'s now, and its device, which has just been seen to be well."""
        tried = False
        while True:
            spot = await self._take(spots, who, wait_s, first=tried)
            tried = True
            try:
                device = await self._well(spot)
            except TapwrightError as error:
                self._sicken(spot, error)
                if error.fatal or all(one.hopeless for one in spots):
                    raise
            except BaseException:
                self._replace(spot)
                raise
            else:
                self._turn(spot, "leased")
                return spot, device

    async def _take(
        self, spots: Sequence[_Spot], who: str, wait_s: float | None, *, first: bool
    ) -> _Spot:
        if self._closed:
            raise _closed_error()
        free = [spot for spot in spots if spot.state == "free"]
        if free:  # then nobody who waits would take it
            spot = min(free, key=lambda spot: spot.device is None)
            self._turn(spot, "opening", who)
            return spot
        if all(spot.given_up for spot in spots):
            raise self._sick_error(spots)
        waiter = _Waiter(spots, who)
        if first:
            self._waiting.appendleft(waiter)
        else:
            self._waiting.append(waiter)
        try:
            await asyncio.wait({waiter.given}, timeout=wait_s)
        except asyncio.CancelledError:
            if waiter.given.done() and waiter.given.exception() is None:
                self._free(waiter.given.result())
            raise
        finally:
            with suppress(ValueError):
                self._waiting.remove(waiter)
        if not waiter.given.done() and all(spot.state == "sick" for spot in spots):
            raise self._sick_error(spots)
        if not waiter.given.done():
            raise DeviceBusyError(self._told(spots), hint="wait longer, or take another device")
        return waiter.given.result()

    async def _well(self, spot: _Spot) -> Device:
        """The place's device, after a look at it; opened, or opened anew, where that is needed."""
        if spot.device is not None:
            with suppress(TapwrightError):
                await self._look(spot, spot.device)
                return spot.device
            await self._drop(spot)
        doing = f"{spot.name}: opening it"
        device = spot.device = await within(self._limit_s, spot.open, doing=doing, late=_close)
        await self._look(spot, device)
        spot.was_well, spot.failures, spot.wrong = True, 0, ""
        return device

    async def _look(self, spot: _Spot, device: Device) -> None:
        await within(self._limit_s, device.observe, doing=f"{spot.name}: looking at it")

    async def _drop(self, spot: _Spot) -> None:
        """Close the place's device; one that does not let itself be closed is left alone."""
        thread = self._end(spot)
        if thread is not None:
            with suppress(DeviceLostError):
                await within(self._limit_s, thread.join, doing=f"{spot.name}: closing it")

    def _end(self, spot: _Spot) -> Thread | None:
        """Begin to close the place's device, if it has one."""
        device, spot.device = spot.device, None
        if device is None:
            return None
        thread = in_background(partial(_close, device))
        self._ending = {one for one in self._ending if one.is_alive()} | {thread}
        return thread

    def _turn(self, spot: _Spot, state: PlaceState, who: str | None = None) -> None:
        spot.state, spot.since = state, self._clock()
        spot.who = spot.who if who is None else who

    def _free(self, spot: _Spot) -> None:
        """Hand a place to who has waited longest for it, or keep it for who comes."""
        if self._closed:
            self._end(spot)
        for waiter in self._waiting:
            if spot in waiter.spots and not waiter.given.done():
                self._turn(spot, "opening", waiter.who)
                waiter.given.set_result(spot)
                return
        self._turn(spot, "free", "")

    def _replace(self, spot: _Spot) -> None:
        """Close what is in the place, then let the next user open a fresh one."""
        self._turn(spot, "opening", "")

        async def replace() -> None:
            try:
                await self._drop(spot)
            finally:
                self._free(spot)

        self._start(replace())

    def _sicken(self, spot: _Spot, error: TapwrightError) -> None:
        self._fail(spot, error)
        self._start(self._mend(spot))

    def _fail(self, spot: _Spot, error: TapwrightError) -> None:
        spot.failures += 1
        spot.wrong = str(error)
        pause_s = min(2.0 ** (spot.failures - 1), _LONGEST_PAUSE_S)
        self._turn(spot, "sick", "")
        spot.retry_at = spot.since + pause_s
        self._refuse_the_hopeless()

    async def _mend(self, spot: _Spot) -> None:
        """Try a sick place again and again, until it is well."""
        try:
            while spot.state == "sick":
                await self._drop(spot)
                await self._sleep(max(0.0, spot.retry_at - self._clock()))
                self._turn(spot, "opening", "")
                try:
                    await self._well(spot)
                except TapwrightError as error:
                    self._fail(spot, error)
        finally:
            self._free(spot)

    def _refuse_the_hopeless(self) -> None:
        for waiter in self._waiting:
            if not waiter.given.done() and all(spot.hopeless for spot in waiter.spots):
                waiter.given.set_exception(self._sick_error(waiter.spots))

    def _sick_error(self, spots: Sequence[_Spot]) -> UnhealthyDeviceError:
        return UnhealthyDeviceError(self._told(spots), hint="mend it; it is tried again by itself")

    def _told(self, spots: Sequence[_Spot]) -> str:
        """What is the matter with places that could not be lent."""
        names = {spot.name for spot in spots}
        return "; ".join(_tell(place) for place in self.status() if place.name in names)

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._mending.add(task)
        task.add_done_callback(self._mending.discard)


def _none() -> Device:
    raise DeviceError("a pool of no devices opens none")


def _closed_error() -> DeviceError:
    return DeviceError("the pool of devices is closed", hint="lease a device before it is closed")


def _close(device: Device) -> None:
    with suppress(TapwrightError):
        device.close()


def _tell(place: Place) -> str:
    """A place's state in words: "phone-1 is leased by worker 3 since 12 s"."""
    words = f"{place.name} is {place.state}"
    if place.who:
        words += f" by {place.who}" if place.state == "leased" else f" for {place.who}"
    words += f" since {place.since_s:.0f} s"
    if place.retry_s is not None:
        words += f", next try in {place.retry_s:.0f} s: {place.wrong}"
    return words
