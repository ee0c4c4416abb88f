"""Collects concurrent requests into batches, for models that answer many as quickly as one."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeAlias, TypeVar

__all__ = ["Batches"]

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")
_Entry: TypeAlias = tuple[Asked, asyncio.Future[Answered]]


class Batches(Generic[Asked, Answered]):
    """Runs `answer` in a thread on up to `most` of what waits, one batch after the other.

    While a batch runs, requests collect for the next one. When none runs, the next starts
    `gather_s` after its first request, as callers that waited for one batch send again at about one
    time. All calls are to come from one event loop.
    """

    def __init__(
        self,
        answer: Callable[[Sequence[Asked]], Sequence[Answered]],
        *,
        most: int,
        gather_s: float = 0.02,
    ) -> None:
        self._answer = answer
        self._most = most
        self._gather_s = gather_s
        self._waiting: deque[_Entry[Asked, Answered]] = deque()
        self._running: asyncio.Task[Sequence[Answered]] | None = None

    async def ask(self, one: Asked) -> Answered:
        """The answer to `one`; what `answer` raises is raised for every member of its batch."""
        future: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._waiting.append((one, future))
        await asyncio.sleep(self._gather_s)
        if self._running is None:
            self._start()
        return await future

    def _start(self) -> None:
        batch: list[_Entry[Asked, Answered]] = []
        while self._waiting and len(batch) < self._most:
            one, future = self._waiting.popleft()
            if not future.done():  # the caller may have been cancelled
                batch.append((one, future))
        if batch:
            running = asyncio.to_thread(self._answer, [one for one, _ in batch])
            self._running = asyncio.get_running_loop().create_task(running)
            self._running.add_done_callback(partial(self._settle, batch))

    def _settle(
        self, batch: list[_Entry[Asked, Answered]], task: asyncio.Task[Sequence[Answered]]
    ) -> None:
        self._running = None
        waiting = [
            (number, future) for number, (_, future) in enumerate(batch) if not future.done()
        ]
        if task.cancelled():  # the event loop is closing
            for _, future in waiting:
                future.cancel()
            return
        error = task.exception()
        for number, future in waiting:
            if error is None:
                future.set_result(task.result()[number])
            else:
                future.set_exception(error)
        self._start()
