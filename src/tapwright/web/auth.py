"""Who asks, and what they may do: the door that a web app stands behind, and roles on its routes.

Every route of the API is an `ApiRoute` or a `SocketRoute` and says which role it needs, so that
none is open by mistake. A person signs in with a token once and has a cookie from then on; scripts
of the page never see it, and other sites' pages cannot make a browser send it.
"""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from tapwright.web.errors import DatabaseError, ForbiddenError, UnauthenticatedError

__all__ = [
    "SESSION_S",
    "ApiRoute",
    "Door",
    "OpenDoor",
    "Role",
    "SocketRoute",
    "TokenDoor",
    "User",
    "roles_of",
    "token_hash",
    "user",
]

Role: TypeAlias = Literal["annotator", "reviewer", "admin"]
Needed: TypeAlias = Role | Literal["anyone"]

SESSION_S = 14 * 24 * 3600.0
"""How long a cookie is good for, in seconds."""

_LADDER: tuple[Role, ...] = ("annotator", "reviewer", "admin")
_COOKIE = "tapwright"
_USER = "tapwright.user"


def roles_of(role: Role) -> frozenset[Role]:
    """What someone of this role may act as: a reviewer records too, an admin does everything."""
    return frozenset(_LADDER[: _LADDER.index(role) + 1])


@dataclass(frozen=True, slots=True)
class User:
    """Who asks, and as what they may act."""

    name: str
    roles: frozenset[Role]


LOCAL = User("local", roles_of("admin"))
"""Whoever sits at the machine, when there are no accounts."""


class Door(Protocol):
    """Knows people by the cookie that it gave them. Its calls may block for a moment."""

    @property
    def closed(self) -> bool:
        """Whether one has to sign in at all."""

    def user_of(self, cookie: str) -> User | None:
        """Who has this cookie; None when it is not, or no longer, one of ours."""

    def sign_in(self, token: str) -> str:
        """The value of a cookie for who has this token.

        Raises:
            UnauthenticatedError: nobody has it.
        """

    def sign_out(self, cookie: str) -> None:
        """Forget a cookie; one that is not ours is nothing to forget."""


class OpenDoor:
    """No accounts: whoever reaches the server is at this machine, and may do everything."""

    closed = False

    def user_of(self, cookie: str) -> User | None:
        """Always the one who sits here."""
        return LOCAL

    def sign_in(self, token: str) -> str:
        """A cookie that nobody looks at."""
        return ""

    def sign_out(self, cookie: str) -> None:
        """Nothing to forget."""


class TokenDoor:
    """One token for the one person who uses the app from elsewhere; they may do everything.

    A cookie says until when it is good and is signed with the token, so that it outlives the
    server and ends when the token is changed.
    """

    closed = True

    def __init__(self, token: str, clock: Callable[[], float] = time.time) -> None:
        self._hash = token_hash(token)
        self._clock = clock

    def user_of(self, cookie: str) -> User | None:
        """The one person, if the cookie is signed with this token and still good."""
        told, _, signature = cookie.rpartition(".")
        until = told.partition(".")[0]
        if not hmac.compare_digest(signature.encode(), self._sign(told).encode()):
            return None
        return LOCAL if float(until) > self._clock() else None

    def sign_in(self, token: str) -> str:
        """A signed cookie, if this is the token."""
        if not hmac.compare_digest(token_hash(token), self._hash):
            raise UnauthenticatedError(
                "this is not the token", hint="it is in the server's token file"
            )
        told = f"{int(self._clock() + SESSION_S)}.{secrets.token_hex(8)}"
        return f"{told}.{self._sign(told)}"

    def sign_out(self, cookie: str) -> None:
        """The browser forgets the cookie; there is nothing else to forget."""

    def _sign(self, told: str) -> str:
        return hmac.new(self._hash.encode(), told.encode(), "sha256").hexdigest()


def token_hash(token: str) -> str:
    """What is kept of a token. It is random and long, so that a plain SHA-256 tells nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def user(connection: HTTPConnection) -> User:
    """Who asks, in the handler of an `ApiRoute` or a `SocketRoute`.

    Raises:
        UnauthenticatedError: nobody has signed in, where anyone may ask.
    """
    found = connection.scope.get(_USER)
    if not isinstance(found, User):
        raise UnauthenticatedError("nobody has signed in", hint="sign in with your token")
    return found


class ApiRoute(Route):
    """A route of the API, and the role that it needs."""

    def __init__(
        self,
        path: str,
        endpoint: Callable[[Request], Awaitable[Response] | Response],
        *,
        role: Needed,
        methods: tuple[str, ...] = ("GET",),
    ) -> None:
        super().__init__(path, endpoint, methods=list(methods), include_in_schema=False)
        self.role = role

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask who it is, and go on if they may."""
        await _let_in(scope, self.role)
        await super().handle(scope, receive, send)


class SocketRoute(WebSocketRoute):
    """A WebSocket of the API, and the role that it needs; refused before it is accepted.

    Every `again_s` seconds it is asked again who it is, so that an open one ends when they may no
    longer.
    """

    def __init__(
        self,
        path: str,
        endpoint: Callable[[WebSocket], Awaitable[None]],
        *,
        role: Needed,
        again_s: float = 30.0,
    ) -> None:
        super().__init__(path, endpoint)
        self.role = role
        self._again_s = again_s

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask who it is, and go on for as long as they may."""
        await _let_in(scope, self.role)
        asking = asyncio.create_task(self._ask_again(scope, send))
        try:
            await super().handle(scope, receive, send)
        finally:
            asking.cancel()

    async def _ask_again(self, scope: Scope, send: Send) -> None:
        while True:
            await asyncio.sleep(self._again_s)
            try:
                await _let_in(scope, self.role)
            except (UnauthenticatedError, ForbiddenError) as error:
                await send({"type": "websocket.close", "code": 1008, "reason": error.code})
                return
            except DatabaseError:
                continue  # what is recorded meanwhile is not to be lost


async def _let_in(scope: Scope, role: Needed) -> None:
    connection = HTTPConnection(scope)
    door: Door = connection.app.state.door
    who = await asyncio.to_thread(door.user_of, session_cookie(connection))
    if who is not None:
        scope[_USER] = who
    if role == "anyone":
        return
    if who is None:
        raise UnauthenticatedError("nobody has signed in", hint="sign in with your token")
    if role not in who.roles:
        raise ForbiddenError(
            f"{who.name} may not do this; it takes the role {role}",
            hint="an admin can change a role: tapwright team add NAME --role ROLE",
        )


def session_cookie(connection: HTTPConnection) -> str:
    """The value of the cookie that a request carries, or ""."""
    return connection.cookies.get(_COOKIE, "")


def set_session_cookie(request: Request, response: Response, value: str) -> None:
    """Give the browser a cookie, or take it back with ""; over TLS it never travels without."""
    attributes: dict[str, Any] = {
        "path": request.app.state.base_path or "/",
        "secure": request.url.scheme == "https",
        "httponly": True,
        "samesite": "strict",
    }
    if value:
        response.set_cookie(_COOKIE, value, max_age=int(SESSION_S), **attributes)
    else:
        response.delete_cookie(_COOKIE, **attributes)
