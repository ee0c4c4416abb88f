"""The web app: the routes of every package behind one authenticator and one set of checks.

All routes below "/api/" and "/ws/" are an `ApiRoute` or a `SocketRoute` with the role that it
requires; any other address shows the pages.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
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
from tapwright.web import login, openapi
from tapwright.web.config import WebConfig
from tapwright.web.error_responses import handle_error
from tapwright.web.library import routes as library_routes
from tapwright.web.library.library import Library
from tapwright.web.pages import page_routes
from tapwright.web.recording import routes as recording_routes
from tapwright.web.recording.recorder import Recorder
from tapwright.web.recording.tally import DemonstrationTally
from tapwright.web.security import Security

__all__ = ["WebConfig", "create_app"]


def create_app(config: WebConfig) -> Starlette:
    """The ASGI app. Run its lifespan: it closes the devices when the server ends."""
    store = EpisodeStore(config.episodes)
    queue = None if config.team is None else config.team.queue
    suites = {name: cache(tasks) for name, tasks in config.suites.items()}
    recorder = Recorder(store, config.devices, suites, assignments=queue)
    library = Library(store, config.runs, assignments=queue)
    tally = DemonstrationTally(library.episodes.catalog, recorder)
    sign_in = login.SignIn(config.authenticator)
    api: list[BaseRoute] = [
        *login.routes(config, sign_in),
        *library_routes.routes(library),
        *recording_routes.routes(recorder, tally),
    ]
    if config.team is not None:
        from tapwright.web.team import routes as team_routes  # its database is an extra

        api += team_routes.routes(config.team, suites, store, tally)
    api += openapi.routes(api)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if config.team is not None:
            await asyncio.to_thread(config.team.queue.complete_ended, partial(_has_ended, store))
        try:
            yield
        finally:
            await recorder.close()
            await asyncio.to_thread(library.close)

    # Starlette calls the one handler for requests and for sockets; its types have one of either.
    handler = cast(HTTPExceptionHandler, handle_error)
    app = Starlette(
        routes=_mount(config.base_path, [*api, *page_routes(config.base_path, sign_in)]),
        middleware=[Middleware(Security, hosts=config.hosts)],
        exception_handlers={TapwrightError: handler, HTTPException: handler, Exception: handler},
        lifespan=lifespan,
    )
    app.state.authenticator = config.authenticator
    app.state.base_path = config.base_path
    # The longest first, as one may lie in another.
    directories = {str(path) for one in (config.episodes, *config.runs) for path in _spellings(one)}
    app.state.directories = sorted(directories, key=len, reverse=True)
    return app


def _spellings(path: Path) -> tuple[Path, Path]:
    """The absolute path of a directory, as it was given and as the system names it."""
    return path.absolute(), path.resolve()


def _has_ended(store: EpisodeStore, id_: str) -> bool:
    """Whether an episode was recorded to its end; one that cannot be read was not."""
    try:
        return store.read(id_).has_ended
    except StoreError:
        return False


def _mount(base_path: str, routes: Sequence[BaseRoute]) -> Sequence[BaseRoute]:
    """The routes below the base path; requests for its parents are redirected to it."""
    if not base_path:
        return routes

    async def redirect(request: Request) -> Response:
        return RedirectResponse(f"{base_path}/")

    return [Route("/", redirect), Route(base_path, redirect), Mount(base_path, routes=list(routes))]
