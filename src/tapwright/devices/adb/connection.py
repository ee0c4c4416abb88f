"""One conversation with an adb server: framed requests, and a time limit on every byte.

The server's protocol is that of adb's client
(https://android.googlesource.com/platform/packages/modules/adb/+/refs/tags/platform-tools-34.0.5/OVERVIEW.TXT
and SERVICES.TXT): four hexadecimal digits of length before each request and each block, and "OKAY"
or "FAIL" with a reason before each answer. A library would do as well but for its speed: adbutils
2.12 sleeps 10 ms twice in every call.
"""

import socket
from contextlib import suppress
from time import monotonic
from typing import Self

from tapwright.devices.errors import AdbServerError
from tapwright.errors import DeviceError, DeviceLostError

_PIECE = 1 << 16
_MAX_REQUEST = 0xFFFF


class RefusedError(Exception):
    """The server answered FAIL; `args[0]` is its reason."""


class Deadline:
    """A moment until which a call may take, on the clock that nobody sets."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left; 0 when it has passed."""
        return max(0.0, self._end - monotonic())


class AdbConnection:
    """A socket to an adb server; `who` is named in errors, `deadline` ends every call on it.

    A `deadline` of None is for streams that are silent while nothing happens.
    """

    def __init__(self, host: str, port: int, *, who: str, deadline: Deadline) -> None:
        self.who = who
        self.deadline: Deadline | None = deadline
        try:
            self._socket = socket.create_connection((host, port), max(deadline.left(), 0.001))
        except UnicodeError as error:
            raise OSError(f"no machine is called {host!r}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request: str) -> None:
        """Send a request and wait until the server has taken it.

        Raises:
            RefusedError: the server will not.
            AdbServerError: the answer is no adb server's.
            DeviceLostError: the time is over, or the connection ended.
            DeviceError: the request is longer than any may be.
        """
        said = request.encode("utf-8", "surrogateescape")
        if len(said) > _MAX_REQUEST:
            raise DeviceError(
                f"{self.who}: a request of {len(said):,} bytes; adb takes {_MAX_REQUEST:,} at most"
            )
        self.send(b"%04x%s" % (len(said), said))
        status = self.read(4)
        if status == b"FAIL":
            raise RefusedError(self.read_block().decode("utf-8", "replace"))
        if status != b"OKAY":
            raise AdbServerError(
                f"{self.who}: {status!r} came where an adb server says OKAY or FAIL",
                hint="does something else listen there? 5037 is adb's usual port",
            )

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._timed()
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self._lost(error) from error

    def read(self, count: int) -> bytes:
        """Exactly `count` bytes."""
        data = bytearray()
        while len(data) < count:
            piece = self.read_some(count - len(data))
            if not piece:
                raise self._ended()
            data += piece
        return bytes(data)

    def read_some(self, most: int = _PIECE) -> bytes:
        """What is there, at most `most` bytes; waits for some; b"" at the end of the stream."""
        self._timed()
        try:
            return self._socket.recv(min(most, _PIECE))
        except OSError as error:
            raise self._lost(error) from error

    def read_block(self) -> bytes:
        """A block with its length in four hexadecimal digits before it."""
        digits = self.read(4)
        try:
            return self.read(int(digits, 16))
        except ValueError:
            raise AdbServerError(
                f"{self.who}: {digits!r} came where an adb server says how long its answer is"
            ) from None

    def hang_up(self) -> None:
        """End the conversation; a thread that reads from it gets the end of the stream."""
        with suppress(OSError):  # the other end was first
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of the socket, when no thread reads from it any more."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _timed(self) -> None:
        if self.deadline is None:
            self._socket.settimeout(None)
            return
        left = self.deadline.left()
        if not left:
            raise self._late(self.deadline)
        self._socket.settimeout(left)

    def _lost(self, error: OSError) -> DeviceLostError:
        if isinstance(error, TimeoutError) and self.deadline is not None:
            return self._late(self.deadline)
        return self._ended()

    def _late(self, deadline: Deadline) -> DeviceLostError:
        return DeviceLostError(
            f"{self.who} did not answer within {deadline.seconds:g} s",
            hint="is the phone awake and its cable in? tapwright doctor --check adb",
        )

    def _ended(self) -> DeviceLostError:
        return DeviceLostError(
            f"{self.who}: the connection ended in the middle of a call",
            hint="the phone was unplugged, or the adb server was stopped: "
            "tapwright doctor --check adb",
        )
