"""Episodes on devices of a pool, for clients that come and go: a device for each episode.

A device goes back when its episode ends, so that more clients than devices take turns, and when its
client is gone. Use it in the pool's event loop; what the device does is done in threads.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AsyncExitStack
from typing import TypeVar

from tapwright.core.episode import Decision
from tapwright.devices.pool import DevicePool
from tapwright.environment.errors import EnvironmentOrderError
from tapwright.faces.session import Session, Turn
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Task

__all__ = ["LeasedPlay"]

T = TypeVar("T")


class LeasedPlay:
    """One client's play: at most one episode at a time, recorded in `store` as `agent`'s.

    A reset waits up to `wait_s` seconds for a device. `threads` has one for each device at least.
    """

    def __init__(
        self,
        pool: DevicePool,
        threads: Executor,
        *,
        agent: str,
        store: EpisodeStore | None = None,
        wait_s: float = 50.0,
    ) -> None:
        self._pool = pool
        self._threads = threads
        self._agent = agent
        self._store = store
        self._wait_s = wait_s
        self._session: Session | None = None
        self._lease = AsyncExitStack()
        self._one_at_a_time = asyncio.Lock()
        self._turn: Turn | None = None
        self.episode_id = ""

    @property
    def turn(self) -> Turn | None:
        """The latest one, of an episode that has ended, too."""
        return self._turn

    async def reset(self, task: Task, *, seed: int | None = None) -> Turn:
        """Begin an episode, on a device that is free or gets free; the one before is cut short.

        Raises:
            DeviceError: others had the devices all the time.
            DeviceError: none could be opened, or set up as the task wants.
        """
        async with self._one_at_a_time:
            await self._end()
            device = await self._lease.enter_async_context(
                self._pool.lease(who=self._agent, wait_s=self._wait_s)
            )
            self._session = Session(device, agent=self._agent, store=self._store)
            session = self._session
            return await self._play(lambda: session.reset(task, seed=seed))

    async def act(self, decision: Decision) -> Turn:
        """Do what was decided; the device goes back where that ends the episode.

        Raises:
            EnvironmentOrderError: no episode is in progress.
            DeviceError: the device is lost or broken; the next episode gets another.
        """
        async with self._one_at_a_time:
            session = self._session
            if session is None:
                last = f": the last one ended ({self._turn.outcome})" if self._turn else ""
                raise EnvironmentOrderError(
                    f"no episode is in progress{last}", hint="call reset first"
                )
            turn = await self._play(lambda: session.act(decision))
            if turn.ended:
                await self._end()
            return turn

    async def close(self) -> None:
        """Cut the episode in progress short and give its device back; more than once is allowed."""
        async with self._one_at_a_time:
            await self._end()

    async def _play(self, call: Callable[[], Turn]) -> Turn:
        """What a call gives; where it fails, the device goes back as broken."""
        try:
            self._turn = await self._in_thread(call)
        except BaseException as error:
            self._session = None
            await self._lease.__aexit__(type(error), error, error.__traceback__)
            raise
        assert self._session is not None  # the one that was called
        self.episode_id = self._session.episode_id
        return self._turn

    async def _end(self) -> None:
        session, self._session = self._session, None
        try:
            if session is not None:
                await self._in_thread(session.cut_short)
        finally:
            await self._lease.aclose()

    async def _in_thread(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)
