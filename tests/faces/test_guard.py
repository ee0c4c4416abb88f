"""What a server of a face lets in: whole bodies of JSON, in their size and time."""

import asyncio
from collections.abc import Sequence

import pytest
from starlette.types import Message, Receive, Scope, Send

from tapwright.faces.guard import MAX_BODY, limit_bodies


def ask(parts: Sequence[bytes | None]) -> tuple[int, bytes]:
    """The status for a body that comes in these parts, and what the app got; None is a wait."""
    sent: list[Message] = []
    got = bytearray()
    left = list(parts)

    async def receive() -> Message:
        part = left.pop(0)
        if part is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        got.extend((await receive())["body"])
        await send({"type": "http.response.start", "status": 200})

    scope: Scope = {"type": "http", "headers": []}

    async def main() -> None:
        await limit_bodies(app, within_s=0.05)(scope, receive, send)

    asyncio.run(main())
    return sent[0]["status"], bytes(got)


def test_a_body_comes_through_as_it_was() -> None:
    assert ask([b'{"a": ', b"[1]}"]) == (200, b'{"a": [1]}')
    assert ask([b""]) == (200, b"")


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([b"[" * 100_000], 400), ([b"9" * 100_000], 400), ([b"NaN"], 400), ([b"[1e999]"], 400),
        ([b"\xff"], 400), ([b'"\\ud800"'], 400), ([b"{", None], 408),
        ([b"x" * MAX_BODY, b"x"], 413), ([b"x" * 70_000] * 1_000, 413),
    ],
)  # fmt: skip
def test_no_other_body_reaches_the_app(parts: list[bytes | None], status: int) -> None:
    assert ask(parts) == (status, b"")


def test_an_id_that_is_under_way_in_its_session_is_refused() -> None:
    """The SDK of MCP keeps one answer for an id: who else waits for it waits for ever."""
    statuses: list[tuple[str, int]] = []
    goes_on = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await goes_on.wait()
        await send({"type": "http.response.start", "status": 200})

    door = limit_bodies(app)

    async def call(name: str, session: bytes, id_: bytes) -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": b'{"method": "x", "id": %s}' % id_}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append((name, message["status"]))

        headers = [(b"mcp-session-id", session)] if session else []
        await door({"type": "http", "headers": headers}, receive, send)

    async def main() -> None:
        first = asyncio.gather(
            call("first", b"a", b"7"), call("other", b"b", b"7"),
            call("none", b"", b"7"), call("none", b"", b"7"),
        )  # fmt: skip
        await asyncio.sleep(0)
        async with asyncio.timeout(5):
            await call("again", b"a", b"7")
            await call("text", b"a", b'"7"')
        goes_on.set()
        await first
        await call("later", b"a", b"7")

    asyncio.run(main())
    assert statuses == [
        ("again", 400), ("text", 400), ("first", 200), ("other", 200), ("none", 200),
        ("none", 200), ("later", 200),
    ]  # fmt: skip
