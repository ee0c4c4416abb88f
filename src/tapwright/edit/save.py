"""Saves edited episodes in the store that they came from, each as a new version."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tapwright.edit.modifiers import Instructions, apply_modifiers
from tapwright.episode import Episode
from tapwright.errors import UsageError
from tapwright.store.errors import EpisodeExistsError
from tapwright.store.store import EpisodeStore

__all__ = ["SavedEdit", "edit_episodes", "save_edits"]


@dataclass(frozen=True, slots=True)
class SavedEdit:
    """The result for one episode: its `version` from now on; of a removed one, its last."""

    id: str
    what: Literal["edited", "new", "removed"]
    version: int


def edit_episodes(
    store: EpisodeStore,
    ids: Sequence[str],
    modifiers: str,
    *,
    instructions: Instructions | None = None,
) -> list[SavedEdit]:
    """Apply `modifiers` to episodes of a store, and save the results.

    The modifiers' indices count `ids` from 0.

    Raises:
        BadModifierError: a modifier is malformed or does not apply; then nothing was changed.
        StoreError: as `save_edits` raises.
    """
    before = [store.open(id_) for id_ in ids]
    after = apply_modifiers(before, modifiers, instructions=instructions)
    return save_edits(store, before, after, edit=modifiers)


def save_edits(
    store: EpisodeStore, before: Sequence[Episode], after: Sequence[Episode], *, edit: str
) -> list[SavedEdit]:
    """Store the edited episodes `after`, which were read as `before`.

    An episode that both have under one id gets a new version if it changed, one that only `after`
    has is written, and one that only `before` has is removed, in this order: whatever happens in
    between, all that was there can still be read.

    Raises:
        UsageError: two of `after` share an id; then nothing was changed.
        EpisodeExistsError: the store has another episode of a new one's id; nothing was changed.
        EditConflictError: an episode was edited since it was read; the others may be saved already.
    """
    left = {episode.id: episode for episode in after}
    if len(left) < len(after):
        raise UsageError("two of the edited episodes have the same id")
    old = {episode.id: episode for episode in before}
    new = [episode for episode in after if episode.id not in old]
    for episode in new:
        if episode.id in store:
            raise EpisodeExistsError(
                f"{store.root}: the store has an episode {episode.id!r} already",
                hint='name the second part yourself: split:3:"a new name"',
            )
    return list(_save_all(store, old, left, new, edit))


def _save_all(
    store: EpisodeStore,
    old: dict[str, Episode],
    left: dict[str, Episode],
    new: Sequence[Episode],
    edit: str,
) -> Iterator[SavedEdit]:
    for episode in new:
        store.write(episode)
        yield SavedEdit(episode.id, "new", episode.version)
    for id_, was in old.items():
        episode = left.get(id_, was)
        if episode is not was:
            yield SavedEdit(id_, "edited", store.save(was, episode, edit=edit).version)
    for id_, was in old.items():
        if id_ not in left:
            store.remove(was, edit=edit)
            yield SavedEdit(id_, "removed", was.version)
