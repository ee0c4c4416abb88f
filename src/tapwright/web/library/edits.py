"""Edits from the pages, in the grammar of `tapwright episodes edit`.

They write what that command writes, and the pages show it. An edit of a version that is not the
current one is refused: somebody else has changed the episode meanwhile.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tapwright.core.episode import Episode
from tapwright.curate.edit.difference import difference
from tapwright.curate.edit.modifiers import apply_modifiers
from tapwright.curate.edit.save import save_edits
from tapwright.curate.edit.undo import redo_edit, undo_edit
from tapwright.store.errors import EditConflictError
from tapwright.store.store import EpisodeStore

__all__ = [
    "EditPreview", "EditResult", "UndoResult", "edit_episode", "preview_edit", "undo_or_redo",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """A line of an episode that is removed (-), added (+) or unchanged ( ).

    `step` is the step's number, None in the header.
    """

    episode: str
    sign: Literal["-", "+", " "]
    step: int | None
    text: str


@dataclass(frozen=True, slots=True)
class EditPreview:
    """What an edit would change; `removed` is whether the episode would be gone."""

    lines: tuple[PreviewLine, ...]
    removed: bool
    command: str


@dataclass(frozen=True, slots=True)
class EditedEpisode:
    """An episode that an edit wrote, and the version it has now; a removal is one, too."""

    id: str
    what: Literal["edited", "new", "removed"]
    version: int


@dataclass(frozen=True, slots=True)
class EditResult:
    """The episodes that an edit wrote, and the command that does the same."""

    episodes: tuple[EditedEpisode, ...]
    command: str


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The version that is current after an undo or a redo, and the command that does the same."""

    version: int
    command: str


def preview_edit(store: EpisodeStore, id_: str, version: int, modifiers: str) -> EditPreview:
    """What modifiers would change, line by line; nothing is written.

    Raises:
        BadModifierError: a modifier is unknown, or does not fit; names which, where, and why.
        EditConflictError: `version` is not the current one.
    """
    before = _read_current(store, id_, version)
    after = {episode.id: episode for episode in apply_modifiers([before], modifiers)}
    lines: list[PreviewLine] = []
    for episode in {before.id: before, **after}.values():
        old = before if episode.id == id_ else _empty(episode.id)
        new = after.get(episode.id, _empty(episode.id))
        lines += [
            PreviewLine(episode.id, line.sign, line.step, line.text)
            for line in difference(old, new)
        ]
    return EditPreview(
        lines=tuple(lines),
        removed=id_ not in after,
        command=_edit_command(store.root, id_, modifiers),
    )


def edit_episode(store: EpisodeStore, id_: str, version: int, modifiers: str) -> EditResult:
    """Apply modifiers to the current version of an episode, and write what they make of it.

    Raises:
        BadModifierError: a modifier is unknown, or does not fit; then nothing was changed.
        EditConflictError: `version` is not the current one, or another editor is writing.
        DiskError: the disk is full or not writable; then the version before stays current.
    """
    before = _read_current(store, id_, version)
    written = save_edits(store, [before], apply_modifiers([before], modifiers), edit=modifiers)
    return EditResult(
        episodes=tuple(
            EditedEpisode(one.id, one.what, store.history(one.id).current) for one in written
        ),
        command=_edit_command(store.root, id_, modifiers),
    )


def undo_or_redo(store: EpisodeStore, id_: str, version: int, *, undo: bool) -> UndoResult:
    """Undo the last edit of an episode, or redo what was undone last.

    Raises:
        StoreError: there is nothing to undo or redo.
        EditConflictError: `version` is not the current one, or another editor is writing.
    """
    change = (undo_edit if undo else redo_edit)(store, id_, version).change
    words = ["tapwright", "episodes", "undo" if undo else "redo", str(store.root), id_]
    return UndoResult(change.version, shlex.join(words))


def _edit_command(store: Path, id_: str, modifiers: str) -> str:
    """The command that makes the same edit, for a POSIX shell."""
    return shlex.join(["tapwright", "episodes", "edit", str(store), id_, modifiers])


def _read_current(store: EpisodeStore, id_: str, version: int) -> Episode:
    _check_version(store, id_, version)
    # The store reports a change that happens between here and the end of the edit.
    return store.open(id_)


def _check_version(store: EpisodeStore, id_: str, version: int) -> None:
    current = store.history(id_).current
    if current != version:
        raise EditConflictError(
            f"{id_}: the edit is of version {version}, and the current version is {current}",
            hint="load the episode again, look at what has changed, and make the edit on that",
            values={"id": id_, "version": current},
        )


def _empty(id_: str) -> Episode:
    return Episode(id_, "", "", ())
