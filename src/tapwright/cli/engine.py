"""`--engine`: whether a job's items are done here or by the workers of a Ray cluster."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.jobs.cluster import OpenWork, RayWork

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")
T = TypeVar("T")

_WORKERS = 2


@dataclass(frozen=True, slots=True)
class Engine:
    """Who does the items: this process when there are no `workers`, else so many of a cluster.

    Without an `address` the cluster is one of this machine alone.
    """

    workers: int = 0
    address: str | None = None

    @property
    def far(self) -> bool:
        """Whether others do the items."""
        return self.workers > 0

    @asynccontextmanager
    async def work(
        self, open_work: "OpenWork[T, R]", *, items: int, each: int = 1
    ) -> "AsyncIterator[RayWork[T, R] | None]":
        """The work as workers do it, `each` items at a time in one; None when it is done here.

        Raises:
            ClusterError: there is no cluster at the address.
        """
        if not self.far:
            yield None
            return
        from tapwright.jobs.cluster import RayWork

        workers = max(1, min(self.workers, -(-items // each)))
        far = RayWork(open_work, workers=workers, each=each, address=self.address)
        async with far:
            yield far


HERE = Engine()


def engine_options(command: F) -> F:
    """`--engine`, `--workers` and `--ray-address`, as one argument `engine`."""

    @wraps(command)
    def called(
        *args: Any, engine: str, workers: int | None, ray_address: str | None, **given: Any
    ) -> Any:
        if engine == "local" and (workers or ray_address):
            raise UsageError("--workers and --ray-address are for a cluster", hint="--engine ray")
        far = Engine(workers or _WORKERS, ray_address) if engine == "ray" else HERE
        return command(*args, engine=far, **given)

    options = (
        click.option("--ray-address", metavar="HOST:PORT",
                     help="The cluster's head; by default one is started on this machine."),
        click.option("--workers", type=click.IntRange(1, 10_000),
                     help=f"Processes of the cluster.  [default: {_WORKERS}]"),
        click.option("--engine", type=click.Choice(["local", "ray"]), default="local",
                     show_default=True, help="Work here, or on a Ray cluster."),
    )  # fmt: skip
    made: Callable[..., Any] = called
    for option in options:
        made = option(made)
    return cast(F, made)
