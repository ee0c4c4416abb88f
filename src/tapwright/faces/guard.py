"""Who is let in to a server of a face: who has the token, and no page of another host.

A page that a browser shows may send requests to this machine; browsers say with each which page it
was (`Origin`), and which name they looked up (`Host`).
"""

from collections.abc import Collection
from hmac import compare_digest
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["refuse_strangers", "require_token"]


def require_token(app: ASGIApp, token: str) -> ASGIApp:
    """The app for requests with `Authorization: Bearer TOKEN`; for all where the token is ""."""
    if not token:
        return app
    wanted = f"Bearer {token}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        given = Headers(scope=scope).get("authorization", "") if _is_request(scope) else ""
        if not _is_request(scope) or compare_digest(given.encode("latin-1", "replace"), wanted):
            await app(scope, receive, send)
            return
        told = "the token is missing or wrong; send it as Authorization: Bearer TOKEN\n"
        await _refuse(scope, receive, send, 401, told)

    return guarded


def refuse_strangers(app: ASGIApp, hosts: Collection[str]) -> ASGIApp:
    """The app for requests to one of the `hosts` ("127.0.0.1:8000"), from no page of another."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if _is_request(scope):
            headers = Headers(scope=scope)
            origin = headers.get("origin")
            if headers.get("host") not in hosts:
                await _refuse(scope, receive, send, 421, "this server has another name\n")
                return
            if origin is not None and urlsplit(origin).netloc not in hosts:
                await _refuse(scope, receive, send, 403, "pages of other hosts are refused\n")
                return
        await app(scope, receive, send)

    return guarded


def _is_request(scope: Scope) -> bool:
    return scope["type"] in ("http", "websocket")


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, told: str) -> None:
    if scope["type"] == "websocket":  # before it is accepted, this is answered with status 403
        await send({"type": "websocket.close", "code": 1008, "reason": told.strip()})
        return
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    await PlainTextResponse(told, status_code=status, headers=headers)(scope, receive, send)
