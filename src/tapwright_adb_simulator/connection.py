"""One adb server's connection to the phone: authentication, and the streams over it.

Of a stream one message is under way in each direction: the next is sent when the last was taken.
What breaks the protocol ends the connection, so nothing waits for what will not come, and nothing
is kept beyond one message for each stream.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

from tapwright_adb_simulator.frames import (
    MAX_DATA,
    UNCHECKED_VERSION,
    AdbFrame,
    BadFrame,
    read_frame,
)
from tapwright_adb_simulator.keys import TOKEN_BYTES, is_key, signed_by

__all__ = ["AdbdConnection", "Service", "Stream", "StreamGone", "Terms", "Trust"]

_TOKEN, _SIGNATURE, _PUBLIC_KEY = 1, 2, 3
_MAX_STREAMS = 256
_WORD_BITS = 0xFFFFFFFF


class StreamGone(Exception):  # noqa: N818 - not a failure
    """The other side has closed the stream, or the connection."""


Service: TypeAlias = Callable[["Stream"], Coroutine[Any, Any, None]]
"""Serves a stream; the stream is closed when it returns."""


class Trust:
    """The keys that the phone trusts, and those that wait for its user's approval."""

    def __init__(self, keys: list[bytes] | None) -> None:
        self.keys = keys
        self._dialogs: dict[asyncio.Future[None], bytes] = {}
        self._shown = asyncio.Event()

    @property
    def open(self) -> bool:
        """Whether no key is required."""
        return self.keys is None

    def knows(self, token: bytes, signature: bytes) -> bool:
        """Whether a trusted key signed `token`."""
        return any(signed_by(key, token, signature) for key in self.keys or ())

    async def ask(self, key: bytes) -> None:
        """Show the dialog, and return when the user has accepted."""
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._dialogs[answer] = key
        self._shown.set()
        try:
            await answer
        finally:
            self._dialogs.pop(answer, None)
            if not self._dialogs:
                self._shown.clear()

    async def allow(self) -> None:
        """Accept every open dialog, once there is one."""
        await self._shown.wait()
        for answer, key in self._dialogs.items():
            if self.keys is not None and not answer.done():
                self.keys.append(key)
                answer.set_result(None)


@dataclass(frozen=True, slots=True)
class Terms:
    """The phone's greeting: its banner, protocol version, and largest payload in bytes."""

    banner: bytes
    version: int = UNCHECKED_VERSION
    max_data: int = MAX_DATA


class Stream:
    """One stream; `gone` is set when the other side has closed it."""

    def __init__(self, connection: "AdbdConnection", local_id: int, remote_id: int) -> None:
        self.connection = connection
        self.local_id = local_id
        self.remote_id = remote_id
        self.gone = asyncio.Event()
        self._arrived = asyncio.Event()
        self._incoming = b""
        self._sent: asyncio.Future[None] | None = None
        self._sending = asyncio.Lock()

    async def read(self) -> bytes:
        """The next bytes as received, b"" at the end."""
        data = b""
        while not data:
            await self._arrived.wait()
            data, self._incoming = self._incoming, b""
            if self.gone.is_set():
                break
            self._arrived.clear()
            await self.connection.send(AdbFrame(b"OKAY", self.local_id, self.remote_id))
        return data

    async def write(self, data: bytes) -> None:
        """Send `data` in as many messages as it needs, and return when all are acknowledged.

        Raises:
            StreamGone: the other side does not want them any more.
        """
        size = self.connection.max_data
        async with self._sending:
            for start in range(0, len(data), size):
                if self.gone.is_set():
                    raise StreamGone
                self._sent = asyncio.get_running_loop().create_future()
                part = data[start : start + size]
                await self.connection.send(AdbFrame(b"WRTE", self.local_id, self.remote_id, part))
                await self._sent

    async def until_gone(self, waiting: Awaitable[object]) -> bool:
        """Wait for something, until the stream closes; returns whether it happened."""
        tasks = [asyncio.ensure_future(waiting), asyncio.create_task(self.gone.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        return not self.gone.is_set()

    def receive(self, data: bytes) -> None:
        """Buffer received data until it is read.

        Raises:
            BadFrame: what came before it was not answered yet.
        """
        if self.gone.is_set():
            return
        if self._arrived.is_set():
            raise BadFrame("a second message before the first was taken")
        self._incoming = data
        self._arrived.set()

    def acknowledge(self) -> None:
        """Handle the other side's acknowledgement.

        Raises:
            BadFrame: nothing was.
        """
        if self.gone.is_set():
            return
        if self._sent is None or self._sent.done():
            raise BadFrame("a message was taken that was not sent")
        self._sent.set_result(None)

    def end(self) -> None:
        """End the stream in both directions."""
        self.gone.set()
        self._arrived.set()
        if self._sent is not None and not self._sent.done():
            self._sent.set_exception(StreamGone())


@dataclass(slots=True, eq=False)
class AdbdConnection:
    """Serves one adb server until it disconnects.

    `find` gives the service of a name, or None if the phone has no such service.
    """

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    terms: Terms
    trust: Trust
    find: Callable[[str], Service | None]
    max_data: int = MAX_DATA
    _checked: bool = True
    _streams: dict[int, Stream] = field(default_factory=dict)
    _ids: "count[int]" = field(default_factory=lambda: count(1))
    _sending: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self) -> None:
        """Greet, then serve; returns when either side has closed the connection."""
        try:
            async with asyncio.TaskGroup() as group:
                with suppress(BadFrame, StreamGone, asyncio.IncompleteReadError, OSError):
                    await self._greet()
                    while True:
                        await self._handle(await self._read(), group)
                for stream in list(self._streams.values()):
                    stream.end()
                self.abort()
        finally:
            self.abort()

    async def send(self, frame: AdbFrame) -> None:
        """Send a message whole.

        Raises:
            StreamGone: the connection has ended.
        """
        await self.send_raw(frame.encode(checked=self._checked))

    async def send_raw(self, data: bytes) -> None:
        """Send bytes as they are, to violate the protocol in tests.

        Raises:
            StreamGone: the connection has ended.
        """
        async with self._sending:
            if self.writer.is_closing():
                raise StreamGone
            self.writer.write(data)
            try:
                await self.writer.drain()
            except OSError as error:
                raise StreamGone from error

    def abort(self) -> None:
        """End it now, whatever is in progress."""
        self.writer.transport.abort()

    async def _read(self) -> AdbFrame:
        return await read_frame(
            self.reader.readexactly, max_data=self.terms.max_data, checked=self._checked
        )

    async def _greet(self) -> None:
        hello = await self._read()
        if hello.word != b"CNXN" or not hello.arg1:
            raise BadFrame(f"{hello.word!r} is not a greeting")
        self.max_data = min(hello.arg1, self.terms.max_data)
        if not self.trust.open:
            await self._authenticate()
        terms = self.terms
        await self.send(AdbFrame(b"CNXN", terms.version, terms.max_data, terms.banner))
        self._checked = min(hello.arg0, terms.version) < UNCHECKED_VERSION

    async def _authenticate(self) -> None:
        while True:
            token = os.urandom(TOKEN_BYTES)
            await self.send(AdbFrame(b"AUTH", _TOKEN, 0, token))
            answer = await self._read()
            match answer:
                case AdbFrame(word=b"AUTH", arg0=2, payload=signature):
                    if self.trust.knows(token, signature):
                        return
                case AdbFrame(word=b"AUTH", arg0=3, payload=key) if is_key(key):
                    await self._wait_for_approval(key)
                    return
                case _:
                    raise BadFrame(f"{answer.word!r} is not an authentication")

    async def _wait_for_approval(self, key: bytes) -> None:
        approval = asyncio.create_task(self.trust.ask(key))
        received = asyncio.create_task(self._read())
        try:
            await asyncio.wait([approval, received], return_when=asyncio.FIRST_COMPLETED)
            if received.done():
                raise BadFrame("it went on, or away, before it was let in")
        finally:
            approval.cancel()
            received.cancel()
            await asyncio.gather(approval, received, return_exceptions=True)

    async def _handle(self, frame: AdbFrame, group: asyncio.TaskGroup) -> None:
        if frame.word == b"OPEN":
            await self._open(frame, group)
            return
        if frame.word in (b"CNXN", b"AUTH"):
            raise BadFrame(f"{frame.word!r} within a connection")
        stream = self._streams.get(frame.arg1)
        if frame.word == b"CLSE":
            if stream is not None and frame.arg0 in (0, stream.remote_id):
                stream.end()
                del self._streams[stream.local_id]
                await self._close(stream.local_id, stream.remote_id)
        elif stream is None or frame.arg0 != stream.remote_id:
            # It may not know yet that the stream is closed, so CLSE is sent again.
            await self._close(frame.arg1, frame.arg0)
        elif frame.word == b"WRTE":
            stream.receive(frame.payload)
        else:
            stream.acknowledge()

    async def _open(self, frame: AdbFrame, group: asyncio.TaskGroup) -> None:
        if not frame.arg0:
            raise BadFrame("a stream without a number")
        name = frame.payload.rstrip(b"\0").decode("utf-8", "surrogateescape")
        service = self.find(name) if len(self._streams) < _MAX_STREAMS else None
        if service is None:
            await self._close(0, frame.arg0)
            return
        stream = Stream(self, next(self._ids) & _WORD_BITS, frame.arg0)
        self._streams[stream.local_id] = stream
        await self.send(AdbFrame(b"OKAY", stream.local_id, stream.remote_id))
        group.create_task(self._serve(stream, service))

    async def _serve(self, stream: Stream, service: Service) -> None:
        try:
            with suppress(StreamGone):
                await service(stream)
            if not stream.gone.is_set():
                await self._close(stream.local_id, stream.remote_id)
        finally:
            stream.end()
            self._streams.pop(stream.local_id, None)

    async def _close(self, local_id: int, remote_id: int) -> None:
        with suppress(StreamGone):
            await self.send(AdbFrame(b"CLSE", local_id, remote_id))
