"""A connection to the accessibility bus of a desktop, for a program without an event loop.

https://gitlab.gnome.org/GNOME/at-spi2-core at 2.46: bus/README, xml/Accessible.xml.
"""

import asyncio
import errno
from collections.abc import Callable, Coroutine
from concurrent.futures import TimeoutError as LateError
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusFastError

from tapwright.errors import DeviceLostError

__all__ = ["BusCallError", "BusThread", "call", "connect"]

T = TypeVar("T")


class BusCallError(Exception):
    """An application answered a call with an error, as it does for what just went away."""


class BusThread:
    """An event loop in a thread of its own; it ends when closed, and with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_report)
        self._thread = Thread(target=self._loop.run_forever, name="desktop-bus", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], *, limit_s: float, what: str) -> T:
        """Wait for a coroutine on the loop.

        Raises:
            DeviceLostError: the limit has passed, or the bus is gone; `what` was to be done.
        """
        return self.start(work, what=what)(limit_s)

    def start(self, work: Coroutine[Any, Any, T], *, what: str) -> Callable[[float], T]:
        """Run a coroutine on the loop; what is returned waits for it, as `run` does."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)

        def wait(limit_s: float) -> T:
            try:
                return future.result(limit_s)
            except LateError as error:
                future.cancel()
                raise DeviceLostError(
                    f"the desktop's bus did not {what} in {limit_s:g} s"
                ) from error
            except (OSError, EOFError, DBusFastError, asyncio.CancelledError) as error:
                raise DeviceLostError(
                    f"the desktop's bus is gone: could not {what}: {error!r}"
                ) from error

        return wait

    def close(self) -> None:
        """End the loop; more than once is allowed."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1.0)
        if not self._thread.is_alive() and not self._loop.is_closed():
            self._loop.close()


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Print what failed unheard, but for a message that was still to be sent when its bus ended."""
    error = context.get("exception")
    is_gone = isinstance(error, ConnectionError) or (
        isinstance(error, OSError) and error.errno == errno.EBADF  # the bus's socket was closed
    )
    if not (is_gone and "future" in context):
        loop.default_exception_handler(context)


async def connect(address: str) -> MessageBus:
    """A connection to the bus at an address; whether it is lost, each call tells."""
    bus = await MessageBus(bus_address=address).connect()
    watch = asyncio.ensure_future(_read_end(bus))
    _watches.add(watch)
    watch.add_done_callback(_watches.discard)
    return bus


_watches: set[asyncio.Future[None]] = set()


async def _read_end(bus: MessageBus) -> None:
    with suppress(OSError, EOFError, DBusFastError):
        await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]


async def call(
    bus: MessageBus, destination: str, path: str, interface: str, member: str,
    signature: str = "", body: list[Any] | None = None,
) -> Any:  # fmt: skip
    """The first value that a method returns.

    Raises:
        BusCallError: the answer is an error.
    """  # fmt: skip
    reply = await bus.call(
        Message(
            destination=destination, path=path, interface=interface, member=member,
            signature=signature, body=body or [],
        )
    )  # fmt: skip
    assert reply is not None  # calls that ask for no reply have none
    if reply.message_type is MessageType.ERROR:
        raise BusCallError(f"{interface}.{member}: {reply.body}")
    return reply.body[0] if reply.body else None
