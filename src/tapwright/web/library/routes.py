"""The library's routes: an episode and its edits.

Those of lists of episodes, reviews and runs are in `episode_list_routes`, `review_routes` and
`run_routes`.

Ids and names are parameters that are looked up, never joined to a path. A user who only annotates
sees their own recordings alone; reviews and runs are for reviewers.
"""

from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.core.observation import Observation
from tapwright.store.ids import directory_name
from tapwright.web.api import ApiRoute, Body, ImageResponse, Query, ThumbnailWidth, image_response
from tapwright.web.auth import current_user
from tapwright.web.episode_views import EpisodeView, TreeView, tree_view
from tapwright.web.library import (
    bulk_routes,
    edits,
    episode_list_routes,
    live_routes,
    recording_routes,
    review_routes,
    run_routes,
    takes,
)
from tapwright.web.library.episode_list_routes import visible_agent
from tapwright.web.library.episodes import Moment
from tapwright.web.library.library import Library

__all__ = ["routes"]

Text = Annotated[str, Field(max_length=100_000)]
Number = Annotated[int, Field(ge=0, lt=10**9)]


class EpisodeQuery(Query):
    """An episode of the store or of a run; version 0 is the current one."""

    id: str
    run: str = ""
    version: Number = 0


class ScreenQuery(Query):
    """A screen of an episode: by the hash of its picture, or by its step and moment."""

    episode: str
    run: str = ""
    version: Number = 0
    sha: str = ""
    step: Number = 0
    moment: Moment = "before"


class ThumbnailQuery(ScreenQuery):
    """A screen, and the width of its thumbnail in pixels."""

    w: ThumbnailWidth = 160


class VersionBody(Body):
    """The current version of an episode, as the page knows it."""

    id: str
    version: int


class EditBody(VersionBody):
    """Modifiers in the grammar of `tapwright episodes edit`."""

    modifiers: Text


def routes(library: Library) -> list[BaseRoute]:
    """The routes of the episodes, the review queue and the runs."""
    return [
        *episode_list_routes.routes(library),
        *bulk_routes.routes(library),
        *_episode_routes(library),
        *_edit_routes(library),
        *review_routes.routes(library.reviews, str(library.store.root)),
        *recording_routes.routes(library.recordings, library.bulk),
        *run_routes.routes(library),
        *live_routes.routes(library),
        *takes.routes(library),
    ]


def _episode_routes(library: Library) -> list[BaseRoute]:
    def read_episode(request: Request, query: EpisodeQuery) -> EpisodeView:
        return library.episodes_of(query.run).view(
            query.id,
            query.version or None,
            agent=visible_agent(request),
            may_edit="reviewer" in current_user(request).roles and not query.run,
        )

    def read_frame(request: Request, query: ScreenQuery) -> ImageResponse:
        shot = find_screen(request, query).screenshot
        return image_response(
            request, shot, lambda: shot.data, shot.media_type, immutable=bool(query.sha)
        )

    def read_thumbnail(request: Request, query: ThumbnailQuery) -> ImageResponse:
        shot = find_screen(request, query).screenshot
        draw = library.episodes_of(query.run).thumbnail
        return image_response(
            request, shot, lambda: draw(shot, query.w), "image/jpeg", immutable=bool(query.sha)
        )

    def read_tree(request: Request, query: ScreenQuery) -> TreeView:
        screen = find_screen(request, query)
        if query.sha or query.moment != "before":
            return tree_view(screen)
        episodes = library.episodes_of(query.run)
        episode = episodes.episode(query.episode, query.version or None, visible_agent(request))
        return tree_view(screen, episode.steps[query.step])

    def find_screen(request: Request, query: ScreenQuery) -> Observation:
        episodes, agent = library.episodes_of(query.run), visible_agent(request)
        id_, version = query.episode, query.version or None
        if query.sha:
            return episodes.screen_by_hash(id_, version, query.sha, agent)
        return episodes.screen(id_, version, query.step, query.moment, agent)

    return [
        ApiRoute("/api/episode", read_episode, role="annotator"),
        ApiRoute("/api/frame", read_frame, role="annotator"),
        ApiRoute("/api/thumb", read_thumbnail, role="annotator"),
        ApiRoute("/api/tree", read_tree, role="annotator"),
    ]


def _edit_routes(library: Library) -> list[BaseRoute]:
    store = library.store

    def preview(request: Request, body: EditBody) -> edits.EditPreview:
        return edits.preview_edit(store, body.id, body.version, body.modifiers)

    def edit(request: Request, body: EditBody) -> edits.EditResult:
        result = edits.edit_episode(store, body.id, body.version, body.modifiers)
        library.episodes.catalog.changed(directory_name(body.id))
        return result

    def change(body: VersionBody, *, undo: bool) -> edits.UndoResult:
        result = edits.undo_or_redo(store, body.id, body.version, undo=undo)
        library.episodes.catalog.changed(directory_name(body.id))
        return result

    def undo(request: Request, body: VersionBody) -> edits.UndoResult:
        return change(body, undo=True)

    def redo(request: Request, body: VersionBody) -> edits.UndoResult:
        return change(body, undo=False)

    return [
        ApiRoute("/api/edit/preview", preview, role="reviewer", method="POST"),
        ApiRoute("/api/edit", edit, role="reviewer", method="POST"),
        ApiRoute("/api/undo", undo, role="reviewer", method="POST"),
        ApiRoute("/api/redo", redo, role="reviewer", method="POST"),
    ]
