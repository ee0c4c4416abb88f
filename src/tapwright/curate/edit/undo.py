"""Undoes and redoes an edit with all that it made: the second part of a split goes and comes back.

An edit's line in the log of versions names the episodes that it added. The undo hides them, as a
removal does, so that nothing is lost; one that was edited since would lose that edit from sight, so
the undo is refused.
"""

from dataclasses import dataclass

from tapwright.curate.edit.errors import PART_EDITED
from tapwright.store.errors import EpisodeMissingError
from tapwright.store.store import EpisodeStore
from tapwright.store.versions import VersionChange, VersionHistory

__all__ = ["Undone", "redo_edit", "undo_edit"]


@dataclass(frozen=True, slots=True)
class Undone:
    """The change of an undo or a redo; `parts` are the other episodes that went or came back."""

    change: VersionChange
    parts: tuple[str, ...]


def undo_edit(store: EpisodeStore, id_: str, version: int | None = None) -> Undone:
    """Return to the version before the current one, and hide the episodes that its edit added.

    With `version`, that one is to be undone, and no other. An undo that was interrupted is complete
    once it is made again.

    Raises:
        StoreError: the recording itself is current.
        EditConflictError: an added episode was edited since.
        EditConflictError: as `EpisodeStore.undo` raises.
    """
    history = store.history(id_)
    if version is not None and version != history.current:
        return Undone(store.undo(id_, version), ())
    parts = [part for part in history.find_added(history.current) if part in store]
    for part in parts:
        there = store.history(part)
        if there.current != there.recorded:
            raise PART_EDITED(
                f"{id_}: the episode {part!r}, which this edit made, was edited since",
                hint=f"undo the edits of {part} first, or remove it",
                values={"id": id_, "part": part},
            )
    for part in parts:
        store.remove(store.open(part), edit=_removal(id_, history.current))
    return Undone(store.undo(id_, history.current), tuple(parts))


def redo_edit(store: EpisodeStore, id_: str, version: int | None = None) -> Undone:
    """Return to the version that the last undo left, with the episodes that this undo hid.

    Raises:
        StoreError: nothing was undone since the last edit.
        EditConflictError: as `EpisodeStore.redo` raises.
    """
    history = store.history(id_)
    if version is not None and version != history.current:
        return Undone(store.redo(id_, version), ())
    redone = history.make_redo().version
    hidden = [
        part
        for part in history.find_added(redone)
        if _is_hidden_by(_find_history(store, part), _removal(id_, redone))
    ]
    for part in hidden:
        store.undo(part)
    return Undone(store.redo(id_, history.current), tuple(hidden))


def _removal(id_: str, version: int) -> str:
    return f"undo of version {version} of {id_}"


def _find_history(store: EpisodeStore, id_: str) -> VersionHistory | None:
    try:
        return store.history(id_)
    except EpisodeMissingError:
        return None


def _is_hidden_by(history: VersionHistory | None, edit: str) -> bool:
    return history is not None and history.removed and history.changes[-1].edit == edit
