"""The services of the phone: shells, programs, files; with the faults that are set for them.

The second version of the shell's stream follows AOSP's description:
https://android.googlesource.com/platform/packages/modules/adb/+/refs/tags/android-13.0.0_r1/shell_protocol.h
"""

import asyncio
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

from tapwright.errors import DeviceLostError
from tapwright_adb_simulator.connection import Service, Stream, StreamGone
from tapwright_adb_simulator.faults import (
    Drop,
    Endless,
    Fault,
    Hang,
    Instead,
    Slow,
    Truncated,
    Unplug,
    WrongLength,
    fault_of,
)
from tapwright_adb_simulator.frames import HEADER, AdbFrame
from tapwright_adb_simulator.grammar import programs_of
from tapwright_adb_simulator.programs import PROGRAMS
from tapwright_adb_simulator.shell import ReadBytes, Shell, System, WriteBytes
from tapwright_adb_simulator.sync import serve_files

__all__ = ["Services"]

_PACKET = struct.Struct("<BI")
_STDIN, _STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = range(5)
_NO_REVERSE = "this phone connects to nothing but itself"
_ROOT = {
    "root": "adbd cannot run as root in production builds\n",
    "unroot": "adbd not running as root\n",
}


@dataclass(slots=True)
class Services:
    """Finds a service by its name, records requests in `commands`, applies faults."""

    system: System
    faults: Mapping[str, Fault]
    commands: list[str]
    unplug: Callable[[], None]

    def find(self, name: str) -> Service | None:
        """The service called `name`; None if this phone lacks it."""
        kind, _, line = name.partition(":")
        kind, *options = kind.split(",")
        match kind:
            case "shell" if "v2" in options:
                return partial(self._serve_v2, line)
            case "shell" | "exec":
                return partial(self._serve_v1, line)
            case "sync":
                return self._serve_sync
            case "reverse" if line == "list-forward":
                return partial(_say, b"OKAY0000")
            case "reverse":
                return partial(_say, f"FAIL{len(_NO_REVERSE):04x}{_NO_REVERSE}".encode())
            case "root" | "unroot":
                return partial(_say, self._switch_root(kind).encode())
        return self.system.services.get(name)

    def _switch_root(self, kind: str) -> str:
        """What adbd says; it never restarts here, so the phone stays as it began."""
        if kind == "root" and self.system.android.root:
            return "adbd is already running as root\n"
        return _ROOT[kind]

    async def _serve_v1(self, line: str, stream: Stream) -> None:
        """Shell v1: both outputs in one stream, and no exit code."""
        answer = _CommandOutput(self, stream, line, stream.write)
        await answer.run(lambda: self._shell(stream, stream.read, answer.write, answer.write, line))

    async def _serve_v2(self, line: str, stream: Stream) -> None:
        """Shell v2: separate outputs, then the exit code."""
        answer = _CommandOutput(self, stream, line, partial(_send_packets, stream, _STDOUT))
        stderr = partial(_send_packets, stream, _STDERR)
        code = await answer.run(
            lambda: self._shell(stream, _Stdin(stream).read, answer.write, stderr, line)
        )
        await _send_packets(stream, _EXIT, bytes([code & 255]))

    async def _serve_sync(self, stream: Stream) -> None:
        answer = _CommandOutput(self, stream, "sync:", stream.write)

        async def serve() -> int:
            await serve_files(stream, answer.write, self.system.storage, self.commands.append)
            return 0

        await answer.run(serve)

    async def _shell(
        self, stream: Stream, stdin: ReadBytes, stdout: WriteBytes, stderr: WriteBytes, line: str
    ) -> int:
        shell = Shell(PROGRAMS, self.system, stream, stdin, stdout, stderr)
        if line:
            return await shell.run(line)
        rest = b""
        while not shell.ended and (data := await stdin()):
            *lines, rest = (rest + data).split(b"\n")
            for raw in lines:
                typed = raw.decode("utf-8", "surrogateescape")
                self.commands.append(typed)
                await shell.run(typed)
        if rest and not shell.ended:
            await shell.run(rest.decode("utf-8", "surrogateescape"))
        return shell.code


class _CommandOutput:
    """The output of one command, as far as its fault lets it pass."""

    def __init__(self, services: Services, stream: Stream, command: str, write: WriteBytes) -> None:
        self._services = services
        self._stream = stream
        self._write = write
        self._written = 0
        self._fault = fault_of(services.faults, command, *programs_of(command))
        if command and command != "sync:":
            services.commands.append(command)

    async def run(self, command: Callable[[], Awaitable[int]]) -> int:
        """Run the command, or its fault instead; returns the exit code."""
        stream = self._stream
        match self._fault:
            case Hang():
                await stream.gone.wait()
                raise StreamGone
            case Slow(delay_s=delay_s):
                if not await stream.until_gone(asyncio.sleep(delay_s)):
                    raise StreamGone
            case Endless(chunk=chunk):
                while True:
                    await self._write(chunk)
            case Instead(answer=answer, exit_code=exit_code):
                await self._write(answer)
                return exit_code
            case WrongLength():
                await stream.connection.send_raw(_too_long(stream))
                await stream.gone.wait()
                raise StreamGone
        try:
            code = await command()
        except DeviceLostError as error:
            self._services.unplug()
            raise StreamGone from error
        self._break()
        return code

    async def write(self, data: bytes) -> None:
        """Send as much of `data` as the fault lets pass.

        Raises:
            StreamGone: the connection was lost, by the fault or otherwise.
        """
        match self._fault:
            case Truncated(keep_bytes=kept) | Drop(after_bytes=kept) | Unplug(after_bytes=kept):
                part = data[: max(kept - self._written, 0)]
                self._written += len(data)
                if part:
                    await self._write(part)
                if self._written > kept:
                    self._break()
            case _:
                await self._write(data)

    def _break(self) -> None:
        match self._fault:
            case Drop():
                self._stream.connection.abort()
                raise StreamGone
            case Unplug():
                self._services.unplug()
                raise StreamGone


class _Stdin:
    """The client's stdin, unpacked."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._rest = b""
        self._closed = False

    async def read(self) -> bytes:
        """The next bytes, b"" when there are no more."""
        while not self._closed:
            if len(self._rest) >= _PACKET.size:
                kind, length = _PACKET.unpack_from(self._rest)
                if length > self._stream.connection.max_data:
                    self._stream.connection.abort()
                    raise StreamGone
                end = _PACKET.size + length
                if len(self._rest) >= end:
                    data, self._rest = self._rest[_PACKET.size : end], self._rest[end:]
                    self._closed = kind == _CLOSE_STDIN
                    if kind == _STDIN and data:
                        return data
                    continue
            more = await self._stream.read()
            self._closed = not more
            self._rest += more
        return b""


async def _send_packets(stream: Stream, kind: int, data: bytes) -> None:
    size = max(stream.connection.max_data - _PACKET.size, 1)
    for start in range(0, len(data), size):
        part = data[start : start + size]
        await stream.write(_PACKET.pack(kind, len(part)) + part)


async def _say(data: bytes, stream: Stream) -> None:
    await stream.write(data)


def _too_long(stream: Stream) -> bytes:
    frame = bytearray(AdbFrame(b"WRTE", stream.local_id, stream.remote_id, b"short").encode())
    word, arg0, arg1, _, total, magic = HEADER.unpack_from(frame)
    HEADER.pack_into(frame, 0, word, arg0, arg1, 0xFFFFFFFF, total, magic)
    return bytes(frame)
