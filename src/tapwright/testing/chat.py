"""An OpenAI-compatible chat server on this machine that answers or fails as configured."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aiohttp import web
from pydantic import JsonValue

from tapwright.testing.local_server import Fault, HttpError, LocalServer


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
