"""Where a job's items are done: in this process, or by the workers of a Ray cluster."""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tapwright.workflows.directories import Location, RemoteDirectories
from tapwright.workflows.host import HostConfig, ReadHost

if TYPE_CHECKING:
    import asyncio

    from tapwright.jobs.cluster import OpenWork, RayWork
    from tapwright.jobs.processes import MapBatches

__all__ = ["Engine"]

R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Engine:
    """Who does the items: this process when there are no `workers`, else that many of a cluster.

    Without an `address` the cluster is one of this machine alone. `read_host` is called on each
    worker, for the keys and programs of its own machine. `directories` are those of this process
    that are copies of URLs.
    """

    workers: int = 0
    address: str | None = None
    read_host: ReadHost = HostConfig
    directories: RemoteDirectories = field(default_factory=RemoteDirectories)

    @property
    def is_remote(self) -> bool:
        """Whether workers do the items."""
        return self.workers > 0

    @asynccontextmanager
    async def start(
        self, open_work: "OpenWork[T, R]", *, items: int, each: int = 1
    ) -> "AsyncIterator[RayWork[T, R] | None]":
        """The work as workers do it, `each` items at a time in one; None when it is done here.

        Raises:
            TapwrightError: there is no cluster at the address.
        """
        if not self.is_remote:
            yield None
            return
        from tapwright.jobs.cluster import RayWork

        workers = max(1, min(self.workers, -(-items // each)))
        async with RayWork(open_work, workers=workers, each=each, address=self.address) as work:
            yield work

    def map_batches(self, root: Path) -> "MapBatches":
        """Who does batches of what lies in the store at `root`, which workers have to see, too.

        A batch whose worker died goes to another one.
        """
        if self.is_remote:
            return partial(self._map_on_workers, self.directories.location(root))
        from tapwright.jobs.processes import map_batches

        return map_batches

    def _map_on_workers(
        self,
        root: Location,
        work: Callable[[Sequence[T]], R],
        items: Sequence[T],
        size: int,
        /,
    ) -> Iterator[tuple[Sequence[T], R]]:
        """As `jobs.processes.map_batches`, by the workers.

        Raises:
            TapwrightError: there is no cluster, its workers do not see `root`, or they all died.
        """
        import asyncio

        from tapwright.workflows.workers import open_batches

        async def begin(work: Awaitable[R]) -> "asyncio.Future[R]":
            return asyncio.ensure_future(work)

        async def wait(future: "asyncio.Future[R]") -> R:
            return await future

        batches = [items[first : first + size] for first in range(0, len(items), size)]
        running: deque[tuple[Sequence[T], asyncio.Future[R]]] = deque()
        with asyncio.Runner() as loop:
            stack = AsyncExitStack()
            try:
                started = self.start(partial(open_batches, root, work), items=len(batches))
                workers = loop.run(stack.enter_async_context(started))
                assert workers is not None  # the engine is remote
                for batch in batches:
                    running.append((batch, loop.run(begin(workers(batch)))))
                    if len(running) > 2 * workers.concurrency:
                        done, future = running.popleft()
                        yield done, loop.run(wait(future))
                while running:
                    done, future = running.popleft()
                    yield done, loop.run(wait(future))
            finally:
                for _, future in running:
                    future.cancel()
                loop.run(stack.aclose())
