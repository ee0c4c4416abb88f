"""The library's addresses below "/api/": what a page asks is read strictly, and answered as JSON.

Ids and names come in the query and are looked up, never joined to a path. Whoever only annotates
sees the episodes that they recorded themselves; reviews and runs are for reviewers.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from tapwright.annotate.review import ReviewState
from tapwright.observation import Observation
from tapwright.screenshot import Screenshot
from tapwright.store.catalog import CatalogQuery
from tapwright.web.asked import body_as, number_of, value_of
from tapwright.web.auth import ApiRoute, user
from tapwright.web.errors import RequestError
from tapwright.web.library.edits import edit_episode, preview_edit, turn
from tapwright.web.library.episodes import Json, Sort, Which, tree_json
from tapwright.web.library.library import Library
from tapwright.web.library.reviews import Shown

__all__ = ["routes"]

T = TypeVar("T", bound=str)
B = TypeVar("B", bound=BaseModel)

_THUMB_PX = 160
_WIDTHS = range(40, 1081)
_FOREVER = "private, max-age=31536000, immutable"
Words = Annotated[str, Field(max_length=100_000)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Version(_Body):
    id: str
    version: int


class _Edit(_Version):
    modifiers: Words


class _Review(_Body):
    annotator: str
    episode: str
    step: int
    frame: str
    lines: int
    state: ReviewState
    reasoning: Words | None = None
    target: Words | None = None
    code: Annotated[str, Field(max_length=200)] = ""


def routes(library: Library) -> list[BaseRoute]:
    """The routes of the episodes, the review queue and the runs."""
    return [*_episode_routes(library), *_edit_routes(library), *_review_routes(library),
            *_run_routes(library)]  # fmt: skip


def _episode_routes(library: Library) -> list[BaseRoute]:
    def episodes(request: Request) -> Response:
        wanted = CatalogQuery(
            text=value_of(request, "q", ""),
            task=value_of(request, "task", ""),
            app=value_of(request, "app", ""),
            outcome=value_of(request, "outcome", ""),
            agent=value_of(request, "agent", ""),
        )
        sort: Sort = _one_of(request, "sort", get_args(Sort))
        page = number_of(request, "page", 0)
        shelf = library.shelf(value_of(request, "run", ""))
        return _json(shelf.page(wanted, sort=sort, page=page, own=_own(request)))

    def episode(request: Request) -> Response:
        shelf = library.shelf(value_of(request, "run", ""))
        told = shelf.words(value_of(request, "id"), _version(request), own=_own(request))
        return _json({**told, "may_edit": _may_edit(request)})

    def frame(request: Request) -> Response:
        shot = _screen(request).screenshot
        return _picture(request, shot, lambda: shot.data, shot.media_type)

    def thumb(request: Request) -> Response:
        width_px = number_of(request, "w", _THUMB_PX)
        if width_px not in _WIDTHS:
            raise RequestError(f"w={width_px}: a thumbnail is 40 to 1080 pixels wide")
        shelf = library.shelf(value_of(request, "run", ""))
        shot = _screen(request).screenshot
        return _picture(request, shot, lambda: shelf.thumb(shot, width_px), "image/jpeg")

    def tree(request: Request) -> Response:
        shelf = library.shelf(value_of(request, "run", ""))
        id_, version, number = value_of(request, "episode"), _version(request), _step(request)
        seen = _screen(request)
        step = None
        if _which(request) == "before":
            step = shelf.episode(id_, version, _own(request)).steps[number]
        return _json(tree_json(seen, step))

    def _screen(request: Request) -> Observation:
        """The screen with a hash, or the one at a step."""
        shelf = library.shelf(value_of(request, "run", ""))
        id_, version, own = value_of(request, "episode"), _version(request), _own(request)
        if sha256 := value_of(request, "sha", ""):
            return shelf.screen_of(id_, version, sha256, own)
        return shelf.screen(id_, version, _step(request), _which(request), own)

    return [
        ApiRoute("/api/episodes", episodes, role="annotator"),
        ApiRoute("/api/episode", episode, role="annotator"),
        ApiRoute("/api/frame", frame, role="annotator"),
        ApiRoute("/api/thumb", thumb, role="annotator"),
        ApiRoute("/api/tree", tree, role="annotator"),
    ]


def _edit_routes(library: Library) -> list[BaseRoute]:
    store = library.store
    post = ("POST",)

    def undone(asked: _Version) -> Json:
        return turn(store, asked.id, asked.version, back=True)

    def redone(asked: _Version) -> Json:
        return turn(store, asked.id, asked.version, back=False)

    def preview(asked: _Edit) -> Json:
        return preview_edit(store, asked.id, asked.version, asked.modifiers)

    def edited(asked: _Edit) -> Json:
        return edit_episode(store, asked.id, asked.version, asked.modifiers)

    return [
        ApiRoute("/api/edit/preview", _doing(_Edit, preview), role="reviewer", methods=post),
        ApiRoute("/api/edit", _doing(_Edit, edited), role="reviewer", methods=post),
        ApiRoute("/api/undo", _doing(_Version, undone), role="reviewer", methods=post),
        ApiRoute("/api/redo", _doing(_Version, redone), role="reviewer", methods=post),
    ]


def _review_routes(library: Library) -> list[BaseRoute]:
    queue = library.reviews

    def annotators(request: Request) -> Response:
        names, unreadable = queue.annotators()
        rows = [{"name": name, **queue.progress(name)} for name in names]
        store = str(library.store.root)
        return _json({"annotators": [*rows], "unreadable": [*unreadable], "store": store})

    def following(request: Request) -> Response:
        episode = value_of(request, "episode", "")
        after = (episode, _step(request)) if episode else None
        show: Shown = _one_of(request, "show", get_args(Shown))
        back = value_of(request, "back", "") == "1"
        annotator = value_of(request, "annotator")
        return _json(queue.next(annotator, show=show, after=after, back=back))

    def item(request: Request) -> Response:
        id_, annotator = value_of(request, "episode"), value_of(request, "annotator")
        told = queue.item(annotator, id_, _step(request))
        return _json({"item": told, "progress": queue.progress(annotator)})

    async def review(request: Request) -> Response:
        asked = await body_as(request, _Review)
        told = await asyncio.to_thread(
            queue.review,
            asked.annotator,
            asked.episode,
            asked.step,
            frame=asked.frame,
            state=asked.state,
            lines=asked.lines,
            who=user(request).name,
            reasoning=asked.reasoning,
            target=asked.target,
            code=asked.code,
        )
        return _json(told)

    return [
        ApiRoute("/api/review/annotators", annotators, role="reviewer"),
        ApiRoute("/api/review/next", following, role="reviewer"),
        ApiRoute("/api/review/item", item, role="reviewer"),
        ApiRoute("/api/review", review, role="reviewer", methods=("POST",)),
    ]


def _run_routes(library: Library) -> list[BaseRoute]:
    runs = library.runs

    def listed(request: Request) -> Response:
        return _json(runs.summaries())

    def run(request: Request) -> Response:
        return _json(runs.run(value_of(request, "name")))

    def sample(request: Request) -> Response:
        return _json(runs.sample(value_of(request, "name"), value_of(request, "key")))

    def picture(request: Request) -> Response:
        seen = runs.seen(value_of(request, "name"), value_of(request, "key"))
        shot, width_px = seen.screenshot, number_of(request, "w", 0)
        if not width_px:
            return _picture(request, shot, lambda: shot.data, shot.media_type)
        if width_px not in _WIDTHS:
            raise RequestError(f"w={width_px}: a thumbnail is 40 to 1080 pixels wide")
        draw = library.episodes.thumb
        return _picture(request, shot, lambda: draw(shot, width_px), "image/jpeg")

    def compared(request: Request) -> Response:
        return _json(runs.compared(value_of(request, "a"), value_of(request, "b")))

    return [
        ApiRoute("/api/runs", listed, role="reviewer"),
        ApiRoute("/api/run", run, role="reviewer"),
        ApiRoute("/api/run/sample", sample, role="reviewer"),
        ApiRoute("/api/run/picture", picture, role="reviewer"),
        ApiRoute("/api/compare", compared, role="reviewer"),
    ]


def _doing(kind: type[B], do: Callable[[B], Json]) -> Callable[..., Awaitable[Response]]:
    """A handler that reads a body and does what it asks for in a thread, as the disk is slow."""

    async def handle(request: Request) -> Response:
        return _json(await asyncio.to_thread(do, await body_as(request, kind)))

    return handle


def _json(told: Json) -> Response:
    # In ASCII, because half an emoji, which models do write, has no UTF-8.
    data = json.dumps(told, separators=(",", ":"), allow_nan=False)
    return Response(data, media_type="application/json")


def _picture(
    request: Request, shot: Screenshot, data: Callable[[], bytes], media_type: str
) -> Response:
    """A picture: asked for by its hash it is kept for good, else a browser asks again."""
    tag = f'"{shot.sha256}-{request.query_params.get("w", "")}"'
    known = "sha" in request.query_params
    headers = {"ETag": tag, "Cache-Control": _FOREVER if known else "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data(), media_type=media_type, headers=headers)


def _own(request: Request) -> str | None:
    """The agent whose episodes alone the one who asks may see; None when it is everybody's.

    A person's demonstrations have the agent "human/NAME".
    """
    who = user(request)
    return None if "reviewer" in who.roles else f"human/{who.name}"


def _may_edit(request: Request) -> bool:
    return "reviewer" in user(request).roles and not value_of(request, "run", "")


def _version(request: Request) -> int | None:
    return number_of(request, "version", 0) or None


def _step(request: Request) -> int:
    return number_of(request, "step", 0)


def _which(request: Request) -> Which:
    return _one_of(request, "which", get_args(Which))


def _one_of(request: Request, name: str, choices: tuple[T, ...]) -> T:
    """One of a few words in the query; the first of them when there is none.

    Raises:
        RequestError: it is another word.
    """
    text = value_of(request, name, choices[0])
    for choice in choices:
        if choice == text:
            return choice
    raise RequestError(f"{name}={text[:40]!r}; expected one of {', '.join(choices)}")
