"""The team's routes: the queue for those who record, accounts and progress for admins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.errors import UnknownNameError
from tapwright.store.store import EpisodeStore
from tapwright.web.api import ApiRoute, Body, FileResponse, ItemNumber
from tapwright.web.auth import Role, current_user
from tapwright.web.config import Suites
from tapwright.web.episode_views import view_of
from tapwright.web.recording.tally import DemonstrationTally
from tapwright.web.table_files import ExportFormat, table_response
from tapwright.web.team.accounts import Member
from tapwright.web.team.overlap import Overlap, measure_overlap
from tapwright.web.team.progress import progress_routes
from tapwright.web.team.queue import ItemProgress, Lease, MemberProgress
from tapwright.web.team.saved_views import view_routes
from tapwright.web.team.team import Team
from tapwright.web.team.work import Work, export_work, list_work

__all__ = ["routes"]

# PostgreSQL has no text with a NUL.
MemberName = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]


class ItemBody(Body):
    """An item of the queue."""

    item: ItemNumber


class AssignmentBody(Body):
    """Tasks of a suite, all when none is named, to be recorded `copies` times each.

    With `only` they are assigned to this member alone.
    """

    suite: str
    tasks: Annotated[tuple[str, ...], Field(max_length=10_000)] = ()
    copies: Annotated[int, Field(ge=1, le=100)] = 1
    only: MemberName | None = None


@dataclass(frozen=True, slots=True)
class LeaseView(Lease):
    """An item that a member may record; `instruction` is "" when the suite or the task is gone."""

    instruction: str


@dataclass(frozen=True, slots=True)
class LeaseAnswer:
    """The leased or offered item; None when the queue has none."""

    item: LeaseView | None


@dataclass(frozen=True, slots=True)
class TeamProgress:
    """The progress of the queue's items and of the team's members."""

    items: tuple[ItemProgress, ...]
    members: tuple[MemberProgress, ...]


@dataclass(frozen=True, slots=True)
class SuiteView:
    """A suite, and how many tasks it has."""

    suite: str
    tasks: int


@dataclass(frozen=True, slots=True)
class TokenView:
    """A member's new token, which is not stored and cannot be read again."""

    token: str


@dataclass(frozen=True, slots=True)
class AssignedItems:
    """The numbers of the new items, and how many tasks the queue had already."""

    items: tuple[int, ...]
    known: int


def routes(
    team: Team, suites: Suites, store: EpisodeStore, tally: DemonstrationTally
) -> list[BaseRoute]:
    """`api/queue/…` for those who record, `api/team/…` for admins, `api/views…` for everybody."""
    return [
        *_queue_routes(team, suites),
        *_admin_routes(team, suites, store),
        *progress_routes(suites, team.queue, tally),
        *view_routes(team.views),
    ]


def _queue_routes(team: Team, suites: Suites) -> list[BaseRoute]:
    queue = team.queue

    def next_item(request: Request) -> LeaseAnswer:
        return LeaseAnswer(_lease_view(queue.next(current_user(request).name), suites))

    async def lease(request: Request, item: ItemNumber | None = None) -> LeaseAnswer:
        leased = await run_in_threadpool(queue.lease, current_user(request).name, item)
        return LeaseAnswer(await run_in_threadpool(_lease_view, leased, suites))

    async def release(request: Request, body: ItemBody) -> None:
        await run_in_threadpool(queue.release, current_user(request).name, body.item)

    def list_own(request: Request) -> list[LeaseView]:
        leases = queue.leases(current_user(request).name)
        return [view for one in leases if (view := _lease_view(one, suites)) is not None]

    return [
        ApiRoute("/api/queue/next", next_item, role="annotator"),
        ApiRoute("/api/queue/mine", list_own, role="annotator"),
        ApiRoute("/api/queue/lease", lease, role="annotator", method="POST"),
        ApiRoute("/api/queue/release", release, role="annotator", method="POST"),
    ]


def _admin_routes(team: Team, suites: Suites, store: EpisodeStore) -> list[BaseRoute]:
    accounts, queue = team.accounts, team.queue

    def list_members(request: Request) -> list[Member]:
        return accounts.members()

    async def add(request: Request, name: MemberName, role: Role) -> TokenView:
        return TokenView(await run_in_threadpool(accounts.add, name, role))

    async def rotate(request: Request, name: MemberName) -> TokenView:
        return TokenView(await run_in_threadpool(accounts.rotate, name))

    async def set_role(request: Request, name: MemberName, role: Role) -> None:
        await run_in_threadpool(accounts.set_role, name, role)

    async def remove(request: Request, name: MemberName) -> None:
        await run_in_threadpool(accounts.remove, name)

    async def assign(request: Request, body: AssignmentBody) -> AssignedItems:
        def append() -> AssignedItems:
            tasks = _choose_tasks(suites, body.suite, body.tasks)
            items = queue.assign(body.suite, tasks, copies=body.copies, only=body.only)
            return AssignedItems(tuple(items), known=len(tasks) - len(items))

        return await run_in_threadpool(append)

    async def withdraw(request: Request, body: ItemBody) -> None:
        await run_in_threadpool(queue.withdraw, body.item)

    async def reopen(request: Request, item: ItemNumber, name: MemberName) -> None:
        await run_in_threadpool(queue.reopen, item, name)

    def read_suite(request: Request, suite: str) -> SuiteView:
        return SuiteView(suite, len(_choose_tasks(suites, suite, ())))

    def read_progress(request: Request) -> TeamProgress:
        return TeamProgress(tuple(queue.items()), tuple(queue.members()))

    def read_agreement(request: Request) -> Overlap:
        return measure_overlap(queue.items(), store)

    def export_all_work(request: Request, format: ExportFormat) -> FileResponse:
        done, failed = list_work(store)
        unread = [Work("", id_, None, "unreadable", None, "", None) for id_ in failed]
        return table_response(export_work([*done, *unread], format), "work", format)

    return [
        ApiRoute("/api/team/accounts", list_members, role="admin"),
        ApiRoute("/api/team/suite", read_suite, role="admin"),
        ApiRoute("/api/team/progress", read_progress, role="admin"),
        ApiRoute("/api/team/agreement", read_agreement, role="admin"),
        ApiRoute("/api/team/work", export_all_work, role="admin"),
        ApiRoute("/api/team/accounts/add", add, role="admin", method="POST"),
        ApiRoute("/api/team/accounts/rotate", rotate, role="admin", method="POST"),
        ApiRoute("/api/team/accounts/role", set_role, role="admin", method="POST"),
        ApiRoute("/api/team/accounts/remove", remove, role="admin", method="POST"),
        ApiRoute("/api/team/assign", assign, role="admin", method="POST"),
        ApiRoute("/api/team/withdraw", withdraw, role="admin", method="POST"),
        ApiRoute("/api/team/reopen", reopen, role="admin", method="POST"),
    ]


def _lease_view(lease: Lease | None, suites: Suites) -> LeaseView | None:
    if lease is None:
        return None
    tasks = suites[lease.suite]() if lease.suite in suites else ()
    instruction = next((task.instruction for task in tasks if task.id == lease.task), "")
    return view_of(LeaseView, lease, instruction=instruction)


def _choose_tasks(suites: Suites, suite: str, ids: Sequence[str]) -> list[str]:
    """The ids of a suite's tasks, or those that are named, which it must have."""
    if suite not in suites:
        raise UnknownNameError("suite", suite, suites)
    known = [task.id for task in suites[suite]()]
    for id_ in ids:
        if id_ not in known:
            raise UnknownNameError("task", id_, known)
    return list(ids) or known
