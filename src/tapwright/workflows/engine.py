"""Where a job's items are done: in this process, or by the workers of a Ray cluster."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tapwright.workflows.directories import RemoteDirectories
from tapwright.workflows.host import HostConfig, ReadHost

if TYPE_CHECKING:
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
        """Who does batches of what lies in the store at `root`, which workers have to see, too."""
        if self.is_remote:
            from tapwright.workflows.batches import map_on_workers

            return partial(map_on_workers, self.start, self.directories.location(root))
        from tapwright.jobs.processes import map_batches

        return map_batches
