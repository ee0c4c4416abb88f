"""Views of the list of episodes that members have named: filter, order and columns.

A view is its owner's; one that is shared is seen by the whole team, and changed by its owner alone.
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from sqlalchemy import delete, or_, select
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.web.api import ApiRoute, Body
from tapwright.web.auth import current_user
from tapwright.web.team.database import Database
from tapwright.web.team.tables import SavedView

__all__ = ["NamedView", "SavedViews", "view_routes"]

ViewName = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00]*$")]


@dataclass(frozen=True, slots=True)
class NamedView:
    """A view of `owner`; `query` is what stands in the address of the list."""

    owner: str
    name: str
    query: str
    shared: bool


class ViewNameBody(Body):
    """One of one's own views."""

    name: ViewName


class ViewBody(ViewNameBody):
    """A view to save; one of the same name is replaced."""

    query: Annotated[str, Field(max_length=4000, pattern=r"^[^\x00]*$")]
    shared: bool = False


class SavedViews:
    """The views of a team."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list_for(self, member: str) -> list[NamedView]:
        """Those that a member sees, by name: their own, and what others share."""
        with self._database.reading() as session:
            found = session.execute(
                select(SavedView.owner, SavedView.name, SavedView.query, SavedView.shared)
                .where(or_(SavedView.owner == member, SavedView.shared))
                .order_by(SavedView.name, SavedView.owner)
            )
            return [NamedView(*row) for row in found]

    def save(self, view: NamedView) -> None:
        """Keep a view, in place of the owner's one of this name."""
        with self._database.writing() as session:
            session.merge(
                SavedView(owner=view.owner, name=view.name, query=view.query, shared=view.shared)
            )

    def delete(self, owner: str, name: str) -> None:
        """Delete a view of this owner, if there is one."""
        with self._database.writing() as session:
            session.execute(
                delete(SavedView).where(SavedView.owner == owner, SavedView.name == name)
            )


def view_routes(views: SavedViews) -> list[BaseRoute]:
    """`api/views…`, for every member."""

    def list_views(request: Request) -> list[NamedView]:
        return views.list_for(current_user(request).name)

    async def save(request: Request, body: ViewBody) -> None:
        owner = current_user(request).name
        await run_in_threadpool(views.save, NamedView(owner, body.name, body.query, body.shared))

    async def delete_(request: Request, body: ViewNameBody) -> None:
        await run_in_threadpool(views.delete, current_user(request).name, body.name)

    return [
        ApiRoute("/api/views", list_views, role="annotator"),
        ApiRoute("/api/views/save", save, role="annotator", method="POST"),
        ApiRoute("/api/views/delete", delete_, role="annotator", method="POST"),
    ]
