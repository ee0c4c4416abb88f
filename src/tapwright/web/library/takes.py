"""Several takes of one task side by side, for the pages."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.curate.takes import align_takes
from tapwright.store.filters import equals
from tapwright.store.selection import Selection
from tapwright.web.api import ApiRoute
from tapwright.web.episode_views import EntryView, EpisodeStepView, entry_view, step_view
from tapwright.web.library.library import Library

__all__ = ["routes"]

_MOST = 6


@dataclass(frozen=True, slots=True)
class TakeView:
    """A take and all its steps."""

    entry: EntryView
    steps: tuple[EpisodeStepView, ...]


@dataclass(frozen=True, slots=True)
class TakeRowView:
    """Steps that stand for the same, of each take its number, or None; `agreement` is 0 to 1."""

    steps: tuple[int | None, ...]
    agreement: float


@dataclass(frozen=True, slots=True)
class TakesView:
    """The latest takes of a task, of which there are `found`, and their steps in rows."""

    found: int
    takes: tuple[TakeView, ...]
    rows: tuple[TakeRowView, ...]


def routes(library: Library) -> list[BaseRoute]:
    """`api/takes`."""
    catalog = library.episodes.catalog

    def read_takes(request: Request, task: str) -> TakesView:
        wanted = equals("task", task)
        found = catalog.count(wanted)
        entries = catalog.page(Selection(), wanted, max(0, found - _MOST), _MOST)
        episodes = [library.episodes.episode(entry.id) for entry in entries]
        takes = tuple(
            TakeView(entry_view(entry), tuple(step_view(*one) for one in enumerate(episode.steps)))
            for entry, episode in zip(entries, episodes, strict=True)
        )
        rows = tuple(TakeRowView(row.steps, row.agreement) for row in align_takes(episodes))
        return TakesView(found, takes, rows)

    return [ApiRoute("/api/takes", read_takes, role="reviewer")]
