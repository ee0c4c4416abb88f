"""What every request and socket has to pass before anything looks at it.

A page of another site may make a browser send requests here. So the `Host` has to be a name of
ours (a foreign name that points to this machine is DNS rebinding), the `Origin` has to be that
host, and what changes something needs a header and a content type that a foreign page cannot send
without asking first, which is never allowed: there are no CORS headers.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tapwright.web.errors import CrossSiteRequestError, PayloadTooLargeError, RequestError
from tapwright.web.failures import failure_of, status_of

__all__ = ["MAX_BODY", "Security"]

MAX_BODY = 1_000_000
"""The most bytes that the body of a request may have."""

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
        """Pass a request on, bounded and with our headers on the answer, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
        except RequestError as error:
            await _refuse(error, scope, receive, send)
            return
        if scope["type"] == "http":
            receive = _bounded(receive)
        await self._app(scope, receive, _with_headers(send))

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = _host(hosts[0]) if len(hosts) == 1 else None
        if host is None or host[0] not in self._hosts:
            told = host[0] if host else ", ".join(hosts) or "none"
            raise CrossSiteRequestError(
                f"this server is not reached by the name {told!r}",
                hint=f"tapwright serve --allow-host {told}, if it is to be",
            )
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        origins = headers.getlist("origin")
        if (origins or changes) and not (len(origins) == 1 and _is_of(origins[0], hosts[0])):
            raise CrossSiteRequestError(
                f"came from {', '.join(origins) or 'no origin'}, and not from {hosts[0]}",
                hint="use the app's own pages; behind a proxy, let it pass the Host header on",
            )
        if changes and scope["type"] == "http":
            if headers.get("x-tapwright") != "1":
                raise CrossSiteRequestError("lacks the header X-Tapwright: 1")
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise CrossSiteRequestError(f"is {kind or 'untyped'}; expected application/json")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY:
            raise _too_large(length)


def _host(text: str) -> tuple[str, int | None] | None:
    """The name and the port of a `Host` header; None if it is not one."""
    try:
        parts = urlsplit(f"//{text}")
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or parts.path or parts.query or parts.fragment or "@" in text:
        return None
    return name.lower().removesuffix("."), port


def _is_of(origin: str, host: str) -> bool:
    """Whether an origin is the page of this host; which scheme it has, a proxy knows alone."""
    scheme, _, rest = origin.partition("://")
    default = {"http": 80, "https": 443}.get(scheme)
    one, other = _host(rest), _host(host)
    if default is None or one is None or other is None:
        return False
    return (one[0], one[1] or default) == (other[0], other[1] or default)


def _too_large(length: str) -> PayloadTooLargeError:
    return PayloadTooLargeError(f"a body of {length[:20]} bytes; at most {MAX_BODY} are taken")


def _bounded(receive: Receive) -> Receive:
    """Count what comes in; a body that was told to be short, or not at all, may be long."""
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BODY:
            raise _too_large(f"more than {MAX_BODY}")
        return message

    return counted


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending


async def _refuse(error: RequestError, scope: Scope, receive: Receive, send: Send) -> None:
    """Say no: to a socket before it is accepted, which browsers see as a failure to connect."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": error.code})
        return
    response = JSONResponse(failure_of(error), status_of(error))
    await response(scope, receive, _with_headers(send))
