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
