"""The thread in which one demonstration runs: what is asked goes first, then a look at the device.

A device's calls block, and are made from one thread; those who ask have an event loop of their own.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread
from time import monotonic
from typing import TypeVar

from tapwright.record.demonstration import Demonstration

__all__ = ["Operator"]

T = TypeVar("T")


class Operator:
    """Runs a demonstration; `waits` is what it takes as `hurry`."""

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._woken = Condition()
        self._seen = False
        self._since: float | None = None
        self._ended = False

    def run(self, demonstration: Demonstration) -> None:
        """Begin to do what is asked, and to look in between."""
        self._demonstration = demonstration
        Thread(target=self._run, name="demonstration", daemon=True).start()

    def waits(self) -> bool:
        """Whether somebody asked for something that was not begun yet."""
        return bool(self._calls)

    @property
    def busy_s(self) -> float:
        """For how many seconds the call under way has run; 0 when there is none."""
        since = self._since
        return 0.0 if since is None else monotonic() - since

    def ask(self, call: Callable[[], T]) -> Future[T]:
        """Do it after whatever was asked before; the result comes in the future."""
        made: Future[T] = Future()

        def work() -> None:
            if not made.set_running_or_notify_cancel():
                return
            try:
                made.set_result(call())
            except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
                made.set_exception(error)

        with self._woken:
            self._calls.append(work)
            self._woken.notify()
        return made

    def nudge(self) -> None:
        """The screen has changed: look at it as soon as nothing is asked."""
        with self._woken:
            self._seen = True
            self._woken.notify()

    def close(self) -> Future[None]:
        """Let go of the demonstration after what was asked, and end."""

        def end() -> None:
            self._ended = True
            self._demonstration.close()

        return self.ask(end)

    def _run(self) -> None:
        patience_s = 0.0
        while not self._ended:
            with self._woken:
                self._woken.wait_for(lambda: self._seen or self._calls, patience_s)
                self._seen = False
                call = self._calls.popleft() if self._calls else None
            self._since = monotonic()
            if call is not None:
                call()
            elif not self._ended:
                patience_s = self._demonstration.look()
            self._since = None
