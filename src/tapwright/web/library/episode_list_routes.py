"""The routes of lists of episodes: pages, facets, files to keep, and how many a filter selects."""

from typing import Annotated, TypeAlias

from pydantic import ConfigDict, Field, Json
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.store.filters import EVERY, has_id
from tapwright.store.selection import Selection
from tapwright.web.api import ApiRoute, FileResponse, Query
from tapwright.web.auth import current_user
from tapwright.web.library.bulk import EpisodeSelection, select_episodes
from tapwright.web.library.episode_filter import EpisodeFacets, EpisodeFilter, count_facets
from tapwright.web.library.episodes import EpisodePage, visible_to
from tapwright.web.library.library import Library
from tapwright.web.table_files import ExportFormat, export_entries, table_response

__all__ = ["routes", "visible_agent"]

Number: TypeAlias = Annotated[int, Field(ge=0, lt=10**9)]


class EpisodesQuery(Query, EpisodeFilter):
    """Filters that are not empty have to match; `run` names a run whose episodes are meant."""

    model_config = ConfigDict(extra="ignore")

    run: str = ""


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


def routes(library: Library) -> list[BaseRoute]:
    """`api/episodes` and what only reads below it."""

    def list_episodes(request: Request, query: EpisodePageQuery) -> EpisodePage:
        return library.episodes_of(query.run).page(
            query.condition(),
            sort=query.sort,
            page=query.page,
            agent=visible_agent(request),
        )

    def count_episodes(request: Request, query: EpisodesQuery) -> EpisodeFacets:
        catalog = library.episodes_of(query.run).catalog
        return count_facets(catalog, query, visible_to(visible_agent(request)))

    def export(request: Request, query: EpisodeExportQuery) -> FileResponse:
        wanted = query.condition() & visible_to(visible_agent(request))
        named = has_id(query.ids) if query.ids else EVERY
        catalog = library.episodes_of(query.run).catalog
        entries = catalog.select(Selection(sort=query.sort), wanted & named)
        table = export_entries(entries, query.format)
        return table_response(table, query.run or "episodes", query.format)

    def select(request: Request, query: EpisodesQuery) -> EpisodeSelection:
        return select_episodes(library.episodes_of(query.run).catalog, query.condition())

    return [
        ApiRoute("/api/episodes", list_episodes, role="annotator"),
        ApiRoute("/api/episodes/facets", count_episodes, role="annotator"),
        ApiRoute("/api/episodes/export", export, role="annotator"),
        ApiRoute("/api/episodes/selection", select, role="reviewer"),
    ]


def visible_agent(request: Request) -> str | None:
    """The agent whose episodes alone a user may see; None for a reviewer, who sees all.

    A person's demonstrations have the agent "human/NAME".
    """
    user = current_user(request)
    return None if "reviewer" in user.roles else f"human/{user.name}"
