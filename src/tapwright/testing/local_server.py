"""An HTTP server on this machine for tests: in a thread of its own, with faults to order."""

import asyncio
import socket
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self, TypeAlias

from aiohttp import web
from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error status; "{key}" in the message becomes the key that came with the request.

    The `body`, if there is one, is sent in place of one with the message.
    """

    status: int
    message: str = "no"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is reset before an answer."""


@dataclass(frozen=True, slots=True)
class CutBody:
    """Half of the answer, then the connection ends."""


@dataclass(frozen=True, slots=True)
class Slow:
    """No answer for as long as the client waits."""


@dataclass(frozen=True, slots=True)
class BadBody:
    """Status 200 and this instead of an answer."""

    text: str = "<html>Bad gateway</html>"


Fault: TypeAlias = HttpError | Reset | CutBody | Slow | BadBody


class LocalServer(ABC):
    """Serves an application on 127.0.0.1, on a free port, from `with` to its end."""

    def __init__(self) -> None:
        self._stopping = asyncio.Event()
        self._ready = threading.Event()

    @property
    def url(self) -> str:
        """Where it listens: "http://127.0.0.1:4321"."""
        return f"http://127.0.0.1:{self._port}"

    @abstractmethod
    def _application(self) -> web.Application:
        """What it serves."""

    def __enter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *exception: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=0.0)
        await runner.setup()
        await web.SockSite(runner, self._socket).start()
        self._ready.set()
        await self._stopping.wait()
        await runner.cleanup()

    async def _fail(
        self, request: web.Request, fault: "Slow | BadBody | CutBody | Reset", whole: bytes
    ) -> web.StreamResponse:
        """The faults that are the same for every protocol; `whole` is what is cut in half."""
        match fault:
            case BadBody(text=text):
                return web.Response(text=text, content_type="text/html")
            case Slow():
                await self._stopping.wait()
            case CutBody():
                await _send_half(request, whole)
            case Reset():
                _reset(request)
        return web.Response()


async def _send_half(request: web.Request, data: bytes) -> None:
    response = web.StreamResponse(headers={"Content-Length": str(len(data))})
    await response.prepare(request)
    await response.write(data[: len(data) // 2])
    if request.transport is not None:
        request.transport.close()


def _reset(request: web.Request) -> None:
    transport = request.transport
    if transport is None:
        return
    # Lingering for no time makes the kernel send a reset instead of a proper end.
    linger = struct.pack("ii", 1, 0)
    with suppress(OSError):
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    transport.abort()
