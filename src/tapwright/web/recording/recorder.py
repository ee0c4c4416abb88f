"""All demonstrations that are open on one server: begun, found again, and given up when left alone.

What is open is on disk, so that a session outlives the server: its id is that of its episode.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from tapwright.devices.device import Device
from tapwright.devices.pool import DevicePool, Place
from tapwright.errors import TapwrightError, UnknownNameError
from tapwright.record.commands import Discard, FinishUp
from tapwright.record.demonstration import Demonstration
from tapwright.record.journal import Journal, Opening, Past, open_journals
from tapwright.store.ids import new_id
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task
from tapwright.web.assignments import Assignments
from tapwright.web.auth import User
from tapwright.web.config import Suites
from tapwright.web.errors import SessionMissingError
from tapwright.web.recording.session import Patience, Session

__all__ = ["Recorder", "may"]

_PATIENCE = Patience()


class Recorder:
    """Opens sessions on `devices` for tasks of `suites`, and records them into `store`."""

    def __init__(
        self,
        store: EpisodeStore,
        devices: Mapping[str, Callable[[], Device]],
        suites: Suites,
        *,
        assignments: Assignments | None = None,
        patience: Patience = _PATIENCE,
    ) -> None:
        self.store = store
        self.suites = suites
        self._devices = devices
        self._pool: DevicePool | None = None
        self._assignments = assignments
        self._patience = patience
        self._sessions: dict[str, Session] = {}
        self._opening = asyncio.Lock()
        self._ending: set[asyncio.Task[None]] = set()
        self._closing: dict[str, asyncio.Task[None]] = {}

    @property
    def pool(self) -> DevicePool:
        """The devices; made in the loop that uses them."""
        if self._pool is None:
            self._pool = DevicePool.of(self._devices)
        return self._pool

    def places(self) -> Sequence[Place]:
        """The devices, and who has which."""
        return self.pool.status()

    async def tasks(self, suite: str) -> Sequence[Task]:
        """The tasks of a suite.

        Raises:
            UnknownNameError: there is no such suite.
        """
        if suite not in self.suites:
            raise UnknownNameError("suite", suite, self.suites)
        return await asyncio.to_thread(self.suites[suite])

    async def begin(
        self,
        who: User,
        device: str,
        *,
        suite: str,
        task: str,
        instruction: str,
        assignment: int | None,
    ) -> Session:
        """Open a session on a device.

        One's own session on the same device that no tab shows is closed first; it can be gone on
        with later.

        Raises:
            UnknownNameError: there is no such device, suite or task.
            DeviceBusyError: somebody else has the device.
            DeviceError: it cannot be opened, or not be set up as the task wants.
            DiskError: the disk is full or not writable.
        """
        if device not in self._devices:
            raise UnknownNameError("device", device, self._devices)
        chosen = await self._task(suite, task, instruction)
        for one in list(self._sessions.values()):
            opening = one.demonstration.opening
            if (opening.place, one.owner) == (device, who.name) and not one.tabs:
                await self._end(one)
        opening = Opening(
            episode=new_id(),
            owner=who.name,
            place=device,
            instruction=chosen.instruction,
            suite=suite,
            task=task,
            assignment=assignment,
            created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        journal = await asyncio.to_thread(Journal.begin, self.store.root, opening)
        session = self._session(journal, chosen)
        try:
            await session.begin()
        except BaseException:
            await session.close()
            await asyncio.to_thread(journal.remove)
            raise
        self._sessions[opening.episode] = session
        return session

    async def find(self, who: User, id_: str) -> Session:
        """An open session; one that was open when the server ended, or was left alone, goes on.

        Raises:
            SessionMissingError: there is none of this id, or it is another person's.
            StoreError: what was recorded cannot be gone on with.
        """
        async with self._opening:
            session = self._sessions.get(id_)
            if session is None:
                if id_ in self._closing:  # its files are open until then
                    await asyncio.wait({self._closing[id_]})
                found = await asyncio.to_thread(open_journals, self.store.root)
                openings = {past.opening.episode: past.opening for past in found}
                opening = openings.get(id_)
                if opening is None or not may(who, opening.owner):
                    raise _missing(id_)
                task = await self._task(opening.suite, opening.task, opening.instruction)
                journal = await asyncio.to_thread(Journal.of, self.store.root, id_)
                try:
                    session = self._session(journal, task)
                except BaseException:
                    journal.close()
                    raise
                self._sessions[id_] = session
                session.go_on()
        if not may(who, session.owner):
            raise _missing(id_)
        return session

    def open_ones(self) -> list[Opening]:
        """What all demonstrations that were not ended are about, the oldest first."""
        found = open_journals(self.store.root)
        return [past.opening for past in found if not self._has_ended(past)]

    async def own(self, who: User) -> list[dict[str, object]]:
        """The person's open sessions, the oldest first, as pages show them."""
        rows: list[dict[str, object]] = []
        for opening in await asyncio.to_thread(self.open_ones):
            if opening.owner != who.name:
                continue
            session = self._sessions.get(opening.episode)
            steps = (
                len(session.progress.steps)
                if session
                else await asyncio.to_thread(self._recorded, opening.episode)
            )
            rows.append(
                {
                    "session": opening.episode,
                    "device": opening.place,
                    "instruction": opening.instruction,
                    "steps": steps,
                    "created": opening.created,
                }
            )
        return rows

    async def close(self) -> None:
        """Close every session and let go of the devices."""
        await asyncio.gather(*map(self._end, list(self._sessions.values())))
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)

    def _has_ended(self, past: Past) -> bool:
        """Whether an episode has its end, or is gone, though its journal is there still."""
        last, id_ = past.begun[-1].command if past.begun else None, past.opening.episode
        try:
            if isinstance(last, FinishUp):
                return self.store.read(id_).outcome != "unknown"
        except TapwrightError:
            return True
        return isinstance(last, Discard) and id_ not in self.store

    def _recorded(self, id_: str) -> int:
        try:
            return len(self.store.read(id_).steps)
        except TapwrightError:
            return 0

    async def _task(self, suite: str, task: str, instruction: str) -> Task:
        if not task:
            return Task(id="", instruction=instruction, apps=(), check=Unchecked())
        tasks = {one.id: one for one in await self.tasks(suite)}
        if task not in tasks:
            raise UnknownNameError("task", task, tasks)
        return tasks[task]

    def _session(self, journal: Journal, task: Task) -> Session:
        make = partial(Demonstration, self.store, journal, task)
        return Session(
            self.pool,
            make,
            patience=self._patience,
            on_end=self._on_end,
            assignments=self._assignments,
        )

    def _on_end(self, session: Session) -> None:
        ending = asyncio.ensure_future(self._end(session))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def _end(self, session: Session) -> None:
        id_ = session.demonstration.opening.episode
        self._sessions.pop(id_, None)
        if id_ not in self._closing:
            self._closing[id_] = asyncio.create_task(session.close())
        try:
            with suppress(TapwrightError):
                await self._closing[id_]
        finally:
            self._closing.pop(id_, None)


def may(who: User, owner: str) -> bool:
    """Whether somebody may see and go on with a demonstration of this owner's."""
    return who.name == owner or "admin" in who.roles


def _missing(id_: str) -> SessionMissingError:
    return SessionMissingError(
        f"no open demonstration {id_[:40]!r} of yours", hint="choose one on the start page"
    )
