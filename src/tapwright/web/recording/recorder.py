"""All demonstrations that are open on one server: begin, find, and close them when left alone.

Open demonstrations are on disk, so that a session outlives the server: its id is its episode's.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tapwright.devices.device import Device
from tapwright.devices.pool import DevicePool, PoolSlot, SlotState
from tapwright.errors import TapwrightError, UnknownNameError
from tapwright.files.jsonl import now_text
from tapwright.record.commands import Discard, FinishDemonstration
from tapwright.record.demonstration import Demonstration
from tapwright.record.journal import Journal, JournalContents, JournalHeader, read_journals
from tapwright.record.restoring import DeviceChange
from tapwright.store.ids import new_id
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task
from tapwright.web.auth import User
from tapwright.web.config import Suites
from tapwright.web.errors import SESSION_MISSING, ResourceNotFoundError, SessionReleasedError
from tapwright.web.recording.session import RecordingSession, SessionTimeouts

if TYPE_CHECKING:
    from tapwright.web.team.queue import Queue

__all__ = ["DeviceUse", "Recorder", "SessionView", "can_access"]

_TIMEOUTS = SessionTimeouts()


@dataclass(frozen=True, slots=True)
class SessionView:
    """An open session, in a list; `released` is the admin who released its device, or ""."""

    session: str
    device: str
    instruction: str
    steps: int
    created: str
    released: str


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """A device and what is done on it, for an admin.

    `user` leased it, or waits for it to open, since `since_s` seconds; `waiting` are those whose
    demonstrations wait for it. `answers` is None while nothing is recorded on it. `session` is the
    demonstration on it, "" without one, with the `steps` that it has and the `tabs` that show it.
    `error` is the device's last failure, `retry_s` when it is opened again.
    """

    name: str
    state: SlotState
    user: str
    since_s: float
    error: str
    retry_s: float | None
    answers: bool | None
    session: str
    instruction: str
    steps: int
    tabs: int
    waiting: tuple[str, ...]


class Recorder:
    """Opens sessions on `devices` for tasks of `suites`, and records them into `store`."""

    def __init__(
        self,
        store: EpisodeStore,
        devices: Mapping[str, Callable[[], Device]],
        suites: Suites,
        *,
        assignments: "Queue | None" = None,
        timeouts: SessionTimeouts = _TIMEOUTS,
    ) -> None:
        self.store = store
        self.suites = suites
        self._devices = devices
        self._pool: DevicePool | None = None
        self._assignments = assignments
        self._timeouts = timeouts
        self._sessions: dict[str, RecordingSession] = {}
        self._opening = asyncio.Lock()
        self._ending: set[asyncio.Task[None]] = set()
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._used: dict[str, tuple[Device, str]] = {}
        self._interrupted: dict[str, DeviceChange] = {}
        self._released: dict[str, str] = {}

    @property
    def pool(self) -> DevicePool:
        """The devices; created in the event loop that uses them."""
        if self._pool is None:
            self._pool = DevicePool.of(self._devices)
        return self._pool

    def devices(self) -> Sequence[PoolSlot]:
        """The devices and their states."""
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
        user: User,
        device: str,
        *,
        suite: str,
        task: str,
        instruction: str,
        assignment: int | None,
    ) -> RecordingSession:
        """Open a session on a device.

        The user's own session on the same device is closed first if no tab shows it; it can be
        resumed later.

        Raises:
            UnknownNameError: there is no such device, suite or task.
            DeviceError: another user has the device.
            DeviceError: it cannot be opened, or not be set up as the task wants.
            DiskError: the disk is full or not writable.
        """
        if device not in self._devices:
            raise UnknownNameError("device", device, self._devices)
        chosen = await self._task(suite, task, instruction)
        await self._make_room(user.name, device)
        opening = JournalHeader(
            episode=new_id(),
            owner=user.name,
            place=device,
            instruction=chosen.instruction,
            suite=suite,
            task=task,
            assignment=assignment,
            created=now_text(),
        )
        journal = await asyncio.to_thread(Journal.create, self.store.root, opening)
        session = self._session(journal, chosen)
        try:
            await session.begin()
        except BaseException:
            await session.close()
            await asyncio.to_thread(journal.remove)
            raise
        self._sessions[opening.episode] = session
        return session

    async def find(self, user: User, id_: str) -> RecordingSession:
        """An open session; one that was closed with the server, or was left alone, is resumed.

        Raises:
            SessionReleasedError: an admin released its device, and it was not resumed since.
            ResourceNotFoundError: there is none of this id, or it is another person's.
            StoreError: the recording cannot be resumed.
        """
        async with self._opening:
            session = self._sessions.get(id_)
            if session is None:
                if id_ in self._closing:  # its files are open until then
                    await asyncio.wait({self._closing[id_]})
                found = await asyncio.to_thread(read_journals, self.store.root)
                headers = {one.header.episode: one.header for one in found}
                header = headers.get(id_)
                if header is None or not can_access(user, header.owner):
                    raise _missing(id_)
                if id_ in self._released:
                    raise SessionReleasedError(self._released[id_])
                task = await self._task(header.suite, header.task, header.instruction)
                journal = await asyncio.to_thread(Journal.open, self.store.root, id_)
                try:
                    session = self._session(journal, task)
                except BaseException:
                    journal.close()
                    raise
                await self._make_room(header.owner, header.place)
                self._sessions[id_] = session
                session.resume()
        if not can_access(user, session.owner):
            raise _missing(id_)
        return session

    async def resume(self, user: User, id_: str) -> RecordingSession:
        """Resume a session whose device was released; raises as `find` does."""
        by = self._released.pop(id_, None)
        try:
            return await self.find(user, id_)
        except TapwrightError:
            if by is not None:
                self._released[id_] = by
            raise

    async def release(self, user: User, device: str, id_: str) -> None:
        """Take a device from the session that has it; the demonstration is kept, and interrupted.

        It is not resumed before somebody asks for it, so that the device stays free.

        Raises:
            ResourceNotFoundError: this session is not on this device any more.
        """
        session = self._sessions.get(id_)
        if session is None or session.demonstration.header.place != device:
            raise SESSION_MISSING(f"{id_[:40]!r} is not recorded on {device[:40]!r} any more")
        self._released[id_] = user.name
        session.release(user.name)
        await self._end(session)

    def list_uses(self) -> list[DeviceUse]:
        """The devices, and what is recorded on them."""
        uses = []
        for slot in self.pool.status():
            here = [
                one
                for one in self._sessions.values()
                if one.demonstration.header.place == slot.name and one.progress.outcome is None
            ]
            session = next((one for one in here if one.has_device), None)
            header = None if session is None else session.demonstration.header
            uses.append(
                DeviceUse(
                    name=slot.name,
                    state=slot.state,
                    user=slot.who,
                    since_s=slot.since_s,
                    error=slot.error,
                    retry_s=slot.retry_s,
                    answers=None if session is None else session.is_answering,
                    session="" if header is None else header.episode,
                    instruction="" if header is None else header.instruction,
                    steps=0 if session is None else len(session.progress.steps),
                    tabs=0 if session is None else len(session.tabs),
                    waiting=tuple(one.owner for one in here if one is not session),
                )
            )
        return uses

    def list_open(self) -> list[JournalHeader]:
        """The journal headers of all unfinished demonstrations, the oldest first."""
        found = read_journals(self.store.root)
        return [one.header for one in found if not self._is_over(one)]

    def is_open(self, id_: str) -> bool:
        """Whether a demonstration is open on this server now."""
        return id_ in self._sessions

    async def list_sessions(self, user: User) -> list[SessionView]:
        """The user's open sessions, the oldest first."""
        views: list[SessionView] = []
        for header in await asyncio.to_thread(self.list_open):
            if header.owner != user.name:
                continue
            session = self._sessions.get(header.episode)
            steps = (
                len(session.progress.steps)
                if session
                else await asyncio.to_thread(self._count_steps, header.episode)
            )
            views.append(
                SessionView(
                    session=header.episode,
                    device=header.place,
                    instruction=header.instruction,
                    steps=steps,
                    created=header.created,
                    released=self._released.get(header.episode, ""),
                )
            )
        return views

    async def close(self) -> None:
        """Close every session and the devices."""
        await asyncio.gather(*map(self._end, list(self._sessions.values())))
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)

    async def _make_room(self, owner: str, device: str) -> None:
        """Close the sessions of this owner on this device that no tab shows."""
        for one in list(self._sessions.values()):
            if (one.demonstration.header.place, one.owner) == (device, owner) and not one.tabs:
                await self._end(one)

    def _note_use(self, header: JournalHeader, device: Device) -> DeviceChange | None:
        """Note who uses a device; what has happened to it since the same demonstration used it."""
        before, self._used[header.place] = (self._used.get(header.place), (device, header.episode))
        if before is None:
            return "restarted"
        used, episode = before
        if episode != header.episode:
            return "used"
        return self._interrupted.get(episode) if used is device else "reopened"

    def _is_over(self, contents: JournalContents) -> bool:
        """Whether nothing of a journal can be gone on with: its episode has ended, or is gone."""
        commands, id_ = contents.commands, contents.header.episode
        last = commands[-1].command if commands else None
        try:
            if isinstance(last, FinishDemonstration):
                return self.store.read(id_).has_ended
        except TapwrightError:
            return True
        return isinstance(last, Discard) and id_ not in self.store

    def _count_steps(self, id_: str) -> int:
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

    def _session(self, journal: Journal, task: Task) -> RecordingSession:
        make = partial(Demonstration, self.store, journal, task)
        return RecordingSession(
            self.pool,
            make,
            timeouts=self._timeouts,
            on_end=self._on_end,
            note_use=partial(self._note_use, journal.contents.header),
            assignments=self._assignments,
        )

    def _on_end(self, session: RecordingSession) -> None:
        ending = asyncio.ensure_future(self._end(session))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def _end(self, session: RecordingSession) -> None:
        id_ = session.demonstration.header.episode
        self._sessions.pop(id_, None)
        interrupted = session.progress.interrupted
        if interrupted is None:
            self._interrupted.pop(id_, None)
        else:
            self._interrupted[id_] = interrupted
        if id_ not in self._closing:
            self._closing[id_] = asyncio.create_task(session.close())
        try:
            with suppress(TapwrightError):
                await self._closing[id_]
        finally:
            self._closing.pop(id_, None)


def can_access(user: User, owner: str) -> bool:
    """Whether a user may see and resume a demonstration of this owner."""
    return user.name == owner or "admin" in user.roles


def _missing(id_: str) -> ResourceNotFoundError:
    return SESSION_MISSING(
        f"no open demonstration {id_[:40]!r} of yours", hint="choose one on the start page"
    )
