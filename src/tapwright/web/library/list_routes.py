"""The routes of lists of episodes: pages, facets, files to keep, and changes of many at once."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, TypeAlias
from urllib.parse import quote

from pydantic import Field, Json
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.store.filters import EVERY, has_id
from tapwright.store.ids import directory_name
from tapwright.store.selection import Selection
from tapwright.web.api import ApiRoute, Body, FileResponse, Query
from tapwright.web.auth import current_user
from tapwright.web.library.bulk import (
    BulkResult,
    EpisodeSelection,
    remove_episodes,
    restore_episodes,
    select_episodes,
    selected_ids,
    tag_episodes,
    untag_episodes,
)
from tapwright.web.library.episode_filter import EpisodeFacets, EpisodeFilter, count_facets
from tapwright.web.library.episodes import EpisodePage, visible_to
from tapwright.web.library.library import Library
from tapwright.web.library.table_files import MEDIA_TYPES, ExportFormat, export_entries

__all__ = ["routes", "visible_agent"]

Tags: TypeAlias = Annotated[tuple[str, ...], Field(max_length=100)]
Change: TypeAlias = Annotated[str, Field(min_length=8)]
Number: TypeAlias = Annotated[int, Field(ge=0, lt=10**9)]


class EpisodesQuery(Query):
    """Filters that are not empty have to match; `run` names a run whose episodes are meant.

    `q` is a text in id, task or instruction, or a filter such as `steps > 3 and app == "notes"`.
    """

    q: str = ""
    task: str = ""
    app: str = ""
    suite: str = ""
    outcome: str = ""
    agent: str = ""
    language: str = ""
    tag: str = ""
    run: str = ""

    def filter(self) -> EpisodeFilter:
        """The filter that these parameters name."""
        values = {field.name: getattr(self, field.name) for field in fields(EpisodeFilter)}
        return EpisodeFilter(**values)


class SortedQuery(EpisodesQuery):
    """These episodes by a column of the filter language, with "-" the largest first."""

    sort: str = "-created"


class EpisodePageQuery(SortedQuery):
    """A page of these episodes, from 0."""

    page: Number = 0


class EpisodeExportQuery(SortedQuery):
    """These episodes, or those of the JSON list `ids` alone, as a file."""

    ids: Json[tuple[str, ...]] = ()
    format: ExportFormat = "csv"


class SelectionBody(Body):
    """Episodes of the store: those of `ids`, or all that fit the filter, which had `stamp`."""

    ids: tuple[str, ...] = ()
    filter: EpisodeFilter = EpisodeFilter()
    stamp: str = ""


class TagBody(SelectionBody):
    """Tags that these episodes get and lose."""

    add: Tags = ()
    remove: Tags = ()


class TagUndoBody(Body):
    """A change of tags, and the episodes that it changed."""

    change: Change
    ids: tuple[str, ...]


class RestoreBody(Body):
    """A change that moved episodes to the trash."""

    change: Change


def routes(library: Library) -> list[BaseRoute]:
    """`api/episodes` and below it; who only annotates changes nothing here."""
    store = library.store

    def list_episodes(request: Request, query: EpisodePageQuery) -> EpisodePage:
        return library.episodes_of(query.run).page(
            query.filter().condition(),
            sort=query.sort,
            page=query.page,
            agent=visible_agent(request),
        )

    def count_episodes(request: Request, query: EpisodesQuery) -> EpisodeFacets:
        catalog = library.episodes_of(query.run).catalog
        return count_facets(catalog, query.filter(), visible_to(visible_agent(request)))

    def export(request: Request, query: EpisodeExportQuery) -> FileResponse:
        wanted = query.filter().condition() & visible_to(visible_agent(request))
        named = has_id(query.ids) if query.ids else EVERY
        catalog = library.episodes_of(query.run).catalog
        entries = catalog.select(Selection(sort=query.sort), wanted & named)
        name = quote(f"{query.run.replace('/', '-') or 'episodes'}.{query.format}", safe="")
        return FileResponse(
            export_entries(entries, query.format),
            media_type=MEDIA_TYPES[query.format],
            headers={"Content-Disposition": f"attachment; filename*=UTF-8''{name}"},
        )

    def select(request: Request, query: EpisodesQuery) -> EpisodeSelection:
        return select_episodes(library.episodes_of(query.run).catalog, query.filter().condition())

    def find(body: SelectionBody) -> Sequence[str]:
        catalog = library.episodes.catalog
        return selected_ids(catalog, body.ids, body.filter.condition(), body.stamp)

    def told(result: BulkResult) -> BulkResult:
        for id_ in result.episodes:
            library.episodes.catalog.changed(directory_name(id_))
        return result

    def tag(request: Request, body: TagBody) -> BulkResult:
        return told(tag_episodes(store, find(body), body.add, body.remove))

    def untag(request: Request, body: TagUndoBody) -> BulkResult:
        return told(untag_episodes(store, body.ids, body.change))

    def remove(request: Request, body: SelectionBody) -> BulkResult:
        return told(remove_episodes(store, find(body)))

    def restore(request: Request, body: RestoreBody) -> BulkResult:
        return told(restore_episodes(store, body.change))

    return [
        ApiRoute("/api/episodes", list_episodes, role="annotator"),
        ApiRoute("/api/episodes/facets", count_episodes, role="annotator"),
        ApiRoute("/api/episodes/export", export, role="annotator"),
        ApiRoute("/api/episodes/selection", select, role="reviewer"),
        ApiRoute("/api/episodes/tag", tag, role="reviewer", method="POST"),
        ApiRoute("/api/episodes/tag/undo", untag, role="reviewer", method="POST"),
        ApiRoute("/api/episodes/remove", remove, role="reviewer", method="POST"),
        ApiRoute("/api/episodes/restore", restore, role="reviewer", method="POST"),
    ]


def visible_agent(request: Request) -> str | None:
    """The agent whose episodes alone a user may see; None for a reviewer, who sees all.

    A person's demonstrations have the agent "human/NAME".
    """
    user = current_user(request)
    return None if "reviewer" in user.roles else f"human/{user.name}"
