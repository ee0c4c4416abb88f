"""Signing in and out, and who one is.

Wrong tokens are counted per address that they come from; whoever sends too many has to wait.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from tapwright.web.asked import body_as
from tapwright.web.auth import (
    ApiRoute,
    session_cookie,
    set_session_cookie,
    user,
)
from tapwright.web.config import WebConfig
from tapwright.web.errors import LoginRateLimitError, UnauthenticatedError

__all__ = ["Attempts", "routes"]

_TRIES = 10
_WITHIN_S = 60.0
_PLACES = 10_000


class Attempts:
    """Wrong tokens of the last minute, by where they came from; at most ten are listened to."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, place: str) -> None:
        """Go on if the place may try.

        Raises:
            LoginRateLimitError: it has to wait.
        """
        wrong = self._wrong.get(place, deque())
        while wrong and wrong[0] <= self._clock() - _WITHIN_S:
            wrong.popleft()
        if len(wrong) >= _TRIES:
            wait_s = wrong[0] + _WITHIN_S - self._clock()
            raise LoginRateLimitError(
                f"{len(wrong)} wrong tokens within a minute", hint=f"wait {wait_s:.0f} s"
            )

    def wrong(self, place: str) -> None:
        """Count a wrong token; the places that were longest quiet are forgotten first."""
        self._wrong.setdefault(place, deque(maxlen=_TRIES)).append(self._clock())
        self._wrong.move_to_end(place)
        while len(self._wrong) > _PLACES:
            self._wrong.popitem(last=False)


class _Token(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    token: str = Field(min_length=1, max_length=200)


def routes(config: WebConfig) -> list[BaseRoute]:
    """`GET api/me`, `POST api/login {"token"}`, `POST api/logout`."""
    attempts, door = Attempts(), config.door
    place = {"closed": door.closed, "team": config.team is not None}

    async def me(request: Request) -> Response:
        try:
            who = user(request)
        except UnauthenticatedError:
            return JSONResponse({"name": None, "roles": [], **place})
        return JSONResponse({"name": who.name, "roles": sorted(who.roles), **place})

    async def login(request: Request) -> Response:
        peer = request.client.host if request.client else ""
        attempts.check(peer)
        given = await body_as(request, _Token)
        try:
            cookie = await asyncio.to_thread(door.sign_in, given.token.strip())
        except UnauthenticatedError:
            attempts.wrong(peer)
            raise
        response = JSONResponse({})
        set_session_cookie(request, response, cookie)
        return response

    async def logout(request: Request) -> Response:
        await asyncio.to_thread(door.sign_out, session_cookie(request))
        response = JSONResponse({})
        set_session_cookie(request, response, "")
        return response

    return [
        ApiRoute("/api/me", me, role="anyone"),
        ApiRoute("/api/login", login, role="anyone", methods=("POST",)),
        ApiRoute("/api/logout", logout, role="anyone", methods=("POST",)),
    ]
