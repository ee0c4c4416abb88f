"""Selects episodes of a store."""

from collections.abc import Sequence

from tapwright.errors import NothingFoundError, quote_path
from tapwright.store.store import EpisodeStore

__all__ = ["select_episodes"]


def select_episodes(store: EpisodeStore, ids: Sequence[str] = ()) -> list[str]:
    """These episodes, or all of a store.

    Raises:
        NothingFoundError: there are none.
    """
    selected = list(ids) or store.ids()
    if not selected:
        raise NothingFoundError(
            f"{store.root}: no episodes",
            hint=f"tapwright record --agent script -o {quote_path(store.root)}",
        )
    return selected
