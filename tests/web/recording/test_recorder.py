"""Sessions without pages: what becomes of them when a device, a database or a person goes."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from tapwright.core.actions import Action
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.errors import DeviceError
from tapwright.record.commands import Act, FinishDemonstration
from tapwright.store.store import EpisodeStore
from tapwright.web.auth import User, roles_of
from tapwright.web.errors import DatabaseError
from tapwright.web.recording.recorder import Recorder
from tapwright.web.recording.session import RecordingSession, SessionTab, SessionTimeouts
from tapwright.web.team.queue import Queue
from tests.record.demos import TAP

LOCAL = User("local", roles_of("admin"))


async def opened(
    recorder: Recorder, assignment: int | None = None
) -> tuple[RecordingSession, SessionTab]:
    session = await recorder.begin(
        LOCAL, "fake", suite="", task="", instruction="Tap", assignment=assignment
    )
    tab = SessionTab()
    session.enter(tab)
    return session, tab


class Hanging(FakeDevice):
    """A device that begins to act, and ends it when it is let go on."""

    def __init__(self, acting: Event, going_on: Event) -> None:
        super().__init__(EndlessScenes())
        self._acting, self._going_on = acting, going_on

    def perform(self, action: Action) -> None:
        self._acting.set()
        self._going_on.wait()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


def test_a_device_that_hangs_keeps_no_server_from_ending(tmp_path: Path) -> None:
    acting, going_on = Event(), Event()

    async def main() -> None:
        recorder = Recorder(
            EpisodeStore(tmp_path),
            {"fake": partial(Hanging, acting, going_on)},
            {},
            timeouts=SessionTimeouts(close_s=0.2),
        )
        session, tab = await opened(recorder)
        asking = asyncio.create_task(session.execute(tab, Act(key="a", action=TAP)))
        await until(acting.is_set)
        async with asyncio.timeout(60):
            await recorder.close()
        going_on.set()
        await asking

    asyncio.run(main())


def test_a_session_that_no_tab_shows_gives_its_device_back(tmp_path: Path) -> None:
    async def main() -> None:
        recorder = Recorder(
            EpisodeStore(tmp_path),
            {"fake": lambda: FakeDevice(EndlessScenes())},
            {},
            timeouts=SessionTimeouts(alone_s=0.1),
        )
        session, tab = await opened(recorder)
        await session.execute(tab, Act(key="a", action=TAP))
        session.leave(tab)
        await until(lambda: recorder.devices()[0].state == "free")
        (row,) = await recorder.list_sessions(LOCAL)
        assert row.steps == 1
        await recorder.close()

    asyncio.run(main())


@pytest.mark.slow
def test_a_session_that_is_being_closed_can_be_gone_on_with(tmp_path: Path) -> None:
    acting, going_on = Event(), Event()

    async def main() -> None:
        devices = {"fake": partial(Hanging, acting, going_on)}
        recorder = Recorder(EpisodeStore(tmp_path), devices, {})
        session, tab = await opened(recorder)
        asking = asyncio.create_task(session.execute(tab, Act(key="a", action=TAP)))
        await until(acting.is_set)
        session.leave(tab)
        making_room = asyncio.create_task(opened(recorder))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.2, going_on.set)
        again = await recorder.find(LOCAL, session.demonstration.header.episode)
        assert again is not session
        assert len(again.progress.steps) == 1
        await asking
        with suppress(DeviceError):  # whichever asks for the device first has it
            await making_room
        await recorder.close()

    asyncio.run(main())


def test_a_device_that_fails_in_a_way_that_nobody_foresaw_is_told(tmp_path: Path) -> None:
    class Broken(FakeDevice):
        def apps(self) -> list[str]:
            raise ZeroDivisionError

    async def main() -> None:
        recorder = Recorder(EpisodeStore(tmp_path), {"fake": lambda: Broken(EndlessScenes())}, {})
        async with asyncio.timeout(60):
            with pytest.raises(ZeroDivisionError):
                await opened(recorder)
            await recorder.close()

    asyncio.run(main())


class Away(Queue):
    """A queue that is not there until it was told that an item is complete; `heard` is after it."""

    def unlink(self, name: str, item: int, episode: str) -> None:
        raise AssertionError("nothing was left")

    def __init__(self) -> None:
        self.is_away = True
        self.heard: list[str] = []

    def hear(self, call: str) -> None:
        if self.is_away:
            raise DatabaseError("the database is away")
        self.heard.append(call)

    def start(self, name: str, item: int, episode: str) -> None:
        self.hear("began")

    def renew(self, name: str, item: int) -> None:
        self.hear("keep")

    def complete(self, name: str, item: int, episode: str) -> None:
        try:
            self.hear(f"{name} completed {item}")
        finally:
            self.is_away = False


def test_a_queue_that_is_away_ends_no_recording_and_hears_of_it_later(tmp_path: Path) -> None:
    async def main() -> None:
        queue = Away()
        recorder = Recorder(
            EpisodeStore(tmp_path),
            {"fake": lambda: FakeDevice(EndlessScenes())},
            {},
            assignments=queue,
            timeouts=SessionTimeouts(queue_s=0.01),
        )
        session, tab = await opened(recorder, assignment=7)
        await session.execute(tab, FinishDemonstration(key="f", outcome="infeasible"))
        session.leave(tab)
        # A lease that is renewed meanwhile is heard, too.
        await until(lambda: "local completed 7" in queue.heard)
        await recorder.close()
        assert [one for one in queue.heard if one != "keep"] == ["local completed 7"]

    asyncio.run(main())
