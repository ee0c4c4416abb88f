import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.core.observation import Observation
from tapwright.devices.errors import BROWSER_MISSING
from tapwright.devices.fake import FakeDevice
from tapwright.devices.pool import DevicePool, PoolSlot
from tapwright.errors import DeviceError, DeviceLostError, TaskError, UnknownNameError


class Counted(FakeDevice):
    """A fake device that knows whether it is open, and can be lost or hang."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = 0
        self.looks = 0
        self.lost = False
        self.hangs: Event | None = None

    def observe(self) -> Observation:
        self.looks += 1
        if self.hangs is not None:
            self.hangs.wait(10)
        if self.lost:
            raise DeviceLostError("unplugged")
        return super().observe()

    def close(self) -> None:
        self.closed += 1


class Shelf:
    """Opens devices, keeps them, and fails to as often as it is told."""

    def __init__(self, *failures: DeviceError) -> None:
        self.failures = list(failures)
        self.opened: list[Counted] = []

    def __call__(self) -> Counted:
        if self.failures:
            raise self.failures.pop(0)
        self.opened.append(Counted())
        return self.opened[-1]


class Clock:
    """Time that passes when somebody sleeps, and only then."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def states(pool: DevicePool) -> list[str]:
    return [place.state for place in pool.status()]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.001)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    size=st.integers(1, 4),
    episodes=st.lists(st.sampled_from(["well", "lost", "bad task", "cancelled"]), max_size=20),
)
def test_no_lease_is_lost_and_none_is_given_twice(size: int, episodes: Sequence[str]) -> None:
    shelf = Shelf()
    held: list[Counted] = []
    ended: list[str] = []

    async def play(pool: DevicePool, how: str) -> None:
        async with pool.lease() as device:
            assert isinstance(device, Counted)
            assert device not in held
            assert device.closed == 0
            held.append(device)
            try:
                await asyncio.sleep(0)
                if how == "lost":
                    raise DeviceLostError("unplugged")
                if how == "bad task":
                    raise TaskError("no such thing")
                if how == "cancelled":
                    raise asyncio.CancelledError
            finally:
                held.remove(device)
                ended.append(how)

    async def main() -> None:
        with DevicePool(shelf, size) as pool:
            jobs = [asyncio.create_task(play(pool, how)) for how in episodes]
            await asyncio.gather(*jobs, return_exceptions=True)
            assert set(states(pool)) <= {"free", "opening"}

    asyncio.run(main())
    assert sorted(ended) == sorted(episodes)
    assert all(device.closed for device in shelf.opened)
    failed = sum(how in ("lost", "cancelled") for how in episodes)
    assert len(shelf.opened) <= size + failed


def test_places_have_names_and_say_who_has_them_since_when() -> None:
    clock = Clock()

    async def main() -> None:
        with DevicePool.of({"a": Shelf(), "b": Shelf()}, clock=clock) as pool:
            assert pool.size == 2
            async with pool.lease("b", who="recorder"):
                clock.now += 12
                assert pool.status() == [
                    PoolSlot("a", "free", since_s=12),
                    PoolSlot("b", "leased", who="recorder", since_s=12),
                ]
                async with pool.lease(who="another"):
                    assert states(pool) == ["leased", "leased"]
            assert states(pool) == ["free", "free"]
            with pytest.raises(UnknownNameError, match="'c'"):
                async with pool.lease("c"):
                    pass

    asyncio.run(main())


def test_who_will_not_wait_is_told_who_has_the_device() -> None:
    clock = Clock()

    async def main() -> None:
        with DevicePool.of({"a": Shelf()}, clock=clock) as pool:
            async with pool.lease("a", who="recorder"):
                clock.now += 7
                with pytest.raises(DeviceError, match="a is leased by recorder since 7 s"):
                    async with pool.lease(wait_s=0):
                        pass

    asyncio.run(main())


def test_who_came_first_is_served_first() -> None:
    served = []

    async def play(pool: DevicePool, number: int) -> None:
        async with pool.lease(who=str(number)):
            served.append(number)

    async def main() -> None:
        with DevicePool(Shelf(), 1) as pool:
            async with pool.lease():
                jobs = [asyncio.create_task(play(pool, number)) for number in range(5)]
                await asyncio.sleep(0)
            await asyncio.gather(*jobs)

    asyncio.run(main())
    assert served == [0, 1, 2, 3, 4]


def test_a_waiter_that_is_cancelled_as_it_is_served_gives_the_place_on() -> None:
    async def wait(pool: DevicePool) -> None:
        async with pool.lease():
            pass

    async def main() -> None:
        with DevicePool(Shelf(), 1) as pool:
            async with pool.lease():
                first = asyncio.create_task(wait(pool))
                second = asyncio.create_task(wait(pool))
                await asyncio.sleep(0)
            first.cancel()
            await second
            with suppress(asyncio.CancelledError):
                await first
            await until(lambda: states(pool) == ["free"])

    asyncio.run(main())


def test_a_device_that_lay_idle_is_looked_at_before_it_is_lent_again() -> None:
    shelf, clock = Shelf(), Clock()

    async def main() -> None:
        with DevicePool(shelf, 1, clock=clock) as pool:
            async with pool.lease():
                pass
            shelf.opened[0].lost = True
            clock.now += 5
            async with pool.lease() as device:
                assert device is shelf.opened[1]
            assert shelf.opened[0].closed == 1

    asyncio.run(main())


def test_a_device_that_just_served_well_is_lent_again_without_another_look() -> None:
    shelf, clock = Shelf(), Clock()

    async def main() -> None:
        with DevicePool(shelf, 1, clock=clock) as pool:
            for _ in range(3):
                async with pool.lease() as device:
                    device.observe()
                clock.now += 4
        assert [one.looks for one in shelf.opened] == [1 + 3]

    asyncio.run(main())


@pytest.mark.slow
def test_a_device_that_hangs_is_given_up_and_replaced() -> None:
    shelf, hangs, clock = Shelf(), Event(), Clock()

    async def main() -> None:
        with DevicePool(shelf, 1, limit_s=0.5, clock=clock) as pool:
            async with pool.lease():
                pass
            clock.now += 5
            shelf.opened[0].hangs = hangs
            async with pool.lease() as device:
                assert device is shelf.opened[1]

    asyncio.run(main())
    hangs.set()


@pytest.mark.slow
def test_a_device_that_opens_too_late_is_closed_and_not_lent() -> None:
    opens, shelf = Event(), Shelf()

    def slow() -> Counted:
        opens.wait(10)
        return shelf()

    async def main() -> None:
        with DevicePool(slow, 1, limit_s=0.5) as pool:
            with pytest.raises(DeviceLostError, match="device-1: opening it took more than"):
                async with pool.lease():
                    pass
            opens.set()
            await until(lambda: bool(shelf.opened) and shelf.opened[0].closed == 1)

    asyncio.run(main())


def test_an_unhealthy_device_is_retried_after_growing_pauses_and_put_back() -> None:
    clock = Clock()
    shelf = Shelf()

    async def main() -> None:
        with DevicePool(shelf, 1, clock=clock, sleep=clock.sleep) as pool:
            async with pool.lease():
                pass
            shelf.opened[0].lost = True
            clock.now += 5
            shelf.failures = [DeviceLostError(f"no answer {number}") for number in range(4)]
            async with pool.lease() as device:  # it was well once, so it is waited for
                assert device is shelf.opened[1]
                assert pool.status()[0].error == ""

    asyncio.run(main())
    assert clock.pauses == [1, 2, 4, 8]


def test_an_unhealthy_slot_reports_its_error_and_the_next_retry() -> None:
    clock, go_on = Clock(), asyncio.Event()

    async def never(seconds: float) -> None:
        await go_on.wait()

    async def main() -> None:
        openers = {"a": Shelf(DeviceLostError("a is unplugged")), "b": Shelf()}
        with DevicePool.of(openers, clock=clock, sleep=never) as pool:
            async with pool.lease():  # a was tried first; b did as well
                clock.now += 0.25
                assert pool.status()[0] == PoolSlot(
                    "a", "unhealthy", since_s=0.25, error="a is unplugged", retry_s=0.75
                )
                assert pool.status()[1].state == "leased"
            with pytest.raises(DeviceError, match=r"a is unhealthy.*in 1 s: a is unpl"):
                async with pool.lease("a", wait_s=0):
                    pass

    asyncio.run(main())


def test_a_device_that_never_was_well_is_not_waited_for() -> None:
    async def main() -> None:
        with DevicePool(Shelf(DeviceError("fake:x: it takes no argument")), 2) as pool:
            async with pool.lease():
                assert states(pool) == ["unhealthy", "leased"]

    asyncio.run(main())

    async def alone() -> None:
        shelf = Shelf(DeviceError("fake:x: it takes no argument"))
        with DevicePool(shelf, 1) as pool, pytest.raises(DeviceError, match="takes no argument"):
            async with pool.lease():
                pass

    asyncio.run(alone())


def test_an_error_that_ends_a_job_is_told_at_once() -> None:
    async def main() -> None:
        shelf = Shelf(BROWSER_MISSING("no Chromium"))
        with DevicePool(shelf, 3) as pool, pytest.raises(DeviceError):
            async with pool.lease():
                pass

    asyncio.run(main())


def test_who_waits_for_a_device_that_stays_unhealthy_gets_an_error_in_the_end() -> None:
    clock = Clock()
    shelf = Shelf()

    async def main() -> None:
        with DevicePool(shelf, 1, clock=clock, sleep=clock.sleep) as pool:
            async with pool.lease():
                pass
            shelf.opened[0].lost = True
            clock.now += 5
            shelf.failures = [DeviceLostError("unplugged") for _ in range(50)]
            for _ in range(2):
                with pytest.raises(DeviceError, match=r"device-1 is unhealthy.*unplugged"):
                    async with pool.lease():
                        pass
            await until(lambda: not shelf.failures and states(pool) == ["free"])

    asyncio.run(main())
    assert clock.pauses[:5] == [1, 2, 4, 8, 16]
    assert max(clock.pauses) == 60


def test_a_closed_pool_ends_its_devices_and_refuses_who_waits() -> None:
    shelf = Shelf()

    async def wait(pool: DevicePool) -> None:
        async with pool.lease():
            pass

    async def main() -> None:
        pool = DevicePool(shelf, 1)
        async with pool.lease():
            waiting = asyncio.create_task(wait(pool))
            await asyncio.sleep(0)
            pool.close()
            assert shelf.opened[0].closed == 0
            with pytest.raises(DeviceError, match="closed"):
                await waiting
        await until(lambda: shelf.opened[0].closed == 1)
        with pytest.raises(DeviceError, match="closed"):
            async with pool.lease():
                pass

    asyncio.run(main())


def test_a_cancelled_opening_leaves_no_device_behind() -> None:
    opens, shelf = Event(), Shelf()

    def slow() -> Counted:
        opens.wait(10)
        return shelf()

    async def wait(pool: DevicePool) -> None:
        async with pool.lease():
            pass

    async def main() -> None:
        with DevicePool(slow, 1) as pool:
            first = asyncio.create_task(wait(pool))
            await until(lambda: states(pool) == ["opening"])
            await asyncio.sleep(0.01)
            first.cancel()
            opens.set()
            await wait(pool)
            await until(lambda: sorted(device.closed for device in shelf.opened) == [0, 1])

    asyncio.run(main())


def test_a_bug_in_a_device_reaches_its_user_and_costs_no_place() -> None:
    def broken() -> FakeDevice:
        raise ZeroDivisionError

    async def main() -> None:
        with DevicePool(broken, 1) as pool:
            for _ in range(3):
                with pytest.raises(ZeroDivisionError):
                    async with pool.lease():
                        pass

    asyncio.run(main())
