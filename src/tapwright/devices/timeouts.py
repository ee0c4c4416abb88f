"""A device's blocking call, made from an event loop and given up when it takes too long.

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

__all__ = [
    "in_background",
    "within",
]

T = TypeVar("T")


async def within(
    limit_s: float | None,
    call: Callable[[], T],
    *,
    doing: str,
    late: Callable[[T], object] = lambda _: None,
) -> T:
    """What `call` returns or raises, if it ends within `limit_s`; None waits for ever.

    A call that was given up, or whose waiter was cancelled, goes on in its thread; `late` gets what
    it returns after all, in a thread.

    Raises:
        DeviceLostError: the time is over; the message begins with `doing`.
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
            late(result)

    in_background(work)
    waited = asyncio.wrap_future(made)
    try:
        await asyncio.wait({waited}, timeout=limit_s)
        if waited.done():
            return waited.result()
    finally:
        if not waited.done() and not made.cancel() and made.exception() is None:
            result = made.result()  # it ended while it was being given up
            in_background(lambda: late(result))
    raise DeviceLostError(f"{doing} took more than {limit_s:g} s", hint="is it still connected?")


def in_background(work: Callable[[], object]) -> Thread:
    """Do it in a thread that does not keep the program from ending."""
    thread = Thread(target=work, name="device-call", daemon=True)
    thread.start()
    return thread
