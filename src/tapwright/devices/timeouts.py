"""Time limits for the blocking calls of devices, made from an event loop.

Unlike `asyncio.to_thread`, each call has a thread of its own that dies with the process: calls
that hang neither use up the threads of a pool nor keep the program from ending.
"""

import asyncio
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from typing import TypeVar

from tapwright.errors import DeviceLostError

__all__ = ["at_this_load", "run_in_background", "run_within"]

T = TypeVar("T")


def at_this_load(limit_s: float) -> float:
    """Seconds that suffice at rest, as many times over as programs want each processor now."""
    if not hasattr(os, "getloadavg"):  # Windows
        return limit_s
    return limit_s * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


async def run_within(
    limit_s: float | Callable[[], float] | None,
    call: Callable[[], T],
    *,
    description: str,
    on_late: Callable[[T], object] = lambda _: None,
) -> T:
    """Run a blocking call in a thread and return its result; a `limit_s` of None waits for ever.

    One that may grow meanwhile is asked for again when it has passed.

    A call that timed out, or whose waiter was cancelled, goes on in its thread; `on_late` then
    receives its result, in a thread.

    Raises:
        DeviceLostError: the time limit has passed; the message begins with `description`.
    """
    made: Future[T] = Future()

    def work() -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            with suppress(InvalidStateError):
                made.set_exception(error)
            return
        try:
            made.set_result(result)
        except InvalidStateError:
            on_late(result)

    run_in_background(work)
    waited = asyncio.wrap_future(made)
    began = time.monotonic()
    limit = left_s = limit_s() if callable(limit_s) else limit_s
    try:
        while left_s is None or left_s > 0:
            await asyncio.wait({waited}, timeout=left_s)
            if waited.done():
                return waited.result()
            limit = limit_s() if callable(limit_s) else limit_s
            left_s = (limit or 0.0) - (time.monotonic() - began)
    finally:
        if not waited.done() and not made.cancel() and made.exception() is None:
            result = made.result()  # it ended as the limit passed
            run_in_background(lambda: on_late(result))
    raise DeviceLostError(
        f"{description} took more than {round(limit or 0.0, 2):g} s",
        hint="check that it is still connected",
    )


def run_in_background(work: Callable[[], object]) -> Thread:
    """Run it in a thread that does not keep the program from ending."""
    thread = Thread(target=work, name="device-call", daemon=True)
    thread.start()
    return thread
