"""Routes to sign in, to sign out, and to read who is signed in.

Attempts are counted per client address, each before its token is looked at; a client that makes
too many has to wait. A right token is not counted.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from tapwright.web import auth
from tapwright.web.api import ApiRoute, Body, EmptyResponse
from tapwright.web.config import WebConfig
from tapwright.web.errors import LoginRateLimitError, UnauthenticatedError

__all__ = ["LoginLimiter", "SignIn", "routes"]

_MAX_ATTEMPTS = 10
_WINDOW_S = 60.0
_MAX_ADDRESSES = 10_000


class LoginLimiter:
    """Counts attempts of the last minute by client address; after ten, one has to wait."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._attempts: OrderedDict[str, deque[float]] = OrderedDict()

    def begin(self, address: str) -> float:
        """Count an attempt; the least recently used addresses are dropped first.

        Returns:
            The attempt, for `forgive`: when it was, in seconds of a clock that never goes back.

        Raises:
            LoginRateLimitError: the client has to wait.
        """
        now = self._clock()
        attempts = self._attempts.setdefault(address, deque())
        self._attempts.move_to_end(address)
        while len(self._attempts) > _MAX_ADDRESSES:
            self._attempts.popitem(last=False)
        while attempts and attempts[0] <= now - _WINDOW_S:
            attempts.popleft()
        if len(attempts) >= _MAX_ATTEMPTS:
            wait_s = attempts[0] + _WINDOW_S - now
            raise LoginRateLimitError(
                f"{len(attempts)} attempts to sign in within a minute",
                hint=f"wait {wait_s:.0f} s",
                values={"seconds": round(wait_s)},
            )
        attempts.append(now)
        return now

    def forgive(self, address: str, attempt: float) -> None:
        """Do not count an attempt whose token was right."""
        attempts = self._attempts.get(address, deque())
        if attempt in attempts:
            attempts.remove(attempt)


class SignIn:
    """Signs people in, by the page for it or by an address that has the token."""

    def __init__(self, authenticator: auth.Authenticator) -> None:
        self._authenticator = authenticator
        self._limiter = LoginLimiter()

    async def cookie(self, request: Request, token: str) -> str:
        """The value of a new cookie for who has this token.

        Raises:
            UnauthenticatedError: nobody has it.
            LoginRateLimitError: the client has to wait.
        """
        address = request.client.host if request.client else ""
        attempt = self._limiter.begin(address)
        cookie = await asyncio.to_thread(self._authenticator.sign_in, token.strip())
        self._limiter.forgive(address, attempt)
        return cookie

    async def by_address(self, request: Request) -> Response | None:
        """The way on to the same address without its `token`, signed in if it was right.

        None where the address has none; a team's members sign in on the page alone.

        Raises:
            LoginRateLimitError: the client has to wait.
        """
        token = request.query_params.get("token", "")
        if not token or not isinstance(self._authenticator, auth.TokenAuthenticator):
            return None
        response = RedirectResponse(str(request.url.remove_query_params("token")), 303)
        with suppress(UnauthenticatedError):  # the page asks for it
            auth.set_session_cookie(request, response, await self.cookie(request, token))
        return response


class LoginBody(Body):
    """The token of one user."""

    token: Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True)
class UserView:
    """The signed-in user; `name` is None, and there are no roles, when nobody has signed in.

    `requires_login` is whether users have to sign in at all, `team` whether there are accounts
    and a queue.
    """

    name: str | None
    roles: tuple[auth.Role, ...]
    requires_login: bool
    team: bool


def routes(config: WebConfig, sign_in: SignIn) -> list[BaseRoute]:
    """The routes that everybody may use."""
    authenticator = config.authenticator

    async def me(request: Request) -> UserView:
        name: str | None = None
        roles: tuple[auth.Role, ...] = ()
        try:
            user = auth.current_user(request)
        except UnauthenticatedError:
            pass
        else:
            name, roles = user.name, tuple(sorted(user.roles))
        # Who is known by their connection has nothing to sign out of.
        requires_login = authenticator.requires_login and not (
            name and not auth.session_cookie(request)
        )
        return UserView(name, roles, requires_login, config.team is not None)

    async def login(request: Request, body: LoginBody) -> EmptyResponse:
        cookie = await sign_in.cookie(request, body.token)
        response = EmptyResponse()
        auth.set_session_cookie(request, response, cookie)
        return response

    async def logout(request: Request) -> EmptyResponse:
        await asyncio.to_thread(authenticator.sign_out, auth.session_cookie(request))
        response = EmptyResponse()
        auth.set_session_cookie(request, response, "")
        return response

    return [
        ApiRoute("/api/me", me, role="anyone"),
        ApiRoute("/api/login", login, role="anyone", method="POST"),
        ApiRoute("/api/logout", logout, role="anyone", method="POST"),
    ]
