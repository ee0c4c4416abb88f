"""The routes of the review of whole recordings, for reviewers; who recorded one may rate it."""

from datetime import UTC, datetime
from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.store.recording_reviews import RecordingReviewState
from tapwright.web.api import ApiRoute, Body, Query
from tapwright.web.auth import current_user
from tapwright.web.library import recording_queue
from tapwright.web.library.bulk import (
    BulkChanges,
    EpisodeSelection,
    check_selection,
    describe_selection,
)
from tapwright.web.library.bulk_jobs import JobView
from tapwright.web.library.bulk_routes import job_view
from tapwright.web.library.review_filter import hours_before

__all__ = ["routes"]

Number: TypeAlias = Annotated[int, Field(ge=0, lt=10**9)]
Hours: TypeAlias = Annotated[int, Field(ge=0, le=100 * 365 * 24)]


class WantedRecordings(BaseModel):
    """Recordings by the state of their review; `waiting_h` hours ago or longer they were made."""

    show: recording_queue.ShownRecordings = "open"
    task: str = ""
    app: str = ""
    agent: str = ""
    waiting_h: Hours = 0


class RecordingsQuery(Query, WantedRecordings):
    """A page of the recordings that fit, from 0."""

    page: Number = 0


class NextRecordingQuery(RecordingsQuery):
    """The recording behind `after`."""

    after: str = ""


class RecordingReviewBody(Body):
    """A review or a comment; `lines` is how many of both the page has read."""

    id: str
    version: Number
    lines: Number
    state: RecordingReviewState
    text: Annotated[str, Field(max_length=4000)] = ""


class RecordingsBulkBody(Body, WantedRecordings):
    """What the recordings of a filter become, which `GET api/review/recordings/bulk` counted."""

    stamp: str
    state: recording_queue.StateOfMany
    text: Annotated[str, Field(max_length=4000)] = ""


def routes(queue: recording_queue.RecordingQueue, bulk: BulkChanges) -> list[BaseRoute]:
    """`api/review/recordings` and what belongs to it."""

    def list_recordings(request: Request, query: RecordingsQuery) -> recording_queue.RecordingPage:
        return queue.page(_wanted(query), query.page)

    def next_recording(
        request: Request, query: NextRecordingQuery
    ) -> recording_queue.NextRecording:
        return queue.next(_wanted(query), query.after)

    def read_recording(request: Request, id: str) -> recording_queue.RecordingItem:
        return queue.item(id)

    def review(request: Request, body: RecordingReviewBody) -> recording_queue.RecordingItem:
        return queue.review(
            body.id,
            body.state,
            version=body.version,
            lines=body.lines,
            text=body.text,
            who=current_user(request).name,
        )

    def rate(
        request: Request,
        id: str,
        rating: Annotated[int, Field(ge=1, le=5)],
        text: Annotated[str, Field(max_length=4000)] = "",
    ) -> None:
        queue.rate(id, rating, text=text, who=current_user(request).name)

    def count_recordings(request: Request, query: RecordingsQuery) -> EpisodeSelection:
        return describe_selection(queue.select(_wanted(query)))

    def review_recordings(request: Request, body: RecordingsBulkBody) -> JobView:
        ids = check_selection(queue.select(_wanted(body)), body.stamp)
        of_many = recording_queue.ReviewOfMany(body.state, body.text, current_user(request).name)
        return job_view(request, bulk.review(ids, of_many))

    return [
        ApiRoute("/api/review/recordings", list_recordings, role="reviewer"),
        ApiRoute("/api/review/recordings/bulk", count_recordings, role="reviewer"),
        ApiRoute("/api/review/recordings/bulk", review_recordings, role="reviewer", method="POST"),
        ApiRoute("/api/review/recordings/next", next_recording, role="reviewer"),
        ApiRoute("/api/review/recording", read_recording, role="reviewer"),
        ApiRoute("/api/review/recording", review, role="reviewer", method="POST"),
        ApiRoute("/api/recordings/rate", rate, role="annotator", method="POST"),
    ]


def _wanted(query: WantedRecordings) -> recording_queue.RecordingFilter:
    now = datetime.now(UTC)
    before = hours_before(now, query.waiting_h) if query.waiting_h else ""
    return recording_queue.RecordingFilter(query.show, query.task, query.app, query.agent, before)
