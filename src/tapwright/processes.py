"""Pools of processes that end with the process that started them, however that one ends.

A worker of `concurrent.futures` whose parent was killed waits for its next call for ever: each
worker holds both ends of the queue. Here a thread of each worker waits for the parent's end.
"""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread

__all__ = ["start_pool"]


def start_pool(workers: int, prepare: Callable[[], None]) -> ProcessPoolExecutor:
    """A pool of new Python processes; each calls `prepare` once, which must be picklable.

    As a context manager it waits for its calls at the end of the block.
    """
    return ProcessPoolExecutor(workers, get_context("spawn"), _start, (prepare,))


def _start(prepare: Callable[[], None]) -> None:
    Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()
    prepare()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None  # this is a worker
    parent.join()
    os._exit(1)  # at once, whatever the other threads do; nobody is left to be told
