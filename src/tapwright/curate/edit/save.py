"""Saves edited episodes in the store that they came from, each as a new version."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tapwright.core.episode import Episode
from tapwright.curate.edit.journal import PendingEdit, open_journal
from tapwright.curate.edit.modifiers import Instructions, apply_modifiers
from tapwright.errors import UsageError
from tapwright.store.errors import EpisodeExistsError, EpisodeMissingError
from tapwright.store.store import EpisodeStore

__all__ = ["SavedEdit", "edit_episodes", "save_edits"]


@dataclass(frozen=True, slots=True)
class SavedEdit:
    """The result for one episode: its `version` from now on; of a removed one, its last.

    `earlier` is True when an earlier command saved it, which was interrupted or just the same.
    """

    id: str
    what: Literal["edited", "new", "removed"]
    version: int
    earlier: bool = False


def edit_episodes(
    store: EpisodeStore,
    ids: Sequence[str],
    modifiers: str,
    *,
    named: Sequence[str] | None = None,
    instructions: Instructions | None = None,
    once: bool = False,
) -> list[SavedEdit]:
    """Apply `modifiers` to episodes of a store, all of them without `ids`, and save the results.

    The modifiers' indices count the episodes from 0. `named` are the words by which a command
    selected `ids`, when those are not the ids themselves: the same words find the same edit again,
    whatever a filter selects after half of it. An edit that was interrupted goes on where it
    stopped when it is made again, and changes nothing twice. With `once`, neither is one that has
    ended made again while its episodes are as it left them: who was killed before the answer cannot
    know whether it ended.

    Raises:
        BadModifierError: a modifier is malformed or does not apply; then nothing was changed.
        EditConflictError: another process is making just this edit.
        StoreError: as `save_edits` raises.
    """
    with open_journal(store.root, modifiers, ids if named is None else named) as journal:
        begun = journal.found
        if begun is not None and begun.left and not (once and _is_as_left(store, begun, ids)):
            begun = None
        if begun is None:
            before = [store.open(id_) for id_ in ids or store.ids()]
        else:
            before = [_open_before(store, id_, begun.edit_id) for id_ in begun.ids]
        after = apply_modifiers(before, modifiers, instructions=instructions)
        new = _check_new(store, before, after, known=begun.new if begun else ())
        edit = begun or journal.begin([one.id for one in before], new)
        saved = list(_save_all(store, before, after, edit.modifiers, edit.edit_id))
        if not edit.left:
            left = {one.id: one.version for one in before}
            left |= {
                one.id: store.history(one.id).current if one.what == "removed" else one.version
                for one in saved
            }
            journal.end(edit, left)
        return saved


def save_edits(
    store: EpisodeStore,
    before: Sequence[Episode],
    after: Sequence[Episode],
    *,
    edit: str,
    edit_id: str = "",
) -> list[SavedEdit]:
    """Store the edited episodes `after`, which were read as `before`.

    An episode that both have under one id gets a new version if it changed, one that only `after`
    has is written, and one that only `before` has is removed, in this order: whatever happens in
    between, all that was there can still be read. The versions carry the `edit_id`, if there is
    one, and an episode that has a version with it is not saved again.

    Raises:
        UsageError: two of `after` share an id; then nothing was changed.
        EpisodeExistsError: the store has another episode of a new one's id; nothing was changed.
        EditConflictError: an episode was edited since it was read; the others may be saved already.
    """
    _check_new(store, before, after)
    return list(_save_all(store, before, after, edit, edit_id))


def _open_before(store: EpisodeStore, id_: str, edit_id: str) -> Episode:
    """An episode as it was before the edit came to it."""
    done = store.history(id_).find_edit(edit_id)
    return store.open(id_, None if done is None else done.parent)


def _is_as_left(store: EpisodeStore, edit: PendingEdit, ids: Sequence[str]) -> bool:
    """Whether the episodes that an edit would be made of now are just as it left them."""
    if not edit.named and set(store.ids()) != {id_ for id_ in edit.left if id_ in store}:
        return False
    if not edit.left.keys() >= set(ids):
        return False
    try:
        return all(store.history(id_).current == version for id_, version in edit.left.items())
    except EpisodeMissingError:
        return False


def _check_new(
    store: EpisodeStore,
    before: Sequence[Episode],
    after: Sequence[Episode],
    known: Collection[str] = (),
) -> list[str]:
    """The ids of the episodes that an edit adds; `known` are those that it began to add before."""
    if len({episode.id for episode in after}) < len(after):
        raise UsageError("two of the edited episodes have the same id")
    old = {episode.id for episode in before}
    new = [episode.id for episode in after if episode.id not in old]
    for id_ in new:
        if id_ not in known and id_ in store:
            raise EpisodeExistsError(
                f"{store.root}: the store has an episode {id_!r} already",
                hint='name the second part yourself: split:3:"a new name"',
            )
    return new


def _save_all(
    store: EpisodeStore,
    before: Sequence[Episode],
    after: Sequence[Episode],
    edit: str,
    edit_id: str = "",
) -> Iterator[SavedEdit]:
    """Save what is not saved yet."""
    old, left = {one.id: one for one in before}, {one.id: one for one in after}
    for episode in after:
        if episode.id not in old:
            # After an interruption it may be there; `_check_new` saw that it is this edit's.
            there = episode.id in store
            if not there:
                store.write(episode)
            yield SavedEdit(episode.id, "new", episode.version, earlier=there)
    for id_, was in old.items():
        episode = left.get(id_, was)
        if episode is not was:
            done = store.history(id_).find_edit(edit_id)
            if done is None:
                parts = _find_parts(was, before, after)
                saved = store.save(was, episode, edit=edit, edit_id=edit_id, added=parts)
                version = saved.version
            else:
                version = done.version
            yield SavedEdit(id_, "edited", version, earlier=done is not None)
    for id_, was in old.items():
        if id_ not in left:
            done = store.history(id_).find_edit(edit_id)
            if done is None:
                store.remove(was, edit=edit, edit_id=edit_id)
            yield SavedEdit(id_, "removed", was.version, earlier=done is not None)


def _find_parts(was: Episode, before: Sequence[Episode], after: Sequence[Episode]) -> list[str]:
    """The new episodes that were made of steps of an episode, as a split makes them."""
    old = {one.id for one in before}
    new = [one for one in after if one.id not in old]
    if len(before) == 1:
        return [one.id for one in new]
    mine = {id(step) for step in was.steps}
    return [one.id for one in new if any(id(step) in mine for step in one.steps)]
