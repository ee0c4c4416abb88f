"""A phone's log from a moment on: one running `logcat`, read by its own thread."""

from collections.abc import Sequence
from threading import Thread

from tapwright.devices.adb.connection import AdbConnection, Deadline
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.errors import DeviceError

__all__ = ["MAX_LOG", "LogStream"]

MAX_LOG = 128 << 20
"""The most bytes of log that are kept since a reset; some hours of a phone that is being used."""

_COMMAND = ("logcat", "-v", "threadtime")
_MARK = "--------- "  # logcat's own lines, between its buffers
_STAMP = len("11-21 06:28:59.123")


class LogStream:
    """Follows the lines that a phone logs from now on, in logcat's "threadtime" form.

    A stream that breaks (the adb server was stopped) resumes at the line where it did.

    Raises:
        DeviceError: the phone cannot be reached.
    """

    def __init__(self, shell: PhoneShell) -> None:
        self._shell = shell
        self._lines: list[str] = []
        self._bytes = 0
        self._closed = False
        # logcat follows from its last line on, which is of the time before.
        self._before = shell.check(*_COMMAND, "-d", "-t", "1").splitlines()[-1:]
        self._follow()

    def lines(self, since: int) -> Sequence[str]:
        """The lines from number `since` on that have arrived.

        Raises:
            BadDeviceOutputError: the phone logs without an end.
            DeviceError: the stream broke and the phone cannot be reached any more.
        """
        if self._bytes > MAX_LOG:
            raise BadDeviceOutputError(
                f"{self._shell.serial} logged more than {MAX_LOG >> 20} MB since its reset",
                hint="reset it more often, or look for the app that floods the log: adb logcat",
            )
        if not self._reader.is_alive() and not self._closed:
            self._follow()
        return self._lines[since:]

    def close(self) -> None:
        """Stop following; the lines so far are kept."""
        self._closed = True
        self._connection.shutdown()
        self._reader.join()

    def _follow(self) -> None:
        start = self._lines[-1][:_STAMP] if self._lines else "1"
        known = [line for line in self._lines if line.startswith(start)] or self._before
        deadline = Deadline(self._shell.timeout_s)
        self._connection = self._shell.stream(*_COMMAND, "-T", start, deadline=deadline)
        self._connection.deadline = None
        self._reader = Thread(
            target=self._read, args=(self._connection, set(known)), name="logcat", daemon=True
        )
        self._reader.start()

    def _read(self, connection: AdbConnection, known: set[str]) -> None:
        pending = b""
        while self._bytes <= MAX_LOG:
            try:
                piece = connection.read_some()
            except DeviceError:
                break
            if not piece:
                break
            self._bytes += len(piece)
            *whole, pending = (pending + piece).split(b"\n")
            for raw in whole:
                line = raw.decode("utf-8", "replace").rstrip("\r")
                if line in known:
                    known.discard(line)  # once: a line may come again
                elif not line.startswith(_MARK):
                    self._lines.append(line)
        connection.close()
