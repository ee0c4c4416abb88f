"""The library's routes: episodes, edits, reviews and runs.

Ids and names are parameters that are looked up, never joined to a path. A user who only annotates
sees their own recordings alone; reviews and runs are for reviewers.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.annotate.review import ReviewState
from tapwright.observation import Observation
from tapwright.screenshot import Screenshot
from tapwright.store.catalog import CatalogQuery
from tapwright.web.api import ApiRoute, Body, ImageResponse, Query
from tapwright.web.auth import current_user
from tapwright.web.library.edits import (
    EditPreview,
    EditResult,
    UndoResult,
    edit_episode,
    preview_edit,
    undo_or_redo,
)
from tapwright.web.library.episodes import EpisodePage, Moment, Sort
from tapwright.web.library.library import Library
from tapwright.web.library.review_queue import (
    AnnotatorView,
    NextReview,
    ReviewFilter,
    ReviewResult,
)
from tapwright.web.library.runs import ComparisonView, RunList, RunView, SampleLogView
from tapwright.web.views import EpisodeView, TreeView, tree_view

__all__ = ["routes"]

_FOREVER = "private, max-age=31536000, immutable"

Text = Annotated[str, Field(max_length=100_000)]
Number = Annotated[int, Field(ge=0, lt=10**9)]
ThumbnailWidth = Annotated[int, Field(ge=40, le=1080)]


class EpisodesQuery(Query):
    """Filters that are not empty have to match; `run` names a run whose episodes are listed."""

    q: str = ""
    task: str = ""
    app: str = ""
    outcome: str = ""
    agent: str = ""
    sort: Sort = "newest"
    page: Number = 0
    run: str = ""


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


@dataclass(frozen=True, slots=True)
class AnnotatorList:
    """The annotators of a store, and the errors of annotations that could not be read."""

    annotators: tuple[AnnotatorView, ...]
    unreadable: tuple[str, ...]
    store: str


class NextReviewQuery(Query):
    """The step after (or, with `back`, before) a step of an episode, or the first of the queue."""

    annotator: str
    show: ReviewFilter = "open"
    episode: str = ""
    step: Number = 0
    back: bool = False


class ReviewItemQuery(Query):
    """A step of an annotated episode."""

    annotator: str
    episode: str
    step: Number = 0


class ReviewBody(Body):
    """A review of a step. `frame` is the hash of its picture, `lines` how many reviews it has."""

    annotator: str
    episode: str
    step: int
    frame: str
    lines: int
    state: ReviewState
    reasoning: Text | None = None
    target: Text | None = None
    code: Annotated[str, Field(max_length=200)] = ""


class RunQuery(Query):
    """A run by its name."""

    name: str


class SampleQuery(RunQuery):
    """A sample of a run by its key."""

    key: str


class SamplePictureQuery(SampleQuery):
    """A sample's picture, whole or `w` pixels wide; `file` is its name in a static copy."""

    w: ThumbnailWidth | None = None
    file: str = ""


class ComparisonQuery(Query):
    """Two runs on the same data; `b` is compared with `a`."""

    a: str
    b: str


def routes(library: Library) -> list[BaseRoute]:
    """The routes of the episodes, the review queue and the runs."""
    return [*_episode_routes(library), *_edit_routes(library), *_review_routes(library),
            *_run_routes(library)]  # fmt: skip


def _episode_routes(library: Library) -> list[BaseRoute]:
    def list_episodes(request: Request, query: EpisodesQuery) -> EpisodePage:
        wanted = CatalogQuery(
            text=query.q,
            task=query.task,
            app=query.app,
            outcome=query.outcome,
            agent=query.agent,
        )
        return library.episodes_of(query.run).page(
            wanted, sort=query.sort, page=query.page, agent=_visible_agent(request)
        )

    def read_episode(request: Request, query: EpisodeQuery) -> EpisodeView:
        return library.episodes_of(query.run).view(
            query.id,
            query.version or None,
            agent=_visible_agent(request),
            may_edit="reviewer" in current_user(request).roles and not query.run,
        )

    def read_frame(request: Request, query: ScreenQuery) -> ImageResponse:
        shot = find_screen(request, query).screenshot
        return _image_response(
            request, shot, lambda: shot.data, shot.media_type, immutable=bool(query.sha)
        )

    def read_thumbnail(request: Request, query: ThumbnailQuery) -> ImageResponse:
        shot = find_screen(request, query).screenshot
        draw = library.episodes_of(query.run).thumbnail
        return _image_response(
            request, shot, lambda: draw(shot, query.w), "image/jpeg", immutable=bool(query.sha)
        )

    def read_tree(request: Request, query: ScreenQuery) -> TreeView:
        screen = find_screen(request, query)
        if query.sha or query.moment != "before":
            return tree_view(screen)
        episodes = library.episodes_of(query.run)
        episode = episodes.episode(query.episode, query.version or None, _visible_agent(request))
        return tree_view(screen, episode.steps[query.step])

    def find_screen(request: Request, query: ScreenQuery) -> Observation:
        episodes, agent = library.episodes_of(query.run), _visible_agent(request)
        id_, version = query.episode, query.version or None
        if query.sha:
            return episodes.screen_by_hash(id_, version, query.sha, agent)
        return episodes.screen(id_, version, query.step, query.moment, agent)

    return [
        ApiRoute("/api/episodes", list_episodes, role="annotator"),
        ApiRoute("/api/episode", read_episode, role="annotator"),
        ApiRoute("/api/frame", read_frame, role="annotator"),
        ApiRoute("/api/thumb", read_thumbnail, role="annotator"),
        ApiRoute("/api/tree", read_tree, role="annotator"),
    ]


def _edit_routes(library: Library) -> list[BaseRoute]:
    store = library.store

    def preview(request: Request, body: EditBody) -> EditPreview:
        return preview_edit(store, body.id, body.version, body.modifiers)

    def edit(request: Request, body: EditBody) -> EditResult:
        return edit_episode(store, body.id, body.version, body.modifiers)

    def undo(request: Request, body: VersionBody) -> UndoResult:
        return undo_or_redo(store, body.id, body.version, undo=True)

    def redo(request: Request, body: VersionBody) -> UndoResult:
        return undo_or_redo(store, body.id, body.version, undo=False)

    return [
        ApiRoute("/api/edit/preview", preview, role="reviewer", method="POST"),
        ApiRoute("/api/edit", edit, role="reviewer", method="POST"),
        ApiRoute("/api/undo", undo, role="reviewer", method="POST"),
        ApiRoute("/api/redo", redo, role="reviewer", method="POST"),
    ]


def _review_routes(library: Library) -> list[BaseRoute]:
    queue = library.reviews

    def list_annotators(request: Request) -> AnnotatorList:
        names, unreadable = queue.annotators()
        views = tuple(AnnotatorView(name, queue.progress(name)) for name in names)
        return AnnotatorList(views, tuple(unreadable), str(library.store.root))

    def next_review(request: Request, query: NextReviewQuery) -> NextReview:
        after = (query.episode, query.step) if query.episode else None
        return queue.next(query.annotator, show=query.show, after=after, back=query.back)

    def read_item(request: Request, query: ReviewItemQuery) -> NextReview:
        item = queue.item(query.annotator, query.episode, query.step)
        return NextReview(item, queue.progress(query.annotator))

    async def review(request: Request, body: ReviewBody) -> ReviewResult:
        return await asyncio.to_thread(
            queue.review,
            body.annotator,
            body.episode,
            body.step,
            frame=body.frame,
            state=body.state,
            lines=body.lines,
            who=current_user(request).name,
            reasoning=body.reasoning,
            target=body.target,
            code=body.code,
        )

    return [
        ApiRoute("/api/review/annotators", list_annotators, role="reviewer"),
        ApiRoute("/api/review/next", next_review, role="reviewer"),
        ApiRoute("/api/review/item", read_item, role="reviewer"),
        ApiRoute("/api/review", review, role="reviewer", method="POST"),
    ]


def _run_routes(library: Library) -> list[BaseRoute]:
    runs = library.runs

    def list_runs(request: Request) -> RunList:
        return runs.summaries()

    def read_run(request: Request, query: RunQuery) -> RunView:
        return runs.run(query.name)

    def read_sample(request: Request, query: SampleQuery) -> SampleLogView:
        return runs.sample(query.name, query.key)

    def read_picture(request: Request, query: SamplePictureQuery) -> ImageResponse:
        shot = runs.screen(query.name, query.key).screenshot
        width_px = query.w
        if width_px is None:
            return _image_response(request, shot, lambda: shot.data, shot.media_type)
        draw = library.episodes.thumbnail
        return _image_response(request, shot, lambda: draw(shot, width_px), "image/jpeg")

    def compare(request: Request, query: ComparisonQuery) -> ComparisonView:
        return runs.compare(query.a, query.b)

    return [
        ApiRoute("/api/runs", list_runs, role="reviewer"),
        ApiRoute("/api/run", read_run, role="reviewer"),
        ApiRoute("/api/run/sample", read_sample, role="reviewer"),
        ApiRoute("/api/run/picture", read_picture, role="reviewer"),
        ApiRoute("/api/compare", compare, role="reviewer"),
    ]


def _image_response(
    request: Request,
    shot: Screenshot,
    read: Callable[[], bytes],
    media_type: str,
    *,
    immutable: bool = False,
) -> ImageResponse:
    """A picture; `immutable` ones, requested by hash, are cached for good, others revalidated."""
    tag = f'"{shot.sha256}-{request.query_params.get("w", "")}"'
    headers = {"ETag": tag, "Cache-Control": _FOREVER if immutable else "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return ImageResponse(status_code=304, headers=headers)
    return ImageResponse(read(), media_type=media_type, headers=headers)


def _visible_agent(request: Request) -> str | None:
    """The agent whose episodes alone a user may see; None for a reviewer, who sees all.

    A person's demonstrations have the agent "human/NAME".
    """
    user = current_user(request)
    return None if "reviewer" in user.roles else f"human/{user.name}"
