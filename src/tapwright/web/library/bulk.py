"""Changes of many episodes at once: tags, and the way to the trash and back.

A change is of episodes that were counted before. When others fit by then, nothing is changed.
"""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tapwright.errors import StoreError
from tapwright.store.catalog import Catalog
from tapwright.store.filters import Condition, has_id
from tapwright.store.ids import directory_name
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import check_tags, undo_tags, write_tags
from tapwright.store.trash import list_trash, restore_episode, trash_episode
from tapwright.web.errors import SelectionChangedError

__all__ = [
    "BulkResult",
    "EpisodeSelection",
    "remove_episodes",
    "restore_episodes",
    "select_episodes",
    "selected_ids",
    "tag_episodes",
    "untag_episodes",
]


@dataclass(frozen=True, slots=True)
class EpisodeSelection:
    """How many episodes a filter selects; `stamp` is another when others are selected."""

    count: int
    stamp: str


@dataclass(frozen=True, slots=True)
class LeftEpisode:
    """An episode that was left as it is, and the code of the error."""

    id: str
    code: str


@dataclass(frozen=True, slots=True)
class BulkResult:
    """The `episodes` that were changed, and those that were left; `change` undoes it."""

    change: str
    episodes: tuple[str, ...]
    left: tuple[LeftEpisode, ...]


def select_episodes(catalog: Catalog, wanted: Condition) -> EpisodeSelection:
    """The episodes that meet a condition."""
    return _describe(catalog.ids(Selection(), wanted))


def selected_ids(
    catalog: Catalog, ids: Sequence[str], wanted: Condition, stamp: str
) -> Sequence[str]:
    """The ids that were named, or without those all that meet a condition.

    Raises:
        SelectionChangedError: an episode that was named is gone, or the selection has not `stamp`.
    """
    if ids:
        found = catalog.ids(Selection(), has_id(ids))
        changed = set(found) != set(ids)
    else:
        found = catalog.ids(Selection(), wanted)
        changed = _describe(found).stamp != stamp
    if changed:
        raise SelectionChangedError(
            f"other episodes are selected now: {len(found)}",
            hint="look at the list again, and select anew",
            values={"count": len(found)},
        )
    return found


def tag_episodes(
    store: EpisodeStore, ids: Sequence[str], add: Sequence[str], remove: Sequence[str]
) -> BulkResult:
    """Add and remove tags; those that have them already are not told.

    Raises:
        UsageError: one is no tag.
        DiskError: the disk is full or not writable; some may have been changed.
    """
    check_tags((*add, *remove))
    change = secrets.token_hex(8)
    return _change_each(
        ids,
        change,
        lambda id_: write_tags(
            store.history(id_).directory, add=add, remove=remove, edit_id=change
        ),
    )


def untag_episodes(store: EpisodeStore, ids: Sequence[str], change: str) -> BulkResult:
    """Undo what `tag_episodes` did to episodes; raises as it does."""
    undo = secrets.token_hex(8)
    return _change_each(
        ids, undo, lambda id_: undo_tags(store.history(id_).directory, change, edit_id=undo)
    )


def remove_episodes(store: EpisodeStore, ids: Sequence[str]) -> BulkResult:
    """Move episodes to the trash of their store; one that is being recorded or edited is left.

    Raises:
        DiskError: the disk is full or not writable; some may have been moved.
    """
    removal = secrets.token_hex(4)

    def move(id_: str) -> bool:
        trash_episode(store.root, id_, removal=removal)
        return True

    return _change_each(ids, removal, move)


def restore_episodes(store: EpisodeStore, removal: str) -> BulkResult:
    """Put back what one removal moved to the trash; one whose id is taken by now is left.

    Raises:
        CorruptEpisodeError: the trash cannot be read.
        DiskError: the store is not writable; some may have been put back.
    """
    trashed = {one.id: one for one in list_trash(store.root) if one.removal == removal}

    def move(id_: str) -> bool:
        restore_episode(store.root, trashed[id_])
        return True

    return _change_each(tuple(trashed), removal, move)


def _change_each(ids: Sequence[str], change: str, work: Callable[[str], bool]) -> BulkResult:
    changed, left = [], []
    for id_ in ids:
        try:
            if work(id_):
                changed.append(id_)
        except StoreError as error:
            left.append(LeftEpisode(id_, error.code))
    return BulkResult(change, tuple(changed), tuple(left))


def _describe(ids: Sequence[str]) -> EpisodeSelection:
    names = "\n".join(sorted(map(directory_name, ids)))
    return EpisodeSelection(len(ids), hashlib.sha256(names.encode()).hexdigest()[:16])
