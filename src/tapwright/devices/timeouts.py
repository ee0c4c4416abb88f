"""Time limits for the blocking calls of devices, made from an event loop.

Unlike `asyncio.to_thread`, each call has a thread of its own that dies with the process: calls
that hang neither use up the threads of a pool nor keep the program from ending.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from typing import TypeVar

from tapwright.errors import DeviceLostError

__all__ = ["run_in_background", "run_within"]

T = TypeVar("T")


async def run_within(
    limit_s: float | None,
    call: Callable[[], T],
    *,
    description: str,
    on_late: Callable[[T], object] = lambda _: None,
) -> T:
    """Run a blocking call in a thread and return its result; a `limit_s` of None waits for ever.

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
    try:
        await asyncio.wait({waited}, timeout=limit_s)
        if waited.done():
            return waited.result()
    finally:
        if not waited.done() and not made.cancel() and made.exception() is None:
            result = made.result()  # it ended as the limit passed
            run_in_background(lambda: on_late(result))
    raise DeviceLostError(
        f"{description} took more than {limit_s:g} s", hint="check that it is still connected"
    )


def run_in_background(work: Callable[[], object]) -> Thread:
    """Run it in a thread that does not keep the program from ending."""
    thread = Thread(target=work, name="device-call", daemon=True)
    thread.start()
    return thread
