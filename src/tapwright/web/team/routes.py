"""The team's addresses: what one is to record next, and for admins who does and how it goes."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from tapwright.errors import UnknownNameError
from tapwright.store.store import EpisodeStore
from tapwright.web.asked import body_as
from tapwright.web.assignments import ItemNumber
from tapwright.web.auth import ApiRoute, Role, user
from tapwright.web.config import Suites
from tapwright.web.team.overlap import overlap
from tapwright.web.team.queue import Held
from tapwright.web.team.team import Team

__all__ = ["routes"]

# PostgreSQL has no text with a NUL.
Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Next(_Body):
    item: ItemNumber | None = None


class _Item(_Body):
    item: ItemNumber


class _Name(_Body):
    name: Name


class _Account(_Name):
    role: Role


class _Assigned(_Body):
    suite: str
    tasks: Annotated[tuple[str, ...], Field(max_length=10_000)] = ()
    copies: Annotated[int, Field(ge=1, le=100)] = 1
    only: Name | None = None


def routes(team: Team, suites: Suites, store: EpisodeStore) -> list[BaseRoute]:
    """`api/queue/…` for who records, `api/team/…` for admins."""
    return [*_queue_routes(team, suites), *_admin_routes(team, suites, store)]


def _queue_routes(team: Team, suites: Suites) -> list[BaseRoute]:
    queue = team.queue

    def next_(request: Request) -> Response:
        return JSONResponse({"item": _held(queue.next(user(request).name), suites)})

    async def lease(request: Request) -> Response:
        asked = await body_as(request, _Next)
        held = await run_in_threadpool(queue.lease, user(request).name, asked.item)
        return JSONResponse({"item": await run_in_threadpool(_held, held, suites)})

    async def release(request: Request) -> Response:
        asked = await body_as(request, _Item)
        await run_in_threadpool(queue.release, user(request).name, asked.item)
        return JSONResponse({})

    def mine(request: Request) -> Response:
        return JSONResponse([_held(one, suites) for one in queue.claims(user(request).name)])

    return [
        ApiRoute("/api/queue/next", next_, role="annotator"),
        ApiRoute("/api/queue/mine", mine, role="annotator"),
        ApiRoute("/api/queue/lease", lease, role="annotator", methods=("POST",)),
        ApiRoute("/api/queue/release", release, role="annotator", methods=("POST",)),
    ]


def _admin_routes(team: Team, suites: Suites, store: EpisodeStore) -> list[BaseRoute]:
    accounts, queue = team.accounts, team.queue

    def members(request: Request) -> Response:
        return JSONResponse([asdict(one) for one in accounts.members()])

    async def add(request: Request) -> Response:
        asked = await body_as(request, _Account)
        token = await run_in_threadpool(accounts.add, asked.name, asked.role)
        return JSONResponse({"token": token})

    async def rotate(request: Request) -> Response:
        asked = await body_as(request, _Name)
        return JSONResponse({"token": await run_in_threadpool(accounts.rotate, asked.name)})

    async def change(request: Request) -> Response:
        asked = await body_as(request, _Account)
        await run_in_threadpool(accounts.change, asked.name, asked.role)
        return JSONResponse({})

    async def remove(request: Request) -> Response:
        asked = await body_as(request, _Name)
        await run_in_threadpool(accounts.remove, asked.name)
        return JSONResponse({})

    async def assign(request: Request) -> Response:
        asked = await body_as(request, _Assigned)

        def put() -> list[int]:
            tasks = _chosen(suites, asked.suite, asked.tasks)
            return queue.assign(asked.suite, tasks, copies=asked.copies, only=asked.only)

        return JSONResponse({"items": await run_in_threadpool(put)})

    async def withdraw(request: Request) -> Response:
        asked = await body_as(request, _Item)
        await run_in_threadpool(queue.withdraw, asked.item)
        return JSONResponse({})

    def progress(request: Request) -> Response:
        items = [{**asdict(one), "waiting": one.waiting} for one in queue.standings()]
        return JSONResponse({"items": items, "people": [asdict(one) for one in queue.works()]})

    def agreement(request: Request) -> Response:
        return JSONResponse(asdict(overlap(queue.standings(), store)))

    return [
        ApiRoute("/api/team/accounts", members, role="admin"),
        ApiRoute("/api/team/progress", progress, role="admin"),
        ApiRoute("/api/team/agreement", agreement, role="admin"),
        ApiRoute("/api/team/accounts/add", add, role="admin", methods=("POST",)),
        ApiRoute("/api/team/accounts/rotate", rotate, role="admin", methods=("POST",)),
        ApiRoute("/api/team/accounts/role", change, role="admin", methods=("POST",)),
        ApiRoute("/api/team/accounts/remove", remove, role="admin", methods=("POST",)),
        ApiRoute("/api/team/assign", assign, role="admin", methods=("POST",)),
        ApiRoute("/api/team/withdraw", withdraw, role="admin", methods=("POST",)),
    ]


def _held(held: Held | None, suites: Suites) -> dict[str, object] | None:
    """An item with its task's words; without them when the suite or the task is gone."""
    if held is None:
        return None
    tasks = suites[held.suite]() if held.suite in suites else ()
    words = next((task.instruction for task in tasks if task.id == held.task), "")
    return {**asdict(held), "instruction": words}


def _chosen(suites: Suites, suite: str, ids: Sequence[str]) -> list[str]:
    """The ids of a suite's tasks, or those that were named, which it must have."""
    if suite not in suites:
        raise UnknownNameError("suite", suite, suites)
    known = [task.id for task in suites[suite]()]
    for id_ in ids:
        if id_ not in known:
            raise UnknownNameError("task", id_, known)
    return list(ids) or known
