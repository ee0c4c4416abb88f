"""A phone's shell and files: programs run with quoted words, their output bounded and complete.

Follows adb's shell protocol v2
(https://android.googlesource.com/platform/packages/modules/adb/+/refs/tags/platform-tools-34.0.5/shell_protocol.h)
and SYNC.TXT. Everything goes by way of v2, pictures too: only there a program's end comes with its
exit code, so that what was cut off is never taken for the whole.
"""

import re
import shlex
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.connection import AdbConnection, Deadline
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.errors import DeviceError, DeviceLostError

__all__ = ["MAX_OUTPUT", "MIN_SDK", "PhoneShell", "ProgramOutput", "parse_sdk", "quote_words"]

MAX_OUTPUT = 64 << 20
"""The longest accepted output of a phone; a picture of 8K is shorter."""

MIN_SDK = 24
"""Android 7, the first whose shell reports exit codes, and whose `input` can drag."""

_STDOUT, _STDERR, _EXIT = 1, 2, 3
_SEND_CHUNK = 64 << 10
_UNSENDABLE = re.compile("[\0\ud800-\udfff]")
_SDK = re.compile(r"\d{1,4}", re.ASCII)


def quote_words(*words: str) -> str:
    """Quote words for a shell, so that each stays one word there, whatever it contains.

    No words reach a phone's shell without it.

    Raises:
        DeviceError: a word holds a zero byte or half a character, which no program accepts.
    """
    for word in words:
        if _UNSENDABLE.search(word):
            raise DeviceError(
                f"{word[:40]!r} cannot be sent to a phone: it holds a zero byte or half a character"
            )
    return " ".join(shlex.quote(word) for word in words)


def parse_sdk(text: str) -> int:
    """Parse the SDK version from `getprop ro.build.version.sdk`; 0 for none."""
    return int(text) if _SDK.fullmatch(text) else 0


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """What a program wrote, and its exit code."""

    data: bytes
    errors: bytes
    code: int

    @property
    def text(self) -> str:
        """What it wrote, as text."""
        return self.data.decode("utf-8", "replace")

    @property
    def error_text(self) -> str:
        """Its error output, or else its output, in one line."""
        message = self.errors.decode("utf-8", "replace") or self.text
        return " ".join(message.split())[:300]


class PhoneShell:
    """The shell of the phone `serial`; each call ends within `timeout_s`, or its own limit."""

    def __init__(self, client: AdbClient, serial: str) -> None:
        self.client = client
        self.serial = serial
        self.timeout_s = client.timeout_s

    def run(self, *words: str, timeout_s: float | None = None) -> ProgramOutput:
        """Run a program with its arguments, and wait for its end.

        Raises:
            DeviceLostError: the phone is gone, or did not respond in time.
            BadDeviceOutputError: its output is endless, or not framed as adb frames it.
        """
        return self.script([words], timeout_s=timeout_s)

    def script(
        self, commands: Sequence[tuple[str, ...]], *, timeout_s: float | None = None
    ) -> ProgramOutput:
        """Run several programs one after the other, whatever their exit codes; that of the last.

        One call, so that a phone over Wi-Fi is reached once.

        Raises:
            BadDeviceOutputError: the output is too large.
            DeviceLostError: the connection ended before the programs did.
        """
        line = "; ".join(quote_words(*words) for words in commands)
        deadline = Deadline(timeout_s if timeout_s is not None else self.timeout_s)
        with self.client.open(self.serial, f"shell,v2,raw:{line}", deadline) as connection:
            parts: dict[int, bytearray] = {_STDOUT: bytearray(), _STDERR: bytearray()}
            for kind, data in self._packets(connection):
                if kind == _EXIT:
                    return ProgramOutput(bytes(parts[_STDOUT]), bytes(parts[_STDERR]), data[0])
                parts[kind] += data
                if sum(map(len, parts.values())) > MAX_OUTPUT:
                    raise BadDeviceOutputError(
                        f"{self.serial}: {commands[0][0]} writes endlessly; "
                        f"{MAX_OUTPUT >> 20} MB were read",
                        hint="restart the phone",
                    )
        raise DeviceLostError(
            f"{self.serial} went away while it ran {commands[0][0]}",
            hint="is it plugged in? tapwright devices ls",
        )

    def check(self, *words: str, timeout_s: float | None = None) -> str:
        """Run a program that must succeed; returns its output as text.

        Raises:
            DeviceError: it failed; the message holds its errors.
        """
        output = self.run(*words, timeout_s=timeout_s)
        if output.code:
            raise DeviceError(
                f"{self.serial}: {' '.join(words[:3])} failed ({output.code}): {output.error_text}"
            )
        return output.text

    def stream(self, *words: str, deadline: Deadline) -> AdbConnection:
        """Start a program that keeps running, with unframed output; `deadline` is for its start."""
        return self.client.open(self.serial, f"exec:{quote_words(*words)}", deadline)

    def push(self, file: Path, to: str) -> None:
        """Copy a file of this machine to the phone.

        Raises:
            DeviceError: the phone refuses it.
        """
        deadline = Deadline(max(self.timeout_s, 60.0 + file.stat().st_size / 500_000))
        with (
            self.client.open(self.serial, "sync:", deadline) as connection,
            file.open("rb") as data,
        ):
            target = f"{to},{0o100644}".encode()
            connection.send(b"SEND" + struct.pack("<I", len(target)) + target)
            while chunk := data.read(_SEND_CHUNK):
                connection.send(b"DATA" + struct.pack("<I", len(chunk)) + chunk)
            connection.send(b"DONE" + struct.pack("<I", int(file.stat().st_mtime)))
            status, length = struct.unpack("<4sI", connection.read(8))
            if status != b"OKAY":
                reason = connection.read(min(length, 1000)).decode("utf-8", "replace")
                raise DeviceError(f"{self.serial} refused {file.name}: {reason}")

    def _packets(self, connection: AdbConnection) -> Iterator[tuple[int, bytes]]:
        """(kind, data) until the stream ends; an end within a packet is an error."""
        while head := connection.read_some(5):
            head += connection.read(5 - len(head))
            kind, length = struct.unpack("<BI", head)
            if kind not in (_STDOUT, _STDERR, _EXIT) or length > MAX_OUTPUT or (
                kind == _EXIT and length != 1
            ):  # fmt: skip
                raise BadDeviceOutputError(
                    f"{self.serial}: a frame of kind {kind} and {length:,} bytes; expected the "
                    "frames of adb's shell protocol v2",
                    hint="Android 7 and newer speak it; restart the phone if it is one",
                )
            yield kind, connection.read(length)
