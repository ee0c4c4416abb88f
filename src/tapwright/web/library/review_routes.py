"""The routes of the review page: annotators, the queue of steps, reviews; all for reviewers."""

import asyncio
from datetime import UTC, datetime
from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.annotate.review import ReviewState
from tapwright.web.api import ApiRoute, Body, Query
from tapwright.web.auth import current_user
from tapwright.web.library import review_views
from tapwright.web.library.review_filter import ReviewFacets, ShownState, StepFilter, hours_before
from tapwright.web.library.review_groups import GroupResult, ReviewGroupList, ReviewGroups, Selected
from tapwright.web.library.review_queue import ReviewQueue

__all__ = ["routes"]

Text: TypeAlias = Annotated[str, Field(max_length=100_000)]
Number: TypeAlias = Annotated[int, Field(ge=0, lt=10**9)]
Hours: TypeAlias = Annotated[int, Field(ge=0, le=100 * 365 * 24)]


class WantedSteps(BaseModel):
    """Steps of an annotator; `waiting_h` hours ago or longer they were annotated."""

    annotator: str
    show: ShownState = "open"
    code: str = ""
    app: str = ""
    differs: bool = False
    waiting_h: Hours = 0


class FilterQuery(Query, WantedSteps):
    """The steps that fit."""


class NextReviewQuery(FilterQuery):
    """The step after (or, with `back`, before) a step of an episode, or the first of the queue."""

    episode: str = ""
    step: Number = 0
    back: bool = False


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


class BulkBody(Body, WantedSteps):
    """What `GET api/review/bulk` counted, with its filter."""

    count: Number
    selection: str


class DecisionBody(Body):
    """Whose words hold for a step, "" for those given here; `lines` is by annotator."""

    annotator: str
    episode: str
    step: int
    frame: str
    lines: dict[str, int]
    chosen: str
    reasoning: Text = ""
    target: Text = ""


def routes(queue: ReviewQueue, store: str) -> list[BaseRoute]:
    """`api/review/…`, of the steps that were annotated."""
    groups = ReviewGroups(queue)

    def list_annotators(request: Request) -> review_views.AnnotatorList:
        names, unreadable = queue.annotators()
        views = tuple(review_views.AnnotatorView(name, queue.progress(name)) for name in names)
        return review_views.AnnotatorList(views, tuple(unreadable), store)

    def count_steps(request: Request, query: FilterQuery) -> ReviewFacets:
        now = datetime.now(UTC)
        return queue.facets(query.annotator, _wanted(query, now), now)

    def next_review(request: Request, query: NextReviewQuery) -> review_views.NextReview:
        after = (query.episode, query.step) if query.episode else None
        return queue.next(
            query.annotator, _wanted(query, datetime.now(UTC)), after=after, back=query.back
        )

    def read_item(
        request: Request, annotator: str, episode: str, step: Number = 0
    ) -> review_views.NextReview:
        item = queue.item(annotator, episode, step)
        return review_views.NextReview(item, queue.progress(annotator))

    async def review(request: Request, body: ReviewBody) -> review_views.ReviewResult:
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

    def count_bulk(request: Request, query: FilterQuery) -> Selected:
        return groups.select(query.annotator, _wanted(query, datetime.now(UTC)))

    def accept_bulk(request: Request, body: BulkBody) -> GroupResult:
        wanted = _wanted(body, datetime.now(UTC))
        counted = Selected(body.count, 0, body.selection)
        return groups.accept(body.annotator, wanted, counted, current_user(request).name)

    def undo(
        request: Request, annotator: str, group: Annotated[str, Field(min_length=1, max_length=100)]
    ) -> GroupResult:
        return groups.undo(annotator, group, current_user(request).name)

    def list_groups(request: Request, annotator: str) -> ReviewGroupList:
        return groups.latest(annotator)

    def decide(request: Request, body: DecisionBody) -> GroupResult:
        return groups.adjudicate(
            body.annotator,
            body.episode,
            body.step,
            frame=body.frame,
            lines=body.lines,
            chosen=body.chosen,
            reasoning=body.reasoning,
            target=body.target,
            who=current_user(request).name,
        )

    def comment(
        request: Request,
        annotator: str,
        episode: str,
        step: int,
        frame: str,
        text: Annotated[str, Field(max_length=4000)],
    ) -> review_views.CommentList:
        return queue.comment(
            annotator, episode, step, frame=frame, text=text, who=current_user(request).name
        )

    return [
        ApiRoute("/api/review/annotators", list_annotators, role="reviewer"),
        ApiRoute("/api/review/facets", count_steps, role="reviewer"),
        ApiRoute("/api/review/next", next_review, role="reviewer"),
        ApiRoute("/api/review/item", read_item, role="reviewer"),
        ApiRoute("/api/review", review, role="reviewer", method="POST"),
        ApiRoute("/api/review/bulk", count_bulk, role="reviewer"),
        ApiRoute("/api/review/bulk", accept_bulk, role="reviewer", method="POST"),
        ApiRoute("/api/review/groups", list_groups, role="reviewer"),
        ApiRoute("/api/review/undo", undo, role="reviewer", method="POST"),
        ApiRoute("/api/review/decide", decide, role="reviewer", method="POST"),
        ApiRoute("/api/review/comment", comment, role="reviewer", method="POST"),
    ]


def _wanted(query: WantedSteps, now: datetime) -> StepFilter:
    """The filter that a query states; its age is reckoned from the last whole minute."""
    whole = now.replace(second=0, microsecond=0)
    before = hours_before(whole, query.waiting_h) if query.waiting_h else ""
    return StepFilter(query.show, query.code, query.app, query.differs, before)
