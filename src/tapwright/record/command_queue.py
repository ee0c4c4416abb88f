"""The thread in which one demonstration runs: commands in their order, and polls of the device.

A device's calls block, and are made from one thread; callers have an event loop of their own.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread
from typing import TypeVar

from tapwright.record.demonstration import Demonstration

__all__ = ["CommandQueue"]

T = TypeVar("T")


class CommandQueue:
    """Runs a demonstration, which gets `has_pending` as its parameter of that name."""

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._wake = Condition()
        self._changed = False
        self._ended = False

    def run(self, demonstration: Demonstration) -> None:
        """Start the thread that executes calls, and polls the device in between."""
        self._demonstration = demonstration
        Thread(target=self._run, name="demonstration", daemon=True).start()

    def has_pending(self) -> bool:
        """Whether a call waits to be executed."""
        return bool(self._calls)

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Execute a call after those before it; its result or error is in the future."""
        made: Future[T] = Future()

        def work() -> None:
            if not made.set_running_or_notify_cancel():
                return
            try:
                made.set_result(call())
            except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
                made.set_exception(error)

        with self._wake:
            self._calls.append(work)
            self._wake.notify()
        return made

    def notify_change(self) -> None:
        """Poll the device as soon as no call waits: the screen has changed."""
        with self._wake:
            self._changed = True
            self._wake.notify()

    def close(self) -> Future[None]:
        """Close the demonstration after the calls before, and end the thread."""

        def end() -> None:
            self._ended = True
            self._demonstration.close()

        return self.submit(end)

    def _run(self) -> None:
        timeout_s = 0.0
        while not self._ended:
            with self._wake:
                self._wake.wait_for(lambda: self._changed or self._calls, timeout_s)
                self._changed = False
                call = self._calls.popleft() if self._calls else None
            if call is not None:
                call()
            elif not self._ended:
                timeout_s = self._demonstration.poll()
