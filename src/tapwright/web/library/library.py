"""All that the library pages show: the episodes of a store, their reviews, and evaluation runs."""

from collections.abc import Sequence
from pathlib import Path

from tapwright.store.store import EpisodeStore
from tapwright.web.library.episodes import Episodes
from tapwright.web.library.reviews import ReviewQueue
from tapwright.web.library.runs import Runs

__all__ = ["Library"]


class Library:
    """One store and the runs in some directories."""

    def __init__(
        self, store: EpisodeStore, runs: Sequence[Path] = (), *, data: Sequence[Path] = ()
    ) -> None:
        self.store = store
        self.episodes = Episodes(store)
        self.reviews = ReviewQueue(self.episodes.catalog)
        self.runs = Runs(runs, data)

    def shelf(self, run: str) -> Episodes:
        """The episodes of the store, or with a run's name those that the run played.

        Raises:
            ResourceNotFoundError: there is no such run.
        """
        return self.runs.episodes(run) if run else self.episodes
