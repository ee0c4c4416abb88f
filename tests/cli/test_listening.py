"""What servers of the faces ask for before they listen."""

import asyncio
from contextlib import closing
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from tapwright.cli.listening import Door, listen_guarded, require_version
from tapwright.errors import UsageError


def test_a_library_of_another_version_is_refused_with_the_way_out() -> None:
    require_version("click", "8", "99")
    require_version("no-such-package", "1", "2")  # importing it says which extra brings it
    with pytest.raises(UsageError, match=r"the package click is .*; expected 98 or newer") as told:
        require_version("click", "98", "99")
    assert told.value.hint == "pip install 'click>=98,<99'"


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
