"""What servers of the faces ask for before they listen."""

import asyncio
from contextlib import closing
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from tapwright.cli.listening import Door, listen_guarded


@pytest.mark.parametrize(
    ("host", "status"),
    [("lab.test", 200), ("localhost:9000", 200), ("localhost", 421), ("evil.test", 421)],
)
def test_behind_a_proxy_it_answers_to_the_names_that_were_allowed(host: str, status: int) -> None:
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    door = Door("127.0.0.1", 0, ("lab.test", "localhost:9000"), None)
    listening = listen_guarded(app, door, "")
    guarded: Any = listening.server.config.app
    with closing(listening.socket):
        scope: Scope = {"type": "http", "headers": [(b"host", host.encode())]}
        asyncio.run(guarded(scope, receive, send))
    assert sent[0]["status"] == status
