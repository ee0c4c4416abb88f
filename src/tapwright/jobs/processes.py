"""Pools of processes that end with the process that started them, however that one ends.

A worker of `concurrent.futures` whose parent was killed waits for its next call for ever: each
worker holds both ends of the queue. Here a thread of each worker waits for the parent's end.
"""

import json
import os
import platform
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Protocol, TypeVar

from tapwright.jobs.errors import UNSUPPORTED_SYSTEM

__all__ = ["MapBatches", "check_posix", "map_batches", "run_apart", "start_pool"]

T = TypeVar("T")
R = TypeVar("R")

_FEW = 4
"""Up to this many batches no process is started: that takes as long as a batch."""

_AHEAD = 4
_APART = """
import contextlib, importlib, json, os, sys, threading

def end_with_parent():
    os.read(0, 1)
    os._exit(1)

threading.Thread(target=end_with_parent, daemon=True).start()
path, module, name, given, niceness = sys.argv[1:]
if hasattr(os, "nice"):  # not on Windows
    os.nice(int(niceness))
with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as group:
    group.write(niceness)
sys.path[:] = json.loads(path)
getattr(importlib.import_module(module), name)(given)
"""

_NICENESS = 5
"""What works apart gets a third of what others get of a core that they want too (`setpriority(2)`).

Where the system shares its cores by sessions (`sched(7)`, autogroup) its session gets that.
"""


def check_posix(what: str) -> None:
    """Check that this system starts and ends processes as POSIX has it; `what` does so.

    Raises:
        UsageError: it does not, as Windows.
    """
    try:
        import fcntl  # noqa: F401 - wherever it is, the rest is, too
    except ModuleNotFoundError as error:
        raise UNSUPPORTED_SYSTEM(
            f"{what} needs Linux, and this is {platform.system()}",
            hint="use WSL, or a machine with Linux: its `tapwright devices serve` lends devices to "
            "this one",
        ) from error


class MapBatches(Protocol):
    """What does batches of items somewhere, as `map_batches` does on this machine."""

    def __call__(
        self, work: Callable[[Sequence[T]], R], items: Sequence[T], size: int, /
    ) -> Iterator[tuple[Sequence[T], R]]:
        """Each batch of `size` items with what `work` returns for it, in order."""


def start_pool(workers: int, prepare: Callable[[], None]) -> ProcessPoolExecutor:
    """A pool of new Python processes; each calls `prepare` once, which must be picklable.

    As a context manager it waits for its calls at the end of the block.
    """
    return ProcessPoolExecutor(workers, get_context("spawn"), _start, (prepare,))


def map_batches(
    work: Callable[[Sequence[T]], R], items: Sequence[T], size: int
) -> Generator[tuple[Sequence[T], R], None, None]:
    """Each batch of `size` items with what `work` returns for it, in order, by every core.

    This process does its share, so that a core waits neither for the others to start nor for it.
    Only a few batches are held in memory at a time. `work` must be picklable.
    """
    batches: Iterable[Sequence[T]] = (
        items[start : start + size] for start in range(0, len(items), size)
    )
    others = min(os.cpu_count() or 1, 8) - 1
    if len(items) <= _FEW * size or not others:
        for batch in batches:
            yield batch, work(batch)
        return
    pool = start_pool(others, _nothing)
    begun = pool.submit(_import, work)
    try:
        remaining = iter(batches)
        for batch in remaining:
            if begun.done():
                remaining = chain((batch,), remaining)
                break
            yield batch, work(batch)
        running: deque[tuple[Sequence[T], Future[R]]] = deque()
        for batch in islice(remaining, (others + 1) * _AHEAD):
            running.append((batch, pool.submit(work, batch)))
        while running:
            while not running[0][1].done() and _do_one(work, running):
                pass
            batch, future = running.popleft()
            result = future.result()
            running.extend((one, pool.submit(work, one)) for one in islice(remaining, 1))
            yield batch, result
    finally:
        pool.shutdown(cancel_futures=True)


def _do_one(
    work: Callable[[Sequence[T]], R], running: deque[tuple[Sequence[T], Future[R]]]
) -> bool:
    """Does the first batch that no other process has begun; whether there was one."""
    for place, (batch, future) in enumerate(running):
        if future.cancel():
            own: Future[R] = Future()
            own.set_result(work(batch))
            running[place] = batch, own
            return True
    return False


def run_apart(work: Callable[[str], object], given: str) -> None:
    """Call a function of a module in a new Python process, and wait for its end, whatever that is.

    It steps back where others want the processor, and the end of this process ends it. Unlike a
    pool's workers it does not import the main module again, so any script may start it.
    """
    place = [json.dumps(sys.path), work.__module__, work.__qualname__, given, str(_NICENESS)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        [sys.executable, "-c", _APART, *place],
        stdin=subprocess.PIPE,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
    ) as process:
        process.wait()


def _nothing() -> None:
    pass


def _import(work: object) -> None:
    """Has a process import what `work` is made of, which takes as long as some batches."""


def _start(prepare: Callable[[], None]) -> None:
    Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()
    prepare()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None  # this is a worker
    parent.join()
    os._exit(1)  # at once, whatever the other threads do; nobody is left to be told
