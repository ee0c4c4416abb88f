"""Episodes on disk: one directory each, written so that a crash at any moment loses nothing.

    <store>/<episode>/
        episode.json              the header, never changed
        steps.jsonl               one line per step, flushed and synced; the last line may end it
        frames/<sha256>.<ext>     the device's own bytes
        ui/<sha256>.xml.zst       the view hierarchy
        state/<sha256>.json.zst   a large value of the apps' state
        versions/                 the results of edits; see `versions`

Files are written beside and renamed; the step's line comes last, so a line that can be read has
all that it names. A half-written last line is what a killed writer leaves: it is skipped, with an
`EpisodeWarning`. A bad line anywhere else is an error that names file and line.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shlex import quote

from pydantic import JsonValue

from tapwright.core.episode import Episode
from tapwright.core.observation import Observation
from tapwright.errors import CorruptEpisodeError, DiskError, StoreError, quote_path
from tapwright.files.atomic import sync_tree, wrap_disk_errors
from tapwright.files.jsonl import now_text, to_json
from tapwright.store import errors
from tapwright.store.changes import adding_episode
from tapwright.store.ids import directory_name, new_id
from tapwright.store.lazy import open_lazily
from tapwright.store.lines import read_episode, read_header, wrap_read_errors
from tapwright.store.packing import (
    pack_end,
    pack_header,
    pack_screen,
    pack_step,
    wrap_validation_errors,
)
from tapwright.store.records import EndRecord, EpisodeHeader, EpisodeWarning, Files, StepRecord
from tapwright.store.versions import VersionChange, VersionHistory, lock_episode, write_version
from tapwright.store.writer import EpisodeWriter

__all__ = ["EpisodeStore"]

_LOCK_TIMEOUT_S = 1.0
"""How long an edit waits for another that is being written, to report a conflict with it."""


class EpisodeStore:
    """The episodes below one directory, which is made when the first is written."""

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)

    def create(
        self,
        *,
        task_id: str,
        instruction: str,
        agent: str,
        device: str,
        id: str | None = None,
        log: tuple[str, ...] = (),
        state: Mapping[str, JsonValue] | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> "EpisodeWriter":
        """Begin an episode; it is on disk, without a step yet, before this returns.

        `log` and `state` are those of the reset, `extra` that of the episode.

        Raises:
            BadIdError: the id cannot be stored.
            EpisodeExistsError: the store has an episode of this id, or just got one.
            DiskError: the disk is full or not writable.
        """
        episode = Episode(
            id=new_id() if id is None else id,
            task_id=task_id,
            instruction=instruction,
            steps=(),
            agent=agent,
            device=device,
            created=now_text(),
            log=log,
            state=state or {},
            extra=extra or {},
        )
        with self._new_directory(episode):
            pass
        return EpisodeWriter(self.root / directory_name(episode.id))

    @contextmanager
    def beginning(self, episode: Episode, screen: Observation) -> Iterator[None]:
        """Begin an episode, of whose steps none is written, when the block ends well.

        Before the block all of it is synced, with the files of `screen`, under a hidden name; after
        it that is one move. Raises as `create` does.
        """
        with self._new_directory(episode, sync=False) as beside:
            with wrap_validation_errors(f"{episode.id}, its first screen"):
                _write_unsynced(beside, pack_screen(screen))
            sync_tree(beside)
            yield

    def resume(self, id_: str) -> "EpisodeWriter":
        """Continue an episode that was never ended; a half-written last line is cut off.

        Raises:
            EpisodeMissingError: the store has none of this id, or it was removed.
            StoreError: it has ended, or was edited since.
            EditConflictError: another writer or editor holds it.
            CorruptEpisodeError: a line other than the last is not a record; names file and line.
        """
        history = self.history(id_)
        if history.changes:
            raise StoreError(
                f"{history.directory}: was edited since it was recorded, and takes no more steps"
            )
        return EpisodeWriter(history.directory)

    def write(self, episode: Episode) -> None:
        """Store a whole episode in one move, so that `read` returns an equal one.

        Raises:
            BadIdError: the id cannot be stored.
            EpisodeExistsError: the store has an episode of this id, or just got one.
            StoreError: a step holds what cannot be stored, such as a reward that is not a number.
            BadImageError: a screenshot is not an image.
            DiskError: the disk is full or not writable.
        """
        with self._new_directory(episode) as beside, (beside / "steps.jsonl").open("wb") as lines:
            for record, files in _pack_lines(episode):
                _write_unsynced(beside, files)
                lines.write(to_json(record) + b"\n")

    def ids(self) -> list[str]:
        """The ids of all episodes that were not removed, in the order in which they were made.

        An episode whose header cannot be read is left out, with an `EpisodeWarning`.
        """
        ids, unreadable = self.scan()
        for error in unreadable.values():
            warnings.warn(f"{error}; the episode is skipped", EpisodeWarning, stacklevel=2)
        return ids

    def scan(self) -> tuple[list[str], dict[str, StoreError]]:
        """What `ids` returns; and the error of each unreadable episode, by its directory."""
        made: list[tuple[str, str]] = []
        unreadable: dict[str, StoreError] = {}
        for directory, found in self._headers():
            if isinstance(found, EpisodeHeader):
                made.append((found.created, found.id))
            else:
                unreadable[directory] = found
        made.sort()
        return [id_ for _, id_ in made], unreadable

    def __contains__(self, id_: str) -> bool:
        try:
            return not self.history(id_).removed
        except errors.EpisodeMissingError:
            return False

    def read(self, id_: str, version: int | None = None) -> Episode:
        """An episode; its screenshots, trees and large states are loaded on access.

        Without `version` it is the one that the last edit, undo or redo left.

        Raises:
            EpisodeMissingError: the store has none of this id, or it was removed.
            StoreError: the episode has no such version.
            CorruptEpisodeError: a line other than the last is not a record; names file and line.
            SchemaVersionError: another version of tapwright wrote it.
        """
        return read_episode(*self.locate(id_, version))

    def open(self, id_: str, version: int | None = None) -> Episode:
        """An equal episode whose steps are read on access, to edit a few of many.

        Raises:
            EpisodeMissingError: the store has none of this id, or it was removed.
            StoreError: the episode has no such version.
            CorruptEpisodeError: its header or end cannot be read; errors of steps come on access.
            SchemaVersionError: another version of tapwright wrote it.
        """
        return open_lazily(*self.locate(id_, version))

    def history(self, id_: str) -> VersionHistory:
        """The version history of an episode, also of a removed one.

        Raises:
            EpisodeMissingError: the store never had one of this id.
            CorruptEpisodeError: its log or header cannot be read.
        """
        directory = self.root / directory_name(id_)
        path = directory / "episode.json"
        with wrap_read_errors(path):
            if not path.exists():
                raise errors.EpisodeMissingError(
                    f"{self.root}: no episode {id_!r}",
                    hint=f"tapwright episodes ls {quote_path(self.root)}",
                    values={"id": id_},
                )
        return VersionHistory.read(directory, read_header(path).version)

    def save(
        self,
        before: Episode,
        after: Episode,
        *,
        edit: str,
        edit_id: str = "",
        added: Sequence[str] = (),
    ) -> Episode:
        """Write an edited episode as a new version, which `read` returns from then on.

        `before` is what `read` returned, `after` the result of an edit; `edit` describes it as
        text, `edit_id` is that of an edit of several episodes, and `added` are episodes that it
        made of steps of this one. Steps that both share are not packed again, so saving costs what
        was changed.

        Returns:
            `after` with its new version.

        Raises:
            EditConflictError: `before` is not the current version, or another editor holds it.
            StoreError: a step holds what cannot be stored, such as a reward that is not a number.
            DiskError: the disk is full or not writable; then the version before stays current.
        """
        history = self.history(before.id)
        with lock_episode(history.directory, _LOCK_TIMEOUT_S):
            history = self._check_current(before)
            number, home = history.next_version()
            after = replace(after, id=before.id, version=number)
            source = history.version_directory(before.version)
            assert source is not None  # it is the current one
            write_version(history.directory, source, home, before, after)
            history.append(history.make_edit("edit", number, edit, edit_id, added))
        return after

    def remove(self, before: Episode, *, edit: str = "remove", edit_id: str = "") -> None:
        """Hide an episode; nothing of it is deleted, and `undo` restores it.

        Raises:
            EditConflictError: `before` is not the current version, or another editor holds it.
            DiskError: the disk is full or not writable.
        """
        history = self.history(before.id)
        with lock_episode(history.directory, _LOCK_TIMEOUT_S):
            history = self._check_current(before)
            number, _ = history.next_version()
            history.append(history.make_edit("remove", number, edit, edit_id))

    def undo(self, id_: str, version: int | None = None) -> VersionChange:
        """Return to the version that the current one was made from, which stays in the store.

        With `version`, that one is to be undone, and no other.

        Raises:
            StoreError: the recording itself is current.
            EditConflictError: another editor holds it, or `version` is not current any more.
        """
        return self._change_version(id_, VersionHistory.make_undo, version)

    def redo(self, id_: str, version: int | None = None) -> VersionChange:
        """Return to the version that the last `undo` left.

        With `version`, it is redone only while that one is current.

        Raises:
            StoreError: nothing was undone since the last edit.
            EditConflictError: another editor holds it, or `version` is not current any more.
        """
        return self._change_version(id_, VersionHistory.make_redo, version)

    def __iter__(self) -> Iterator[Episode]:
        for id_ in self.ids():
            yield self.read(id_)

    def locate(self, id_: str, version: int | None = None) -> tuple[Path, Path]:
        """The directories of an episode and of the version to read; raises as `read` does."""
        history = self.history(id_)
        if version is None and history.removed:
            raise errors.EpisodeMissingError(
                f"{self.root}: the episode {id_!r} was removed",
                hint=f"tapwright episodes undo {quote_path(self.root)} {quote(id_)}",
                values={"id": id_},
            )
        place = history.version_directory(history.current if version is None else version)
        if place is None:
            raise errors.VERSION_MISSING(
                f"{history.directory}: no version {version}",
                hint=f"tapwright episodes log {quote_path(self.root)} {quote(id_)}",
                values={"id": id_, "version": version or 0},
            )
        return history.directory, place

    def _change_version(
        self, id_: str, make_change: Callable[[VersionHistory], VersionChange], version: int | None
    ) -> VersionChange:
        with lock_episode(self.history(id_).directory):
            history = self.history(id_)
            if version is not None and history.current != version:
                raise errors.EditConflictError(
                    f"{id_}: version {version} was to be left, and version {history.current} is "
                    "current by now",
                    hint="load the episode again, and look at what has changed",
                    values={"id": id_, "version": history.current},
                )
            change = make_change(history)
            history.append(change)
        return change

    def _check_current(self, before: Episode) -> VersionHistory:
        """The history, read under the lock; `before` must be the current version."""
        history = self.history(before.id)
        if before.version != history.current or history.removed:
            raise errors.EditConflictError(
                f"{history.directory}: the edit is of version {before.version}, "
                f"and version {history.current} has been made since",
                hint="read the episode again, and repeat the edit on it",
                values={"id": before.id, "version": history.current},
            )
        return history

    @contextmanager
    def _new_directory(self, episode: Episode, *, sync: bool = True) -> Iterator[Path]:
        """A new episode's directory, with its header, to fill before it takes its place."""
        with wrap_validation_errors(f"{episode.id}, its header"):
            header, files = pack_header(episode)
        target = self.root / directory_name(episode.id)
        taken = f"{target}: the store has an episode {episode.id!r} already"
        with wrap_disk_errors(target):
            if target.exists():
                raise errors.EpisodeExistsError(taken)
        try:
            with adding_episode(target, sync=sync) as beside:
                for folder in ("frames", "ui"):
                    (beside / folder).mkdir()
                _write_unsynced(beside, files)
                (beside / "episode.json").write_bytes(to_json(header))
                (beside / "steps.jsonl").touch()
                yield beside
        except DiskError as error:
            if target.exists():  # another writer was faster
                raise errors.EpisodeExistsError(taken) from error
            raise

    def _headers(self) -> Iterator[tuple[str, EpisodeHeader | StoreError]]:
        with wrap_read_errors(self.root):
            names = sorted(path.name for path in self.root.iterdir()) if self.root.is_dir() else []
        for name in names:
            path = self.root / name / "episode.json"
            if name.startswith("."):
                continue
            try:
                with wrap_read_errors(path):
                    if not path.exists():
                        continue
                header = read_header(path)
                if VersionHistory.read(path.parent, header.version).removed:
                    continue
            except (CorruptEpisodeError, errors.SchemaVersionError) as error:
                yield name, error
                continue
            yield name, header


def _write_unsynced(directory: Path, files: Files) -> None:
    """Write files to a directory that is synced as a whole."""
    for name, data in files.items():
        path = directory / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data())


def _pack_lines(episode: Episode) -> Iterator[tuple[StepRecord | EndRecord, Files]]:
    for number, step in enumerate(episode.steps):
        with wrap_validation_errors(f"{episode.id}, step {number}"):
            packed = pack_step(step)
        yield packed
    with wrap_validation_errors(f"{episode.id}, its end"):
        end = pack_end(episode.outcome, episode.final, evidence=episode.evidence)
    yield end
