"""Work that a Ray cluster does, one item at a time, for a job that knows nothing of it.

A `Job` hands out items and keeps the ledger; `RayWork` is the work that it calls. Each worker is a
process of its own, on whatever machine Ray puts it, and opens there what the work needs. Nothing is
kept in the cluster: what a worker had not yet answered when it died is handed to another one.
https://docs.ray.io/en/latest/ray-core/actors.html
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeAlias, TypeVar

from pydantic import JsonValue

from tapwright.errors import ClusterError, MissingExtraError, TapwrightError

__all__ = [
    "OpenWork",
    "RayWork",
    "Work",
]

T = TypeVar("T")

Work: TypeAlias = Callable[[T], Awaitable[JsonValue]]
"""What is done for an item, as `Job.work`."""
OpenWork: TypeAlias = Callable[[], Work[T]]
"""Makes the work where it is to be done. It is sent there by the name of its function with its
arguments, so it is a function of a module, or a `functools.partial` of one, and holds no secret."""

_MAX_TRIES = 3


@dataclass(eq=False)
class _Worker:
    """One process of the cluster, and how many items it is at work on."""

    actor: Any
    busy: int = 0
    restarted: asyncio.Lock = field(default_factory=asyncio.Lock)


class RayWork(Generic[T]):
    """Does items on `workers` processes of the Ray cluster at `address`, `each` at a time in one.

    Without an address a cluster is started on this machine, and ended with the block. An item whose
    worker died is given to another one, at most three times in all; one that took longer than
    `timeout_s` counts as such. An item's own failure comes back as the same error as here.
    """

    def __init__(
        self,
        open_work: OpenWork[T],
        *,
        workers: int,
        each: int = 1,
        address: str | None = None,
        timeout_s: float = 3600.0,
    ) -> None:
        self.concurrency = workers * each
        self._open_work = open_work
        self._count = workers
        self._each = each
        self._address = address
        self._timeout_s = timeout_s
        self._workers: list[_Worker] = []
        self._started = False

    def __enter__(self) -> Self:
        ray = _ray()
        if not ray.is_initialized():
            try:
                ray.init(
                    address=self._address,
                    include_dashboard=False if self._address is None else None,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                )
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise ClusterError(
                    f"no Ray cluster answers at {self._address or 'this machine'}: {error}",
                    hint="ray start --head, and then --ray-address HOST:6379",
                ) from error
            self._started = True
        self._workers = [_Worker(self._start()) for _ in range(self._count)]
        return self

    def __exit__(self, *exception: object) -> None:
        ray = _ray()
        for worker in self._workers:
            ray.kill(worker.actor)
        self._workers.clear()
        if self._started:
            ray.shutdown()

    async def __call__(self, item: T) -> JsonValue:
        """What the work makes of an item.

        Raises:
            TapwrightError: the item failed, as it would have here.
            ClusterError: its workers died, one after the other.
        """
        ray = _ray()
        last: Exception | None = None
        for _ in range(_MAX_TRIES):
            worker = min(self._workers, key=lambda one: one.busy)
            actor = worker.actor
            worker.busy += 1
            try:
                answer: tuple[bool, Any] = await asyncio.wait_for(
                    actor.do.remote(item), self._timeout_s
                )
            except (ray.exceptions.RayActorError, TimeoutError) as error:
                last = error
                async with worker.restarted:
                    if worker.actor is actor:  # nobody else has seen it yet
                        ray.kill(actor)
                        worker.actor = self._start()
                continue
            except ray.exceptions.RayTaskError as error:
                raise ClusterError(f"a worker broke: {error.cause!r}") from error
            finally:
                worker.busy -= 1
            well, value = answer
            if well:
                return value  # type: ignore[no-any-return]
            raise _told_error(*value)
        raise ClusterError(
            f"{_MAX_TRIES} workers died or were silent for {self._timeout_s:g} s over one item: "
            f"{last}",
            hint="look at the nodes of the cluster; the same command goes on",
        )

    def _start(self) -> Any:
        ray = _ray()
        options = {"max_concurrency": self._each, "num_cpus": 0, "scheduling_strategy": "SPREAD"}
        return ray.remote(_Doing).options(**options).remote(self._open_work)


class _Doing:
    """The worker's end: opens the work when the first item comes, and does it."""

    def __init__(self, open_work: OpenWork[Any]) -> None:
        self._open_work = open_work
        self._work: Work[Any] | None = None

    async def do(self, item: Any) -> tuple[bool, Any]:
        """Whether it went well, and the result, or the error in parts."""
        try:
            if self._work is None:
                self._work = self._open_work()
            return True, await self._work(item)
        except TapwrightError as error:
            return False, (type(error).__name__, str(error), error.hint)


def _told_error(name: str, message: str, hint: str) -> TapwrightError:
    """The error that a worker met, of the same class."""
    import tapwright.errors as known

    kind = getattr(known, name)
    error: TapwrightError = kind.__new__(kind)
    Exception.__init__(error, message)
    error.hint = hint
    return error


def _ray() -> Any:
    # Nothing is reported to anybody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ModuleNotFoundError as error:
        raise MissingExtraError("a Ray cluster", "ray") from error
    return ray
