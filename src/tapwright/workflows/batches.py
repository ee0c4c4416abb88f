"""Batches of items of a store, done by the workers of a cluster, for work that is no job."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tapwright.workflows.directories import Location
from tapwright.workflows.workers import open_batches

if TYPE_CHECKING:
    from tapwright.jobs.cluster import RayWork

__all__ = ["map_on_workers"]

T = TypeVar("T")
R = TypeVar("R")

Start: TypeAlias = "Callable[..., AbstractAsyncContextManager[RayWork[Any, Any] | None]]"


def map_on_workers(
    start: "Start",
    root: Location,
    work: Callable[[Sequence[T]], R],
    items: Sequence[T],
    size: int,
    /,
) -> Iterator[tuple[Sequence[T], R]]:
    """As `jobs.processes.map_batches`, by the workers that `Engine.start` starts.

    A batch whose worker died goes to another one.

    Raises:
        TapwrightError: there is no cluster, its workers do not see `root`, or they all died.
    """
    batches = [items[first : first + size] for first in range(0, len(items), size)]
    running: deque[tuple[Sequence[T], asyncio.Future[R]]] = deque()
    with asyncio.Runner() as loop:
        stack = AsyncExitStack()
        try:
            started = start(partial(open_batches, root, work), items=len(batches))
            workers = loop.run(stack.enter_async_context(started))
            assert workers is not None  # the engine is remote
            for batch in batches:
                running.append((batch, loop.run(_begin(workers(batch)))))
                if len(running) > 2 * workers.concurrency:
                    done, future = running.popleft()
                    yield done, loop.run(_wait(future))
            while running:
                done, future = running.popleft()
                yield done, loop.run(_wait(future))
        finally:
            for _, future in running:
                future.cancel()
            loop.run(stack.aclose())


async def _begin(work: Awaitable[R]) -> asyncio.Future[R]:
    return asyncio.ensure_future(work)


async def _wait(future: asyncio.Future[R]) -> R:
    return await future
