"""Several devices of one kind, lent to whoever needs one next."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Self

from tapwright.devices.device import Device
from tapwright.errors import DeviceError

__all__ = [
    "DevicePool",
]


class DevicePool:
    """At most `size` devices, opened when first needed and used again afterwards.

    A device that fails, or whose user is cancelled, is closed and replaced by a fresh one.
    """

    def __init__(self, open_device: Callable[[], Device], size: int) -> None:
        self.size = size
        self._open = open_device
        self._idle: list[Device] = []
        self._places = asyncio.Semaphore(size)

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[Device]:
        """One device for as long as the block lasts; waits until one is free."""
        async with self._places:
            device = self._idle.pop() if self._idle else await asyncio.to_thread(self._open)
            try:
                yield device
            except (DeviceError, asyncio.CancelledError):
                # A thread may still be driving it, or nobody knows what is wrong with it; a fresh
                # one is known to be well.
                await asyncio.to_thread(device.close)
                raise
            except BaseException:
                self._idle.append(device)
                raise
            self._idle.append(device)

    def close(self) -> None:
        """Close every idle device; call it when no lease is open."""
        while self._idle:
            self._idle.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
