"""The routes of changes of many episodes: each begins a job, and is undone by the id of its change.

A job that is quick has ended when it is answered; the page asks after a slow one by its id.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import Field
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.web.api import ApiRoute, Body, DownloadResponse
from tapwright.web.auth import current_user
from tapwright.web.episode_views import view_of
from tapwright.web.error_responses import visible_error
from tapwright.web.errors import ResourceNotFoundError
from tapwright.web.library.bulk import selected_ids
from tapwright.web.library.bulk_export import ExportChoices, export_choices, start_export
from tapwright.web.library.bulk_jobs import BulkJob, JobView
from tapwright.web.library.bulk_ledger import ChangeFacts
from tapwright.web.library.episode_filter import EpisodeFilter
from tapwright.web.library.library import Library
from tapwright.web.library.recording_queue import ReviewOfMany, StateOfMany

__all__ = ["job_view", "routes"]

Tags: TypeAlias = Annotated[tuple[str, ...], Field(max_length=100)]
Id: TypeAlias = Annotated[str, Field(min_length=8, max_length=80)]
Name: TypeAlias = Annotated[str, Field(max_length=200)]

_QUICK_S = 0.3


class SelectionBody(Body):
    """Episodes of the store: those of `ids`, or all that fit the filter, which had `stamp`."""

    ids: tuple[str, ...] = ()
    filter: EpisodeFilter = EpisodeFilter()
    stamp: str = ""


class TagBody(SelectionBody):
    """Tags that these episodes get and lose."""

    add: Tags = ()
    remove: Tags = ()


class EditManyBody(SelectionBody):
    """Modifiers that each of these episodes gets, in the grammar of `tapwright episodes edit`."""

    modifiers: Annotated[str, Field(min_length=1, max_length=100_000)]


class ReviewManyBody(SelectionBody):
    """What these recordings become in the queue of reviews; "open" puts them back into it."""

    state: StateOfMany
    text: Annotated[str, Field(max_length=4000)] = ""


class ExportBody(SelectionBody):
    """The format that these episodes are written in; a training set needs a `convention`."""

    to: Name
    convention: Name = ""


@dataclass(frozen=True, slots=True)
class ChangeView(ChangeFacts):
    """A change of `total` episodes."""

    total: int


@dataclass(frozen=True, slots=True)
class ChangeList:
    """The last changes, the latest first, and the jobs that go on or have made a file."""

    changes: tuple[ChangeView, ...]
    jobs: tuple[JobView, ...]


def routes(library: Library) -> list[BaseRoute]:
    """What changes `api/episodes`; who only annotates changes nothing here."""
    bulk = library.bulk

    def find(body: SelectionBody) -> Sequence[str]:
        catalog = library.episodes.catalog
        return selected_ids(catalog, body.ids, body.filter.condition(), body.stamp)

    def tag(request: Request, body: TagBody) -> JobView:
        who = current_user(request).name
        return job_view(request, bulk.tag(find(body), body.add, body.remove, who))

    def edit_many(request: Request, body: EditManyBody) -> JobView:
        return job_view(request, bulk.edit(find(body), body.modifiers, current_user(request).name))

    def remove(request: Request, body: SelectionBody) -> JobView:
        return job_view(request, bulk.remove(find(body), current_user(request).name))

    def review_many(request: Request, body: ReviewManyBody) -> JobView:
        of_many = ReviewOfMany(body.state, body.text, current_user(request).name)
        return job_view(request, bulk.review(find(body), of_many))

    def undo_change(request: Request, change: Id) -> JobView:
        return job_view(request, bulk.undo(change, current_user(request).name))

    def list_changes(request: Request) -> ChangeList:
        return ChangeList(
            tuple(view_of(ChangeView, one, total=len(one.ids)) for one in bulk.latest()),
            tuple(job_view(request, job, 0) for job in bulk.jobs.kept()),
        )

    def read_job(request: Request, id: Id) -> JobView:
        job = bulk.jobs.find(id)
        return job_view(request, job)

    def stop_job(request: Request, id: Id) -> JobView:
        job = bulk.jobs.find(id)
        job.stopping.set()
        return job_view(request, job)

    def read_export_choices(request: Request) -> ExportChoices:
        return export_choices()

    def export_files(request: Request, body: ExportBody) -> JobView:
        ids = find(body)
        return job_view(
            request, start_export(bulk.jobs, library.store, ids, body.to, body.convention)
        )

    def read_job_file(request: Request, id: Id) -> DownloadResponse:
        file = bulk.jobs.find(id).file
        if file is None:
            raise ResourceNotFoundError("the file is gone", hint="export the episodes again")
        return DownloadResponse(file, filename=file.name)

    return [
        ApiRoute("/api/episodes/tag", tag, role="reviewer", method="POST"),
        ApiRoute("/api/episodes/edit", edit_many, role="reviewer", method="POST"),
        ApiRoute("/api/episodes/remove", remove, role="reviewer", method="POST"),
        ApiRoute("/api/episodes/review", review_many, role="reviewer", method="POST"),
        ApiRoute("/api/episodes/export", export_files, role="reviewer", method="POST"),
        ApiRoute("/api/episodes/export/choices", read_export_choices, role="reviewer"),
        ApiRoute("/api/changes", list_changes, role="reviewer"),
        ApiRoute("/api/changes/undo", undo_change, role="reviewer", method="POST"),
        ApiRoute("/api/jobs", read_job, role="reviewer"),
        ApiRoute("/api/jobs/stop", stop_job, role="reviewer", method="POST"),
        ApiRoute("/api/jobs/file", read_job_file, role="reviewer"),
    ]


def job_view(request: Request, job: BulkJob, wait_s: float = _QUICK_S) -> JobView:
    """A job as it stands once it has ended, or after a moment."""
    job.ended.wait(wait_s)
    return job.view(lambda error: visible_error(error, request))
