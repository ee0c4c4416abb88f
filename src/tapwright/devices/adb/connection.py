"""A connection to an adb server: framed requests, and a time limit on every byte.

The server's protocol is that of adb's client
(https://android.googlesource.com/platform/packages/modules/adb/+/refs/tags/platform-tools-34.0.5/OVERVIEW.TXT
and SERVICES.TXT): four hexadecimal digits of length before each request and each block, and "OKAY"
or "FAIL" with a reason before each answer. No library is used for its speed: adbutils 2.12
sleeps 10 ms twice in every call.
"""

import socket
from contextlib import suppress
from time import monotonic

from tapwright.devices.errors import AdbServerError
from tapwright.errors import DeviceError, DeviceLostError
from tapwright.files.closing import Closing

_CHUNK = 1 << 16
_MAX_REQUEST = 0xFFFF


class RefusedError(Exception):
    """The server answered FAIL; `args[0]` is its reason."""


class Deadline:
    """The end of a call's time limit, on the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = monotonic() + seconds

    def left(self) -> float:
        """The remaining seconds; 0 when it has passed."""
        return max(0.0, self._end - monotonic())


class AdbConnection(Closing):
    """A socket to an adb server; `peer` is named in errors, `deadline` ends every call on it.

    A `deadline` of None suits streams that may be silent.
    """

    def __init__(self, host: str, port: int, *, peer: str, deadline: Deadline) -> None:
        self.peer = peer
        self.deadline: Deadline | None = deadline
        try:
            self._socket = socket.create_connection((host, port), max(deadline.left(), 0.001))
        except UnicodeError as error:
            raise OSError(f"no machine has the name {host!r}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(self, service: str) -> None:
        """Send a request and wait until the server accepts it.

        Raises:
            RefusedError: the server refuses.
            AdbServerError: the response is not an adb server's.
            DeviceLostError: the time limit has passed, or the connection ended.
            DeviceError: the request is too long.
        """
        data = service.encode("utf-8", "surrogateescape")
        if len(data) > _MAX_REQUEST:
            raise DeviceError(
                f"{self.peer}: a request of {len(data):,} bytes; the limit is {_MAX_REQUEST:,}"
            )
        self.send(b"%04x%s" % (len(data), data))
        status = self.read(4)
        if status == b"FAIL":
            raise RefusedError(self.read_block().decode("utf-8", "replace"))
        if status != b"OKAY":
            raise AdbServerError(
                f"{self.peer}: {status!r} instead of an adb server's OKAY or FAIL",
                hint="does something else listen there? 5037 is adb's usual port",
            )

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._set_timeout()
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self._connection_error(error) from error

    def read(self, count: int) -> bytes:
        """Exactly `count` bytes."""
        data = bytearray()
        while len(data) < count:
            chunk = self.read_some(count - len(data))
            if not chunk:
                raise self._end_error()
            data += chunk
        return bytes(data)

    def read_some(self, most: int = _CHUNK) -> bytes:
        """Wait for bytes and read at most `most` of them; b"" at the end of the stream."""
        self._set_timeout()
        try:
            return self._socket.recv(min(most, _CHUNK))
        except OSError as error:
            raise self._connection_error(error) from error

    def read_block(self) -> bytes:
        """A block after its length in four hexadecimal digits; AdbServerError where it has none."""
        digits = self.read(4)
        try:
            return self.read(int(digits, 16))
        except ValueError:
            raise AdbServerError(
                f"{self.peer}: {digits!r} instead of the length of an adb server's response"
            ) from None

    def shutdown(self) -> None:
        """Shut the connection down; a thread that reads from it gets the end of the stream."""
        with suppress(OSError):  # the other end closed it
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket, when no thread reads from it any more."""
        self._socket.close()

    def _set_timeout(self) -> None:
        if self.deadline is None:
            self._socket.settimeout(None)
            return
        left = self.deadline.left()
        if not left:
            raise self._timeout_error(self.deadline)
        self._socket.settimeout(left)

    def _connection_error(self, error: OSError) -> DeviceLostError:
        if isinstance(error, TimeoutError) and self.deadline is not None:
            return self._timeout_error(self.deadline)
        return self._end_error()

    def _timeout_error(self, deadline: Deadline) -> DeviceLostError:
        return DeviceLostError(
            f"{self.peer} did not respond within {deadline.seconds:g} s",
            hint="is the phone awake and its cable in? tapwright doctor --check adb",
        )

    def _end_error(self) -> DeviceLostError:
        return DeviceLostError(
            f"{self.peer}: the connection ended in the middle of a call",
            hint="the phone was unplugged, or the adb server was stopped: "
            "tapwright doctor --check adb",
        )
