"""Chromium's DevTools protocol over a pipe: many callers, one reader, no port, no dependency.

Messages are JSON objects ended by a zero byte, and one pipe carries all pages as flat sessions
(https://chromedevtools.github.io/devtools-protocol/). Unlike a WebSocket client, a pipe needs no
port, and its end shows at once that the browser is gone.
"""

import json
import os
import select
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from itertools import count
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeAlias

from tapwright.devices.errors import PageLeftError
from tapwright.errors import DeviceError, DeviceLostError

CallResult: TypeAlias = dict[str, Any]
EventListener: TypeAlias = Callable[[str, CallResult], None]

_READ_BYTES = 1 << 20
_JOIN_S = 5.0
# What the browser says of a call whose page was left, or went away, before it answered.
_LEFT = ("Inspected target navigated or closed", "Not attached to an active page")
_GONE = ("Session with given id not found", "Target closed")


class PendingReply:
    """The pending result of a call."""

    def __init__(self, method: str, session: str) -> None:
        self.method = method
        self.session = session
        self.future: Future[CallResult] = Future()

    def result(self, timeout_s: float) -> CallResult:
        """Wait for the result, at most `timeout_s`.

        Raises:
            DeviceLostError: the time limit has passed, or browser or page are gone.
            DeviceError: the browser refused the call.
        """
        try:
            return self.future.result(timeout_s)
        except TimeoutError:
            raise DeviceLostError(
                f"the page did not respond to {self.method} within {timeout_s:g} s",
                hint="the page may hang in a script; reset the device to get a fresh one",
            ) from None


class DevToolsPipe:
    """Both ends of the pipe to one browser.

    `read_fd` and `write_fd` become the wire's own. Any thread may call. Listeners run in the
    reader's thread, so they must neither wait for a result nor raise.
    """

    def __init__(self, read_fd: int, write_fd: int) -> None:
        os.set_blocking(write_fd, False)
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._numbers = count(1)
        self._waiting: dict[int, PendingReply] = {}
        self._listeners: dict[str, EventListener] = {}
        self._lock = Lock()
        self._writing = Lock()
        self._lost = ""
        self._reader = Thread(target=self._read, name="chromium-pipe", daemon=True)
        self._reader.start()

    @property
    def lost(self) -> str:
        """Why the browser cannot be reached any more; "" while it can."""
        return self._lost

    def send(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        session: str = "",
        timeout_s: float = 10.0,
    ) -> PendingReply:
        """Send a call without waiting for its result; calls of one session run in this order.

        `timeout_s` bounds the writing alone, which blocks only when the browser has stopped
        reading.

        Raises:
            DeviceLostError: the browser is gone or does not read.
        """
        message: dict[str, Any] = {"method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        reply = PendingReply(method, session)
        with self._lock:
            if self._lost:
                raise DeviceLostError(self._lost)
            message["id"] = number = next(self._numbers)
            self._waiting[number] = reply
        self._write(json.dumps(message).encode() + b"\0", monotonic() + timeout_s)
        return reply

    def listen(self, session: str, listener: EventListener) -> None:
        """Pass all events of `session` to `listener`, as (method, parameters)."""
        with self._lock:
            self._listeners[session] = listener

    def drop(self, session: str, reason: str) -> None:
        """Forget a session; callers that wait for its results get DeviceLostError with `reason`."""
        with self._lock:
            self._listeners.pop(session, None)
            numbers = [n for n, reply in self._waiting.items() if reply.session == session]
            dropped = [self._waiting.pop(number) for number in numbers]
        _fail(dropped, reason)

    def close(self) -> None:
        """Close the pipe; the browser must have ended, or closed its end."""
        self._reader.join(_JOIN_S)
        with self._writing:
            if self._write_fd >= 0 and not self._reader.is_alive():
                os.close(self._write_fd)
                os.close(self._read_fd)
                self._write_fd = self._read_fd = -1

    def _write(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        with self._writing:
            if self._write_fd < 0:
                raise DeviceLostError("the browser was closed")
            poll = select.poll()
            poll.register(self._write_fd, select.POLLOUT)
            while rest:
                try:
                    rest = rest[os.write(self._write_fd, rest) :]
                except BlockingIOError:
                    if not poll.poll(max(0.0, deadline - monotonic()) * 1000):
                        # Part of a message was written, so nothing after it could be parsed.
                        self._break("the browser does not read its pipe any more")
                        raise DeviceLostError(self._lost) from None
                except OSError as error:
                    self._break("the browser ended")
                    raise DeviceLostError(self._lost) from error

    def _read(self) -> None:
        try:
            pending = bytearray()
            while data := os.read(self._read_fd, _READ_BYTES):
                # A screenshot comes in many pieces: only the new one is searched for the end.
                start = len(pending)
                pending += data
                while (end := pending.find(b"\0", start)) >= 0:
                    message = json.loads(pending[:end])
                    del pending[: end + 1]
                    start = 0
                    self._dispatch(message)
        finally:
            self._break("the browser ended")

    def _dispatch(self, message: CallResult) -> None:
        session = message.get("sessionId", "")
        if "id" not in message:
            with self._lock:
                listener = self._listeners.get(session)
            if listener is not None:
                listener(message["method"], message["params"])
            return
        with self._lock:
            reply = self._waiting.pop(message["id"], None)
        if reply is None:  # its page was dropped meanwhile
            return
        if "error" not in message:
            reply.future.set_result(message["result"])
            return
        text = message["error"].get("message", "")
        kind: type[DeviceError] = DeviceError
        if text.startswith(_LEFT):
            kind = PageLeftError
        elif text.startswith(_GONE):
            kind = DeviceLostError
        reply.future.set_exception(kind(f"the browser refused {reply.method}: {text}"))

    def _break(self, reason: str) -> None:
        with self._lock:
            self._lost = self._lost or reason
            left = list(self._waiting.values())
            self._waiting.clear()
        _fail(left, self._lost)


def open_pipes() -> tuple[int, int, int, int]:
    """Two pipes as (browser reads, we write, we read, browser writes).

    All numbers are above 9, so that the browser's ends can be put at 3 and 4 in its process
    without overwriting another.
    """
    import fcntl  # no Windows has it, where the rest of this package is imported

    ends: list[int] = []
    for _ in range(2):
        for end in os.pipe():
            ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
            os.close(end)
    browser_reads, we_write, we_read, browser_writes = ends
    return browser_reads, we_write, we_read, browser_writes


def _fail(replies: list[PendingReply], reason: str) -> None:
    for reply in replies:
        reply.future.set_exception(DeviceLostError(f"{reason}, while waiting for {reply.method}"))
