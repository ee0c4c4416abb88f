"""Finds attempts that ended and that no ledger names: their process died in between."""

from collections.abc import Collection

from tapwright.core.episode import Episode
from tapwright.store.store import EpisodeStore

__all__ = ["find_unclaimed"]


def find_unclaimed(store: EpisodeStore, claimed: Collection[str]) -> dict[str, list[Episode]]:
    """The episodes of a store that ended and whose ids are not `claimed`, by their tasks.

    Raises:
        CorruptEpisodeError: the header or end of one cannot be read.
    """
    found: dict[str, list[Episode]] = {}
    for id_ in store.ids():
        if id_ in claimed:
            continue
        episode = store.open(id_)
        if episode.has_ended:
            found.setdefault(episode.task_id, []).append(episode)
    return found
