"""Edits from the pages: in the grammar of `tapwright episodes edit`, which they show as a command.

What is kept on disk is what that command keeps. An edit of a version that is not the one shown any
more is refused: somebody else has changed the episode meanwhile.
"""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.edit.difference import difference
from tapwright.edit.keep import keep
from tapwright.edit.modify import modify
from tapwright.episode import Episode
from tapwright.store.errors import EditConflictError
from tapwright.store.store import EpisodeStore

__all__ = ["command_of", "edit_episode", "preview_edit", "turn"]

Json: TypeAlias = dict[str, JsonValue]


def command_of(store: Path, id_: str, modifiers: str) -> str:
    """The command that does the same, for a POSIX shell."""
    return shlex.join(["tapwright", "episodes", "edit", str(store), id_, modifiers])


def preview_edit(store: EpisodeStore, id_: str, version: int, modifiers: str) -> Json:
    """What modifiers would change, line by line; nothing is written.

    Raises:
        BadModifierError: a modifier is none, or does not fit; says which, where, why.
        EditConflictError: `version` is not the one that is shown.
    """
    before = _shown(store, id_, version)
    after = modify([before], modifiers)
    left = {episode.id: episode for episode in after}
    lines: list[JsonValue] = []
    for episode in {before.id: before, **left}.values():
        old = before if episode.id == id_ else _nothing(episode.id)
        new = left.get(episode.id, _nothing(episode.id))
        lines += [{"episode": episode.id, **asdict(line)} for line in difference(old, new)]
    return {
        "lines": lines,
        "removed": id_ not in left,
        "command": command_of(store.root, id_, modifiers),
    }


def edit_episode(store: EpisodeStore, id_: str, version: int, modifiers: str) -> Json:
    """Apply modifiers to the version that a page shows, and keep what they make of it.

    Raises:
        BadModifierError: a modifier is none, or does not fit; then nothing was changed.
        EditConflictError: `version` is not the one that is shown, or another editor is at it.
        DiskError: the disk is full or not writable; then the version before is shown.
    """
    before = _shown(store, id_, version)
    kept = keep(store, [before], modify([before], modifiers), edit=modifiers)
    return {
        "kept": [{"id": one.id, "what": one.what, "version": one.version} for one in kept],
        "command": command_of(store.root, id_, modifiers),
    }


def turn(store: EpisodeStore, id_: str, version: int, *, back: bool) -> Json:
    """Undo the last edit of an episode, or redo what was undone last.

    Raises:
        NothingToUndoError: there is nothing to undo or redo.
        EditConflictError: `version` is not the one that is shown, or another editor is at it.
    """
    _check_version(store, id_, version)
    change = store.undo(id_) if back else store.redo(id_)
    words = ["tapwright", "episodes", "undo" if back else "redo", str(store.root), id_]
    return {"version": change.version, "command": shlex.join(words)}


def _shown(store: EpisodeStore, id_: str, version: int) -> Episode:
    _check_version(store, id_, version)
    # What changes between here and the end of an edit is told by the store.
    return store.open(id_)


def _check_version(store: EpisodeStore, id_: str, version: int) -> None:
    shown = store.history(id_).shown
    if shown != version:
        raise EditConflictError(
            f"{id_}: version {version} was edited, and version {shown} has been made since",
            hint="load the episode again, look at what has changed, and make the edit on that",
        )


def _nothing(id_: str) -> Episode:
    return Episode(id_, "", "", ())
