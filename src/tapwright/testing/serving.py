"""A server of devices on this machine, in a thread of its own, for tests and measurements."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import Self

from tapwright.devices.device import Device
from tapwright.devices.pool import DevicePool, PoolSlot
from tapwright.devices.remote.server import serve_devices


class DeviceServer:
    """Offers devices by name on 127.0.0.1, on a free port, as `tapwright devices serve` does.

    with DeviceServer({"fake": FakeDevice}) as server, open_remote(server.url("fake")) as far:
        far.observe()
    """

    def __init__(
        self,
        openers: Mapping[str, Callable[[], Device]],
        *,
        token: str = "",
        heartbeat_s: float = 10.0,
        limit_s: float = 60.0,
    ) -> None:
        self._openers = openers
        self._token = token
        self._heartbeat_s = heartbeat_s
        self._limit_s = limit_s
        self._started: Future[int] = Future()
        self._thread = Thread(target=lambda: asyncio.run(self._run()), name="device-server")

    def url(self, place: str = "") -> str:
        """The address of a place, or of any: what `open_remote` takes."""
        return f"ws://127.0.0.1:{self._port}/{place}".rstrip("/")

    def status(self) -> Sequence[PoolSlot]:
        """How each place is."""
        return self._pool.status()

    def __enter__(self) -> Self:
        self._thread.start()
        self._port = self._started.result()
        return self

    def __exit__(self, *exception: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    async def _run(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        with DevicePool.of(self._openers, limit_s=self._limit_s) as self._pool:
            async with serve_devices(
                self._pool, token=self._token, heartbeat_s=self._heartbeat_s, limit_s=self._limit_s
            ) as port:
                self._started.set_result(port)
                await self._stopping.wait()
