"""Lets only requests in that carry the token, as `Authorization: Bearer TOKEN`."""

from hmac import compare_digest

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["require_token"]


def require_token(app: ASGIApp, token: str) -> ASGIApp:
    """The app behind a token; the app itself where the token is ""."""
    if not token:
        return app
    wanted = f"Bearer {token}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        given = Headers(scope=scope).get("authorization", "").encode("latin-1", "replace")
        if compare_digest(given, wanted):
            await app(scope, receive, send)
            return
        refusal = PlainTextResponse(
            "the token is missing or wrong; send it as Authorization: Bearer TOKEN\n",
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
        await refusal(scope, receive, send)

    return guarded
