"""Checks of every request and socket before any route sees it: host, origin, headers, size.

A page of another site may make a browser send requests here. So the `Host` has to be a name of
ours (a foreign name that points to this machine is DNS rebinding), the `Origin` has to be that
host, and what changes something needs a header and a content type that a foreign page cannot send
without asking first, which is never allowed: there are no CORS headers.
"""

import asyncio
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tapwright.web.error_responses import error_response
from tapwright.web.errors import CROSS_SITE_REQUEST, PAYLOAD_TOO_LARGE, RequestError

__all__ = ["BODY_S", "MAX_BODY", "Security"]

MAX_BODY = 1_000_000
"""The size limit of a request's body, in bytes."""

BODY_S = 30.0
"""How long a client may take to send a body, in seconds."""

# What `urlsplit` would take for more: a name behind the brackets, blanks, control characters.
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[!-~]*[^\[\]:\s@][!-~]*)(?::[0-9]*)?")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        "connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'self'; "
        "form-action 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Security:
    """ASGI middleware; `hosts` as `WebConfig` has them."""

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, limited in size and with our headers on the answer, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
        except RequestError as error:
            await _refuse(error, scope, receive, send)
            return
        if scope["type"] == "http":
            receive = _limit_size(receive)
        await self._app(scope, receive, _add_headers(send))

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = _parse_host(hosts[0]) if len(hosts) == 1 else None
        if host is None or host[0] not in self._hosts:
            name = host[0] if host else ", ".join(hosts) or "none"
            raise CROSS_SITE_REQUEST(
                f"the host {name!r} is not one of this server's names",
                hint=f"to allow it: tapwright serve --allow-host {name}",
            )
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        origins = headers.getlist("origin")
        if (origins or changes) and not (
            len(origins) == 1 and _is_same_parse_host(origins[0], hosts[0])
        ):
            raise CROSS_SITE_REQUEST(
                f"the origin is {', '.join(origins) or 'missing'}; expected {hosts[0]}",
                hint="use the app's own pages; a proxy has to forward the Host header",
            )
        if changes and scope["type"] == "http":
            if headers.get("x-tapwright") != "1":
                raise CROSS_SITE_REQUEST("the header X-Tapwright: 1 is missing")
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise CROSS_SITE_REQUEST(
                    f"the content type is {kind or 'missing'}; expected application/json"
                )
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY:
            raise _too_large(length)


def _parse_host(text: str) -> tuple[str, int | None] | None:
    """The name and the port of a `Host` header; None if it is not one."""
    if _HOST.fullmatch(text) is None:
        return None
    try:
        parts = urlsplit(f"//{text}")
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or parts.path or parts.query or parts.fragment or "@" in text:
        return None
    return name.lower().removesuffix("."), port


def _is_same_parse_host(origin: str, host: str) -> bool:
    """Whether an origin is this host; its scheme is not compared, as a proxy may end TLS."""
    scheme, _, rest = origin.partition("://")
    default = {"http": 80, "https": 443}.get(scheme)
    one, other = _parse_host(rest), _parse_host(host)
    if default is None or one is None or other is None:
        return False
    return (one[0], one[1] or default) == (other[0], other[1] or default)


def _too_large(length: str) -> RequestError:
    return PAYLOAD_TOO_LARGE(f"a body of {length[:20]} bytes; at most {MAX_BODY} are accepted")


def _limit_size(receive: Receive) -> Receive:
    """Count the bytes of a body, which may be longer than its header claims, and its time."""
    received = 0
    complete = False
    until: float | None = None

    async def receive_limited() -> Message:
        nonlocal received, complete, until
        if complete:  # what is awaited now is that the client goes away
            return await receive()
        loop = asyncio.get_running_loop()
        until = until or loop.time() + BODY_S
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError as error:
            raise RequestError(f"the body was not complete within {BODY_S:.0f} s") from error
        complete = not message.get("more_body", False)
        received += len(message.get("body", b""))
        if received > MAX_BODY:
            raise _too_large(f"more than {MAX_BODY}")
        return message

    return receive_limited


def _add_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return send_with_headers


async def _refuse(error: RequestError, scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a request, or a socket before it is accepted."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": error.code})
        return
    await error_response(error)(scope, receive, _add_headers(send))
