"""An HTTP server on this machine for tests: in a thread of its own, with faults to order."""

import asyncio
import json
import socket
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Self, TypeAlias

from aiohttp import web
from pydantic import JsonValue

from tapwright.devices.device import Device
from tapwright.devices.pool import DevicePool, PoolSlot
from tapwright.devices.remote.server import serve_devices


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


class DeviceServer:
    """Offers devices by name on 127.0.0.1, on a free port, as `tapwright devices serve` does.

    with DeviceServer({"fake": FakeDevice}) as server, open_remote(server.url("fake")) as far:
        far.observe()
    """

    def __init__(
        self,
        openers: Mapping[str, Callable[[], Device]],
        *,
        token: str = "",
        heartbeat_s: float = 10.0,
        limit_s: float = 60.0,
    ) -> None:
        self._openers = openers
        self._token = token
        self._heartbeat_s = heartbeat_s
        self._limit_s = limit_s
        self._started: Future[int] = Future()
        self._thread = Thread(target=lambda: asyncio.run(self._run()), name="device-server")

    def url(self, place: str = "") -> str:
        """The address of a place, or of any: what `open_remote` takes."""
        return f"ws://127.0.0.1:{self._port}/{place}".rstrip("/")

    def status(self) -> Sequence[PoolSlot]:
        """How each place is."""
        return self._pool.status()

    def __enter__(self) -> Self:
        self._thread.start()
        self._port = self._started.result()
        return self

    def __exit__(self, *exception: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    async def _run(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        with DevicePool.of(self._openers, limit_s=self._limit_s) as self._pool:
            async with serve_devices(
                self._pool, token=self._token, heartbeat_s=self._heartbeat_s, limit_s=self._limit_s
            ) as port:
                self._started.set_result(port)
                await self._stopping.wait()


@dataclass(frozen=True, slots=True)
class Received:
    """One request as the server got it; header names in lower case."""

    headers: Mapping[str, str]
    body: Mapping[str, JsonValue]


class FakeChatServer(LocalServer):
    """An OpenAI-compatible chat server on this machine, on a free port, in a thread of its own.

    It gives its `answers` in order, a text or a fault each, the last one for ever; or what a
    function makes of the request's body. What it got is kept in `received`.

        with FakeChatServer(["hello"]) as server:
            OpenAIModel("any", base_url=server.base_url)
    """

    def __init__(
        self, answers: Sequence[str | Fault] | Callable[[Mapping[str, JsonValue]], str | Fault]
    ) -> None:
        super().__init__()
        self.received: list[Received] = []
        self._answers = answers

    @property
    def base_url(self) -> str:
        """Where it listens, as `OpenAIModel` takes it."""
        return f"{self.url}/v1"

    def _application(self) -> web.Application:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/chat/completions", self._complete)
        return app

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.received.append(Received(headers, body))
        if callable(self._answers):
            answer = self._answers(body)
        else:
            answer = self._answers[min(len(self.received), len(self._answers)) - 1]
        match answer:
            case str():
                return web.json_response(_completion(body, answer))
            case HttpError(status=status, headers=more, body=dict() as error):
                return web.json_response(error, status=status, headers=more)
            case HttpError(status=status, message=message, headers=more):
                key = headers.get("authorization", "").removeprefix("Bearer ")
                error = {"error": {"message": message.replace("{key}", key), "type": "fake"}}
                return web.json_response(error, status=status, headers=more)
            case _:
                whole = json.dumps(_completion(body, "half of this")).encode()
                return await self._fail(request, answer, whole)


def _completion(body: Mapping[str, JsonValue], text: str) -> dict[str, JsonValue]:
    words = len(json.dumps(body.get("messages"), ensure_ascii=False).split())
    said = len(text.split())
    return {
        "id": "fake",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model"),
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": words, "completion_tokens": said, "total_tokens": words + said},
    }
