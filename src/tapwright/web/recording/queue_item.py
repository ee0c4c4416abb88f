"""The item of the team's queue that a demonstration is recorded for.

The queue never ends a recording: what it refuses is ignored, and while it is away the recording
goes on.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from tapwright.record.journal import JournalHeader
from tapwright.web.errors import DatabaseError, LeaseError

if TYPE_CHECKING:
    from tapwright.web.team.queue import Queue

__all__ = ["RecordedItem"]

_COMPLETED_S = 2.0


class RecordedItem:
    """The item in the header of a demonstration; without `queue`, or an item there, there is none.

    A `queue` that is away is asked again every `retry_s` seconds when the item is complete.
    """

    def __init__(self, queue: "Queue | None", header: JournalHeader, *, retry_s: float) -> None:
        self._queue = queue
        self._header = header
        self._retry_s = retry_s
        self._completing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Link the episode to the item."""
        episode = self._header.episode
        await self._update(lambda queue, who, item: queue.start(who, item, episode))

    async def renew(self) -> None:
        """Renew the lease."""
        await self._update(lambda queue, who, item: queue.renew(who, item))

    async def unlink(self) -> None:
        """Forget the episode, which left nothing."""
        episode = self._header.episode
        await self._update(lambda queue, who, item: queue.unlink(who, item, episode))

    async def complete(self) -> None:
        """Complete the item; a queue that is away is waited for 2 s here, then behind."""
        self._completing = asyncio.create_task(self._complete())
        # A page that learns of the end asks for the next item at once.
        await asyncio.wait({self._completing}, timeout=_COMPLETED_S)

    async def _complete(self) -> None:
        episode = self._header.episode
        while True:
            if await self._update(lambda queue, who, item: queue.complete(who, item, episode)):
                return
            await asyncio.sleep(self._retry_s)

    async def _update(self, call: Callable[["Queue", str, int], None]) -> bool:
        """Update the item, if any; returns whether the queue was there."""
        item = self._header.assignment
        if self._queue is not None and item is not None:
            with suppress(LeaseError):
                try:
                    await asyncio.to_thread(call, self._queue, self._header.owner, item)
                except DatabaseError:
                    return False
        return True
