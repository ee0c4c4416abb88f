"""The data of the library pages: a store's episodes, their reviews, and evaluation runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.store.store import EpisodeStore
from tapwright.web.library.bulk import BulkChanges
from tapwright.web.library.episodes import Episodes
from tapwright.web.library.recording_queue import RecordingQueue
from tapwright.web.library.review_queue import ReviewQueue
from tapwright.web.library.run_comparison import RunComparison
from tapwright.web.library.runs import Runs

if TYPE_CHECKING:
    from tapwright.web.team.queue import Queue

__all__ = ["Library"]


class Library:
    """One store and the runs in some directories."""

    def __init__(
        self,
        store: EpisodeStore,
        runs: Sequence[Path] = (),
        *,
        data: Sequence[Path] = (),
        assignments: "Queue | None" = None,
    ) -> None:
        self.store = store
        self.episodes = Episodes(store)
        self.reviews = ReviewQueue(self.episodes.catalog)
        self.recordings = RecordingQueue(self.episodes.catalog, assignments)
        self.bulk = BulkChanges(self.episodes.catalog, self.recordings)
        self.runs = Runs(runs, data)
        self.comparison = RunComparison(self.runs)

    def close(self) -> None:
        """Stop the work that goes on behind the pages, and wait for its end."""
        self.bulk.jobs.close()

    def episodes_of(self, run: str) -> Episodes:
        """The episodes of the run with this name, or with "" those of the store.

        Raises:
            ResourceNotFoundError: there is no such run.
        """
        return self.runs.episodes(run) if run else self.episodes
