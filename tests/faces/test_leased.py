"""Clients take turns on the devices of a pool, an episode at a time."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.devices.pool import DevicePool
from tapwright.environment.errors import EnvironmentOrderError
from tapwright.errors import DeviceError, DeviceLostError, UnknownNameError, UsageError
from tapwright.faces.leased import LeasedPlay
from tapwright.faces.session import make_free_task
from tapwright.faces.task_set import TaskSet, device_of
from tapwright.store.store import EpisodeStore

TASK = make_free_task("Look around")
TAP = Decision(Tap(at=Point(0.5, 0.4)))
FINISH = Decision(Finish())


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as made:
        yield made


def test_more_clients_than_devices_take_turns(threads: ThreadPoolExecutor, tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)

    async def play(pool: DevicePool) -> None:
        client = LeasedPlay(pool, threads, agent="crowd", store=store)
        for _ in range(2):
            await client.reset(TASK)
            await client.act(TAP)
            assert (await client.act(FINISH)).outcome == "unknown"
        await client.close()

    async def main() -> None:
        with DevicePool(FakeDevice, 2) as pool:
            await asyncio.gather(*(play(pool) for _ in range(5)))
            assert {slot.state for slot in pool.status()} == {"free"}

    asyncio.run(main())
    assert [len(episode.steps) for episode in store] == [2] * 10


def test_who_waits_too_long_is_told_and_who_leaves_gives_the_device_back(
    threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path)

    async def main() -> None:
        with DevicePool(FakeDevice, 1) as pool:
            first = LeasedPlay(pool, threads, agent="first", store=store)
            second = LeasedPlay(pool, threads, agent="second", wait_s=0.01)
            await first.reset(TASK)
            await first.act(TAP)
            with pytest.raises(DeviceError, match="leased by first"):
                await second.reset(TASK)
            with pytest.raises(EnvironmentOrderError, match="no episode is in progress"):
                await second.act(TAP)
            await first.close()
            await second.reset(TASK)
            await second.close()
            await second.close()

    asyncio.run(main())
    assert [episode.outcome for episode in store] == ["truncated"]


def test_a_lost_device_is_replaced_for_the_next_episode(threads: ThreadPoolExecutor) -> None:
    opened = iter([FakeDevice(lost_after=1), FakeDevice()])

    async def main() -> None:
        with DevicePool(lambda: next(opened), 1) as pool:
            client = LeasedPlay(pool, threads, agent="one")
            await client.reset(TASK)
            with pytest.raises(DeviceLostError):
                await client.act(TAP)
            with pytest.raises(EnvironmentOrderError):
                await client.act(TAP)
            await client.reset(TASK)
            assert (await client.act(TAP)).step == 1
            await client.close()

    asyncio.run(main())


def test_a_suite_says_its_device_and_finds_its_tasks() -> None:
    tasks = TaskSet.read("phone-l3")
    assert tasks.find() == tasks.find(index=0) == tasks.tasks[0]
    assert tasks.find(tasks.tasks[7].id) == tasks.tasks[7]
    with pytest.raises(UnknownNameError):
        tasks.find("nonsense")
    with pytest.raises(UsageError, match="has no task -1"):
        tasks.find(index=-1)
    assert [device_of(one) for one in ("phone-l3-zh", "web-l4", "miniwob")] == [
        "phone:jpeg", "sites", "miniwob",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="does not say which device"):
        device_of("my-tasks")
