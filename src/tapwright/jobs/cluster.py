"""The work of a job, done by a Ray cluster one item at a time.

A `Job` hands out items and keeps the ledger; `RayWork` is the work that it calls. Each worker is a
process of its own, on whatever machine Ray puts it, and opens there what the work needs: models
with the keys of that machine, devices, files by their paths. Nothing is kept in the cluster. An
item that a worker had not finished when it died goes to another one; a finished one is never
repeated.
https://docs.ray.io/en/latest/ray-core/actors.html
"""

import asyncio
import logging
import os
import re
import secrets
import socket
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Self, TypeAlias, TypeVar

from tapwright.errors import MissingExtraError, TapwrightError
from tapwright.jobs.errors import CLUSTER, WORKER_LOST

__all__ = ["OpenWork", "RayWork", "Work", "shared"]

T = TypeVar("T")
R = TypeVar("R")

Work: TypeAlias = Callable[[T], Awaitable[R]]
"""What is done for an item, as `Job.work`."""
OpenWork: TypeAlias = Callable[[], AbstractAsyncContextManager[Work[T, R]]]
"""Opens the work on a worker, and closes it there. It is sent by the name of its function with its
arguments, so it is a function of a module, or a `functools.partial` of one, and holds no secret."""

_MAX_ATTEMPTS = 3
# A machine that goes takes all its workers along, and new ones are sent there until Ray knows.
_MAX_WORKERS = 20
_PAUSE_S = 0.5
_START_TIMEOUT_S = 600.0
"""A worker's process starts in seconds; a cluster that grows may start a machine for it first."""
_CLOSE_TIMEOUT_S = 20.0
_CONNECT_TIMEOUT_S = 10.0

# Ray's own processes end with a killed driver, but for the agents that they started. Whoever still
# has a log of the session open some seconds later is one. A line says that all ended as it should.
_END_SESSION = """
read -r _ && exit
sleep 5
for process in /proc/[0-9]*; do
    if ls -l "$process/fd" 2>/dev/null | grep -qF "$1/"; then kill -9 "${process#/proc/}"; fi
done
"""


# What Ray says of a driver that is not as its cluster is, in several lines.
_MISMATCH = re.compile(r"Version mismatch.*?" + r"Ray: (\S+)\s+Python: (\S+).*?" * 2, re.DOTALL)


@dataclass(eq=False)
class _Worker:
    """One process of the cluster, and how many items it works on."""

    actor: Any
    busy: int = 0


class RayWork(Generic[T, R]):
    """Does items on `workers` processes of the Ray cluster at `address`, `each` at a time in one.

    Without an address a cluster is started on this machine, and ended with the block, or with this
    process if that is killed; it listens on the loopback address, to who has its token.

    An item over which a worker died goes to another one, at most three times in all, whatever the
    number of workers that died before they had it; a worker that took longer than `timeout_s` for
    an item counts as dead, with all its items. An item's own failure is raised here as the error
    that it was.
    """

    def __init__(
        self,
        open_work: OpenWork[T, R],
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
        self.recover: Callable[[T], R | None] = lambda _: None
        self._job = getattr(open_work, "func", open_work).__name__.removeprefix("open_")
        self._workers: list[_Worker] = []
        self._started = False
        self._watcher: subprocess.Popen[bytes] | None = None

    async def __aenter__(self) -> Self:
        ray = _ray()
        if not ray.is_initialized():
            try:
                if self._address is None:
                    self._watcher = _start_cluster(ray)
                else:
                    _check_reachable(self._address)
                    ray.init(
                        address=self._address, log_to_driver=False, logging_level=logging.ERROR
                    )
            except (OSError, RuntimeError, ValueError) as error:
                if found := _MISMATCH.search(str(error)):
                    theirs, theirs_python, ours, ours_python = found.groups()
                    raise CLUSTER(
                        f"the Ray cluster at {self._address} has Ray {theirs} on Python "
                        f"{theirs_python}, and this machine Ray {ours} on Python {ours_python}",
                        hint="take the same Python on every machine, and there: "
                        f"pip install 'tapwright[ray]' ray=={theirs}",
                    ) from error
                if _asks_for_a_token(error):
                    raise CLUSTER(
                        f"the Ray cluster at {self._address} asks for a token",
                        hint="set RAY_AUTH_MODE=token, and have the ~/.ray/auth_token of its head",
                    ) from error
                raise CLUSTER(
                    f"no Ray cluster responds at {self._address or 'this machine'}: {error}",
                    hint="ray start --head, and then --ray-address HOST:6379",
                ) from error
            # Ray prints to stdout, amid results, what a raylet logged before it died; as of 2.60.0
            # no option keeps that from it.
            ray._private.worker._worker_logs_enabled = False
            self._started = True
        self._workers = [_Worker(self._start()) for _ in range(self._count)]
        return self

    async def __aexit__(self, *exception: object) -> None:
        ray = _ray()
        try:
            closing = [one.actor.close.remote() for one in self._workers]
            with suppress(TimeoutError):
                await asyncio.wait_for(
                    asyncio.gather(*closing, return_exceptions=True), _CLOSE_TIMEOUT_S
                )
        finally:
            for worker in self._workers:
                ray.kill(worker.actor)
            self._workers.clear()
            if self._started:
                ray.shutdown()
                self._started = False
            if self._watcher is not None:
                self._watcher.communicate(b"ended\n")
                self._watcher = None

    async def __call__(self, item: T) -> R:
        """The result of the work on an item.

        Before an item goes to another worker, `recover` is asked for what the dead one has left.

        Raises:
            TapwrightError: the item failed, as it would have here.
            TapwrightError: its workers died, one after the other.
            TapwrightError: no worker can do this work at all.
        """
        ray = _ray()
        last: Exception | None = None
        if not self._workers:
            raise CLUSTER("the cluster's workers are gone", hint="use them within the block")
        tried = 0
        for _ in range(_MAX_WORKERS):
            worker = min(self._workers, key=lambda one: one.busy)
            actor = worker.actor
            worker.busy += 1
            has_item = False
            try:
                await asyncio.wait_for(actor.begin.remote(), _START_TIMEOUT_S)
                has_item = True
                named = f"{self._job}: {item[:100]}" if isinstance(item, str) else self._job
                answer: R | TapwrightError = await asyncio.wait_for(
                    actor.do.options(name=named).remote(item), self._timeout_s
                )
            except (
                ray.exceptions.RayActorError,
                ray.exceptions.ObjectLostError,  # its machine died with a result of over 100 kB
                ray.exceptions.OutOfMemoryError,  # Ray killed it for the machine's sake
                TimeoutError,
            ) as error:
                if getattr(error, "actor_init_failed", False):
                    raise CLUSTER(
                        f"a worker cannot begin: {error}",
                        hint="install the same tapwright, with the same extras, on every machine",
                    ) from error
                last = error
                if worker.actor is actor:  # no other call has replaced it yet
                    ray.kill(actor)
                    worker.actor = self._start()
                tried += has_item or isinstance(error, TimeoutError)
                if (left := await asyncio.to_thread(self.recover, item)) is not None:
                    return left
                if tried == _MAX_ATTEMPTS:
                    break
                if not has_item:
                    await asyncio.sleep(_PAUSE_S)
                continue
            except ray.exceptions.RayTaskError as error:
                raise CLUSTER(f"a worker broke: {error.cause!r}") from error
            finally:
                worker.busy -= 1
            if isinstance(answer, TapwrightError):
                raise answer
            return answer
        named = f"{item[:100]}: " if isinstance(item, str) else ""
        what = (
            f"{tried} workers died over it or did not respond for {self._timeout_s:g} s"
            if tried == _MAX_ATTEMPTS
            else f"{_MAX_WORKERS} workers in a row died before they had it"
        )
        raise WORKER_LOST(
            f"{named}{what}: {' '.join(str(last).split())}",
            hint="check the machines of the cluster; the same command tries it again",
        )

    def _start(self) -> Any:
        options = {
            "max_concurrency": self._each + 1,  # one more, to be closed
            "num_cpus": 0,
            "scheduling_strategy": "SPREAD",
            "name": f"tapwright {self._job} {secrets.token_hex(4)}",  # for the dashboard
        }
        worker = _ray().remote(_WorkerActor).options(**options)
        return worker.remote(self._open_work, self._job, str(Path.cwd()))


class _WorkerActor:
    """The worker's side: opens the work when the first item comes, and does it."""

    def __init__(self, open_work: OpenWork[Any, Any], job: str, folder: str) -> None:
        from ray.util.metrics import Counter

        self._open_work = open_work
        self._job = job
        self._ended = Counter(
            "tapwright_items", "Items that workers ended", tag_keys=("job", "result")
        )
        self._work: Work[Any, Any] | None = None
        self._opening = asyncio.Lock()
        self._opened = AsyncExitStack()
        if Path(folder).is_dir():
            os.chdir(folder)

    async def begin(self) -> None:
        """Return once the process runs."""

    async def do(self, item: Any) -> Any:
        """The result of the work on an item, or its error."""
        try:
            async with self._opening:
                if self._work is None:
                    self._work = await self._opened.enter_async_context(self._open_work())
            answer = await self._work(item)
        except TapwrightError as error:
            answer = error
        failed = isinstance(answer, TapwrightError)
        self._ended.inc(tags={"job": self._job, "result": "failed" if failed else "done"})
        return answer

    async def close(self) -> None:
        """Close the work, if it was opened."""
        await self._opened.aclose()


def shared(directory: Path, url: str = "") -> Path:
    """A directory of the driver that a worker reads or writes, too; that is a copy of a `url`.

    Raises:
        TapwrightError: this machine does not have it.
    """
    if not directory.is_dir():
        raise CLUSTER(
            f"{socket.gethostname()} does not see {directory}",
            hint=f"without --engine ray the copy of {url} is worked through here, by every core"
            if url
            else "give a directory that all machines of the cluster share, or a URL",
        )
    return directory


def _asks_for_a_token(error: BaseException | None) -> bool:
    """Whether it says so; since 2.60 `ray start` wants a token wherever a file has one."""
    while error is not None and "InvalidAuthToken" not in str(error):
        error = error.__cause__ or error.__context__
    return error is not None


def _check_reachable(address: str | None) -> None:
    """Check that a server listens there; Ray itself tries for many minutes."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), _CONNECT_TIMEOUT_S).close()


def _start_cluster(ray: Any) -> "subprocess.Popen[bytes]":
    """Start a cluster of this machine alone, which nobody else reaches.

    Returns:
        The process that ends what is left of it when this process is killed.
    """
    constants = ray._private.ray_constants
    # Ray listens on every address, unless it is told that this system has no clusters of several
    # machines (https://github.com/ray-project/ray/issues/18730); it has no option for that.
    may_join, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    finally:
        constants.ENABLE_RAY_CLUSTER = may_join
    session = ray._private.worker.global_worker.node.get_session_dir_path()
    return subprocess.Popen(
        ["/bin/sh", "-c", _END_SESSION, "sh", session],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _ray() -> Any:
    # No usage statistics are sent.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ModuleNotFoundError as error:
        raise MissingExtraError("a Ray cluster", "ray") from error
    return ray
