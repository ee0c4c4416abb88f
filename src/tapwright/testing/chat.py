"""An OpenAI-compatible chat server on this machine that answers or fails as configured."""

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self, TypeAlias

from aiohttp import web
from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error status; "{key}" in the message becomes the key that came with the request."""

    status: int
    message: str = "no"
    headers: Mapping[str, str] = field(default_factory=dict)


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
    """Status 200 and this instead of a completion."""

    text: str = "<html>Bad gateway</html>"


Fault: TypeAlias = HttpError | Reset | CutBody | Slow | BadBody


@dataclass(frozen=True, slots=True)
class Received:
    """One request as the server got it; header names in lower case."""

    headers: Mapping[str, str]
    body: Mapping[str, JsonValue]


class FakeChatServer:
    """An OpenAI-compatible chat server on this machine, on a free port, in a thread of its own.

    It gives its `answers` in order, a text or a fault each, the last one for ever; or what a
    function makes of the request's body. What it got is kept in `received`.

        with FakeChatServer(["hello"]) as server:
            OpenAIModel("any", base_url=server.base_url)
    """

    def __init__(
        self, answers: Sequence[str | Fault] | Callable[[Mapping[str, JsonValue]], str | Fault]
    ) -> None:
        self.received: list[Received] = []
        self._answers = answers
        self._stopping = asyncio.Event()
        self._ready = threading.Event()

    @property
    def base_url(self) -> str:
        """Where it listens, as `OpenAIModel` takes it."""
        return f"http://127.0.0.1:{self._port}/v1"

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
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/chat/completions", self._complete)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.0)
        await runner.setup()
        await web.SockSite(runner, self._socket).start()
        self._ready.set()
        await self._stopping.wait()
        await runner.cleanup()

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
            case BadBody(text=text):
                return web.Response(text=text, content_type="text/html")
            case HttpError(status=status, message=message, headers=more):
                key = headers.get("authorization", "").removeprefix("Bearer ")
                error = {"error": {"message": message.replace("{key}", key), "type": "fake"}}
                return web.json_response(error, status=status, headers=more)
            case Slow():
                await self._stopping.wait()
            case CutBody():
                await _send_half(request, json.dumps(_completion(body, "half of this")).encode())
            case Reset():
                _reset(request)
        return web.Response()


def _completion(body: Mapping[str, JsonValue], text: str) -> dict[str, JsonValue]:
    words = len(json.dumps(body.get("messages"), ensure_ascii=False).split())
    return {
        "id": "fake",
        "object": "chat.completion",
        "model": body.get("model"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": words, "completion_tokens": len(text.split())},
    }


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
