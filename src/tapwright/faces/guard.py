"""Who is let in to a server of a face: who has the token, and no page of another host.

A page that a browser shows may send requests to this machine; browsers say with each which page it
was (`Origin`), and which name they looked up (`Host`). What a body holds is looked at before the
libraries read it: they take hundreds of megabytes, at any depth, and wait for ever.
"""

import asyncio
import json
from collections.abc import Collection
from contextlib import suppress
from hmac import compare_digest

from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tapwright.files.peers import is_users

__all__ = ["MAX_BODY", "limit_bodies", "outlive_clients", "refuse_strangers", "require_token"]

MAX_BODY = 1 << 20
"""The size limit of a request's body, and of a socket's message, in bytes."""


def require_token(app: ASGIApp, token: str) -> ASGIApp:
    """The app for requests with `Authorization: Bearer TOKEN`.

    Without a token it is for programs of the user who started it, where the system tells whose a
    connection is.
    """
    wanted = f"Bearer {token}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        told = ""
        if token and _is_request(scope):
            given = Headers(scope=scope).get("authorization", "")
            if not compare_digest(given.encode("latin-1", "replace"), wanted):
                told = "the token is missing or wrong; send it as Authorization: Bearer TOKEN\n"
        elif _is_request(scope):
            ends = scope.get("client"), scope.get("server")
            if await asyncio.to_thread(is_users, *ends) is False:
                told = (
                    "this server is for programs of its user; start it with TAPWRIGHT_TOKEN set\n"
                )
        if told:
            await _refuse(scope, receive, send, 401, told)
        else:
            await app(scope, receive, send)

    return guarded


def refuse_strangers(app: ASGIApp, hosts: Collection[str]) -> ASGIApp:
    """The app for requests to one of the `hosts` ("127.0.0.1:8000"), from no page of another."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if _is_request(scope):
            headers = Headers(scope=scope)
            if (named := headers.getlist("host"))[1:] or not {*named} & {*hosts}:
                await _refuse(scope, receive, send, 421, "this server has another name\n")
                return
            if not {*headers.getlist("origin")} <= {*origins}:
                await _refuse(scope, receive, send, 403, "pages of other hosts are refused\n")
                return
        await app(scope, receive, send)

    origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    return guarded


def limit_bodies(app: ASGIApp, *, within_s: float = 30.0) -> ASGIApp:
    """The app for requests whose whole body is JSON of at most `MAX_BODY` bytes, or empty.

    A client has `within_s` seconds to send it. Of JSON-RPC, no request has the id of another that
    is under way in its session: the SDK of MCP would leave one of both without an answer.
    """
    under_way: set[tuple[str, str]] = set()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                async with asyncio.timeout(within_s):
                    body = await _read_body(receive)
            except TimeoutError:
                told = f"the body was not complete within {within_s:.0f} s\n"
                await _refuse(scope, receive, send, 408, told)
                return
            if body is None:  # the client is gone
                return
            if len(body) > MAX_BODY:
                told = f"the body is longer than {MAX_BODY} bytes\n"
                await _refuse(scope, receive, send, 413, told)
                return
            try:
                said = from_json(body or b"null")
                json.dumps(said, allow_nan=False)
            except ValueError as error:
                await _refuse(scope, receive, send, 400, f"the body is no JSON: {error}\n")
                return
            receive = _first(body, receive)
            request = _request_of(scope, said)
            if request in under_way:
                told = f"a request with the id {request[1]} is under way in this session\n"
                await _refuse(scope, receive, send, 400, told)
                return
            if request is not None:
                under_way.add(request)
                try:
                    await app(scope, receive, send)
                finally:
                    under_way.discard(request)
                return
        await app(scope, receive, send)

    return guarded


def outlive_clients(app: ASGIApp) -> ASGIApp:
    """The app, for which a socket whose client is gone takes what is sent, and says so when read.

    Libraries that answer one after another fail at it else, in seventy lines of a log.
    """

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_if_there(message: Message) -> None:
            with suppress(OSError):  # so by ASGI's specification, and by uvicorn
                await send(message)

        await app(scope, receive, send_if_there if scope["type"] == "websocket" else send)

    return guarded


def _request_of(scope: Scope, said: object) -> tuple[str, str] | None:
    """The session and the id of a request of JSON-RPC; None of what is none, or in no session."""
    session = Headers(scope=scope).get("mcp-session-id", "")
    if not (session and isinstance(said, dict) and "method" in said and "id" in said):
        return None
    return session, str(said["id"])  # for the SDK, 7 and "7" are one


async def _read_body(receive: Receive) -> bytes | None:
    """A request's body, of one that is too long its beginning; None from a client that is gone."""
    body = bytearray()
    while len(body) <= MAX_BODY:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(body)


def _first(body: bytes, receive: Receive) -> Receive:
    """What gives a whole body, then what is received after it."""
    left = [body]

    async def receive_again() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop()}
        return await receive()

    return receive_again


def _is_request(scope: Scope) -> bool:
    return scope["type"] in ("http", "websocket")


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, told: str) -> None:
    if scope["type"] == "websocket":  # before it is accepted, this is answered with status 403
        await send({"type": "websocket.close", "code": 1008, "reason": told.strip()})
        return
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    await PlainTextResponse(told, status_code=status, headers=headers)(scope, receive, send)
