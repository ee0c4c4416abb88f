"""The web app: its rooms' routes behind one door and one set of checks.

Rooms give routes below "/api/" and "/ws/", each an `ApiRoute` or a `SocketRoute` with the role
that it needs; any other address shows the pages.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import HTTPExceptionHandler

from tapwright.errors import StoreError, TapwrightError
from tapwright.store.store import EpisodeStore
from tapwright.web import signing
from tapwright.web.config import WebConfig
from tapwright.web.failures import tell_failure
from tapwright.web.library import routes as library_routes
from tapwright.web.library.library import Library
from tapwright.web.pages import pages
from tapwright.web.recording import routes as recording_routes
from tapwright.web.recording.recorder import Recorder
from tapwright.web.security import Security
from tapwright.web.team import routes as team_routes

__all__ = ["WebConfig", "create_app"]


def create_app(config: WebConfig) -> Starlette:
    """The ASGI app; whoever starts it is to run its lifespan, which lets go of the devices."""
    store = EpisodeStore(config.episodes)
    queue = None if config.team is None else config.team.queue
    suites = {name: cache(tasks) for name, tasks in config.suites.items()}
    recorder = Recorder(store, config.devices, suites, assignments=queue)
    rooms: list[BaseRoute] = [
        *signing.routes(config),
        *library_routes.routes(Library(store, config.runs)),
        *recording_routes.routes(recorder),
    ]
    if config.team is not None:
        rooms += team_routes.routes(config.team, suites, store)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if config.team is not None:
            await asyncio.to_thread(config.team.queue.settle, partial(_has_ended, store))
        try:
            yield
        finally:
            await recorder.close()

    # Starlette calls the one handler for requests and for sockets; its types have one of either.
    tell = cast(HTTPExceptionHandler, tell_failure)
    app = Starlette(
        routes=_below(config.base_path, [*rooms, *pages(config.base_path)]),
        middleware=[Middleware(Security, hosts=config.hosts)],
        exception_handlers={TapwrightError: tell, HTTPException: tell, Exception: tell},
        lifespan=lifespan,
    )
    app.state.door = config.door
    app.state.base_path = config.base_path
    return app


def _has_ended(store: EpisodeStore, id_: str) -> bool:
    """Whether an episode was recorded to its end; one that cannot be read was not."""
    try:
        return store.read(id_).outcome != "unknown"
    except StoreError:
        return False


def _below(base_path: str, routes: Sequence[BaseRoute]) -> Sequence[BaseRoute]:
    """The routes below the base path, to which whoever asks for less is sent."""
    if not base_path:
        return routes

    async def home(request: Request) -> Response:
        return RedirectResponse(f"{base_path}/")

    return [Route("/", home), Route(base_path, home), Mount(base_path, routes=list(routes))]
