"""Authentication and authorization: who sends a request, and which roles they have.

A person signs in with a token once and has a cookie from then on; scripts of the page never see
it, and other sites' pages cannot make a browser send it.
"""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import Scope

from tapwright.files.peers import is_users
from tapwright.web.errors import ForbiddenError, UnauthenticatedError

__all__ = [
    "SESSION_COOKIE", "SESSION_S", "Authenticator", "LocalAuthenticator", "RequiredRole", "Role",
    "TokenAuthenticator", "User", "authorize", "current_user", "roles_in", "roles_of", "token_hash",
]  # fmt: skip

Role: TypeAlias = Literal["annotator", "reviewer", "admin"]
RequiredRole: TypeAlias = Role | Literal["anyone"]

SESSION_S = 14 * 24 * 3600.0
"""How long a cookie is valid, in seconds."""

_ROLES: tuple[Role, ...] = ("annotator", "reviewer", "admin")
SESSION_COOKIE = "tapwright"
_USER = "tapwright.user"


def roles_of(role: Role) -> frozenset[Role]:
    """All roles that this one includes: a reviewer records too, an admin does everything."""
    return frozenset(_ROLES[: _ROLES.index(role) + 1])


@dataclass(frozen=True, slots=True)
class User:
    """Who sends a request, and their roles."""

    name: str
    roles: frozenset[Role]


LOCAL = User("local", roles_of("admin"))
"""The user at the machine, when there are no accounts."""


class Authenticator(Protocol):
    """Checks tokens and cookies. Its calls may block for a moment."""

    @property
    def requires_login(self) -> bool:
        """Whether users have to sign in at all."""

    def find_user(self, cookie: str) -> User | None:
        """The user with this cookie; None when it has expired or was not issued here."""

    def sign_in(self, token: str) -> str:
        """The value of a new cookie for the user with this token.

        Raises:
            UnauthenticatedError: no user has it.
        """

    def sign_out(self, cookie: str) -> None:
        """Invalidate a cookie; an unknown one is ignored."""


class LocalAuthenticator:
    """No accounts: every user is at this machine, and may do everything."""

    requires_login = False

    def find_user(self, cookie: str) -> User | None:
        """Always the local user."""
        return LOCAL

    def sign_in(self, token: str) -> str:
        """An empty cookie, which is never checked."""
        return ""

    def sign_out(self, cookie: str) -> None:
        """Does nothing."""


class TokenAuthenticator:
    """One token for the one person who uses the app; they may do everything.

    A cookie holds its time of expiry and is signed with the token, so that it outlives the server
    and becomes invalid when the token is changed. `sign_in` raises UnauthenticatedError for another
    token. With `admits_own` a connection of the user who started the server needs no cookie.
    """

    requires_login = True

    def __init__(
        self, token: str, clock: Callable[[], float] = time.time, *, admits_own: bool = False
    ) -> None:
        self._hash = token_hash(token)
        self._clock = clock
        self.admits_own = admits_own

    def find_user(self, cookie: str) -> User | None:
        """The one user, if the cookie is signed with this token and has not expired."""
        payload, _, signature = cookie.rpartition(".")
        expires = payload.partition(".")[0]
        if not hmac.compare_digest(signature.encode(), self._sign(payload).encode()):
            return None
        return LOCAL if float(expires) > self._clock() else None

    def sign_in(self, token: str) -> str:
        """A signed cookie, if this is the token."""
        if not hmac.compare_digest(token_hash(token), self._hash):
            raise UnauthenticatedError(
                "this is not the token",
                hint="it is in the address that the server printed, or in its token file",
            )
        payload = f"{int(self._clock() + SESSION_S)}.{secrets.token_hex(8)}"
        return f"{payload}.{self._sign(payload)}"

    def sign_out(self, cookie: str) -> None:
        """The browser deletes the cookie; the server keeps none."""

    def _sign(self, payload: str) -> str:
        return hmac.new(self._hash.encode(), payload.encode(), "sha256").hexdigest()


def token_hash(token: str) -> str:
    """The hash that is stored. A token is random and long, so a plain SHA-256 reveals nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def current_user(connection: HTTPConnection) -> User:
    """The user who sends a request, in the handler of an `ApiRoute` or a `SocketRoute`.

    Raises:
        UnauthenticatedError: nobody has signed in, on a route for anyone.
    """
    found = connection.scope.get(_USER)
    if not isinstance(found, User):
        raise UnauthenticatedError("nobody has signed in", hint="sign in with your token")
    return found


def roles_in(connection: HTTPConnection) -> frozenset[Role]:
    """The roles of the user of a request; none when nobody has signed in."""
    found = connection.scope.get(_USER)
    return found.roles if isinstance(found, User) else frozenset()


async def authorize(scope: Scope, role: RequiredRole) -> None:
    """Find the user of a request, and check that they have a role.

    Raises:
        UnauthenticatedError: nobody has signed in.
        ForbiddenError: the user has not this role.
    """
    connection = HTTPConnection(scope)
    authenticator: Authenticator = connection.app.state.authenticator
    cookie = session_cookie(connection)
    if isinstance(authenticator, TokenAuthenticator):  # which reads nothing
        found = authenticator.find_user(cookie)
        if found is None and authenticator.admits_own and await _is_own(connection):
            found = LOCAL
    else:
        found = await asyncio.to_thread(authenticator.find_user, cookie)
    if found is not None:
        scope[_USER] = found
    if role == "anyone":
        return
    if found is None:
        raise UnauthenticatedError("nobody has signed in", hint="sign in with your token")
    if role not in found.roles:
        raise ForbiddenError(
            f"{found.name} does not have the role {role}, which this requires",
            hint="an admin can change a role: tapwright team role NAME ROLE",
            values={"role": role},
        )


async def _is_own(connection: HTTPConnection) -> bool:
    """Whether it comes straight from a program of the user who started the server."""
    if "x-forwarded-for" in connection.headers:  # whose request a proxy passes on, it alone knows
        return False
    ends = connection.scope.get("client"), connection.scope.get("server")
    return bool(await asyncio.to_thread(is_users, *ends))


def session_cookie(connection: HTTPConnection) -> str:
    """The value of the cookie that a request carries, or ""."""
    return connection.cookies.get(_cookie_name(connection), "")


def _cookie_name(connection: HTTPConnection) -> str:
    """Its name: browsers send the cookies of one host to the servers of all its ports.

    The port is that of the address that the browser asked, which a proxy's servers share.
    """
    port = connection.url.port
    return SESSION_COOKIE if port is None else f"{SESSION_COOKIE}-{port}"


def set_session_cookie(request: Request, response: Response, value: str) -> None:
    """Set the browser's cookie, or delete it with ""; over TLS it is set for TLS only."""
    attributes: dict[str, Any] = {
        "path": request.app.state.base_path or "/",
        "secure": request.url.scheme == "https",
        "httponly": True,
        "samesite": "strict",
    }
    name = _cookie_name(request)
    if value:
        response.set_cookie(name, value, max_age=int(SESSION_S), **attributes)
    else:
        response.delete_cookie(name, **attributes)
