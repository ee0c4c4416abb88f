"""Episodes on disk: one directory each, written so that a crash at any moment loses nothing.

    <store>/<episode>/
        episode.json              the header, never changed
        steps.jsonl               one line per step, flushed and synced; the last line may end it
        frames/<sha256>.<ext>     the device's own bytes
        ui/<sha256>.xml.zst       the view hierarchy
        state/<sha256>.json.zst   a large value of the apps' state
        versions/                 what edits made of it, as `versions` says

Files are written beside and renamed; the step's line comes last, so a line that can be read has
all that it names. A half-written last line is what a killed writer leaves: it is skipped, with an
`EpisodeWarning`. A bad line anywhere else is an error that names file and line.
"""

import hashlib
import re
import secrets
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from tapwright.episode import Episode, EpisodeOutcome, Step
from tapwright.errors import CorruptEpisodeError, DiskError, StoreError
from tapwright.files.atomic import directory_beside, disk
from tapwright.files.jsonl import JsonlWriter, to_json
from tapwright.observation import Observation
from tapwright.store.errors import (
    BadIdError,
    EditConflictError,
    EpisodeExistsError,
    EpisodeMissingError,
    NothingToUndoError,
    SchemaVersionError,
    VersionMissingError,
)
from tapwright.store.lazy import open_episode
from tapwright.store.records import (
    SCHEMA,
    EndRecord,
    EpisodeWarning,
    Files,
    Header,
    NoteRecord,
    RedoRecord,
    StepRecord,
    TurnRecord,
    UndoRecord,
    pack_end,
    pack_header,
    pack_step,
    read_episode,
    read_header,
    read_line,
    reading,
    storable,
    turned_lines,
    write_files,
)
from tapwright.store.versions import Change, History, one_editor, write_version

__all__ = [
    "SCHEMA",
    "Change",
    "EpisodeStore",
    "EpisodeWarning",
    "EpisodeWriter",
    "History",
    "directory_name",
    "new_id",
]

_MAX_ID = 1000
_PATIENCE_S = 1.0
"""How long an edit waits for one that is being written, to tell what that has made of it."""
# Not "….jsonl": jobs keep their ledgers in the store, under such names. Nor what Windows takes for
# a device, or ends in a dot, which it drops.
_PLAIN_NAME = re.compile(
    r"(?!.*\.jsonl$)(?!(con|prn|aux|nul|com\d|lpt\d)(\.|$))[a-z0-9][a-z0-9._-]{0,79}(?<!\.)",
    re.ASCII,
)


def new_id() -> str:
    """A fresh id: 12 characters of time in milliseconds, so ids sort by age, and 8 of chance."""
    return f"{int(time.time() * 1000):012x}{secrets.token_hex(4)}"


def directory_name(id_: str) -> str:
    """The file name under which an id is stored; different ids never share one.

    Plain ids (lower case, digits, "._-", not ending in ".jsonl" or ".", no device of Windows) are
    their own name. Any other id, in whatever script, becomes what is plain in it, then "~" and a
    hash, so that it can never be a path.

    Raises:
        BadIdError: the id is empty, longer than 1000 characters, or holds a control character.
    """
    if not id_ or len(id_) > _MAX_ID:
        raise BadIdError(f"an id of {len(id_)} characters; expected 1 to {_MAX_ID}")
    if any(ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) < 0xE000 for char in id_):
        raise BadIdError(f"the id {id_[:60]!r} holds a control character")
    if _PLAIN_NAME.fullmatch(id_):
        return id_
    slug = re.sub(r"[^a-z0-9]+", "-", id_.lower(), flags=re.ASCII).strip("-")[:40]
    return f"{slug or 'id'}~{hashlib.sha256(id_.encode()).hexdigest()[:24]}"


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
    ) -> "EpisodeWriter":
        """Begin an episode; it is on disk, without a step yet, before this returns.

        `log` and `state` are those of the reset.

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
            created=datetime.now(UTC).isoformat(timespec="milliseconds"),
            log=log,
            state=state or {},
        )
        with self._beginning(episode):
            pass
        return EpisodeWriter(self.root / directory_name(episode.id))

    def resume(self, id_: str) -> "EpisodeWriter":
        """Go on with an episode that was never ended; a half-written last line is cut off.

        Raises:
            EpisodeMissingError: the store has none of this id, or it was removed.
            StoreError: it has ended, or was edited since.
            EditConflictError: another writer or editor is at it.
            CorruptEpisodeError: a line other than the last is not a record; names file and line.
        """
        history = self.history(id_)
        if history.changes:
            raise StoreError(
                f"{history.directory}: was edited since it was recorded, and takes no more steps"
            )
        return EpisodeWriter(history.directory)

    def write(self, episode: Episode) -> None:
        """Store a whole episode in one move, so that `read` gives back an equal one.

        Raises:
            BadIdError: the id cannot be stored.
            EpisodeExistsError: the store has an episode of this id, or just got one.
            StoreError: a step holds what cannot be stored, such as a reward that is no number.
            BadImageError: a screenshot is not an image.
            DiskError: the disk is full or not writable.
        """
        with self._beginning(episode) as beside, (beside / "steps.jsonl").open("wb") as lines:
            for record, files in _packed(episode):
                _fill(beside, files)
                lines.write(to_json(record) + b"\n")

    def ids(self) -> list[str]:
        """The ids of all episodes that were not removed, in the order in which they were made.

        An episode whose header cannot be read is left out, with an `EpisodeWarning`.
        """
        ids, unreadable = self.survey()
        for error in unreadable.values():
            warnings.warn(f"{error}; the episode is skipped", EpisodeWarning, stacklevel=2)
        return ids

    def survey(self) -> tuple[list[str], dict[str, StoreError]]:
        """What `ids` gives; and why each that it leaves out cannot be read, by its directory."""
        headers: list[Header] = []
        unreadable: dict[str, StoreError] = {}
        for directory, found in self._headers():
            if isinstance(found, Header):
                headers.append(found)
            else:
                unreadable[directory] = found
        headers.sort(key=lambda header: (header.created, header.id))
        return [header.id for header in headers], unreadable

    def __contains__(self, id_: str) -> bool:
        try:
            return not self.history(id_).removed
        except EpisodeMissingError:
            return False

    def read(self, id_: str, version: int | None = None) -> Episode:
        """An episode; its screenshots and trees are loaded when they are looked at.

        Without `version` it is the one that the last edit, undo or redo left.

        Raises:
            EpisodeMissingError: the store has none of this id, or it was removed.
            VersionMissingError: the episode has no such version.
            CorruptEpisodeError: a line other than the last is not a record; names file and line.
            SchemaVersionError: another version of tapwright wrote it.
        """
        return read_episode(*self._place(id_, version))

    def open(self, id_: str) -> Episode:
        """An equal episode whose steps are read when they are looked at, to edit a few of many.

        Raises:
            EpisodeMissingError: the store has none of this id, or it was removed.
            CorruptEpisodeError: its header or end cannot be read; a step tells for itself.
            SchemaVersionError: another version of tapwright wrote it.
        """
        return open_episode(*self._place(id_, None))

    def history(self, id_: str) -> History:
        """What became of an episode since it was recorded; of a removed one, too.

        Raises:
            EpisodeMissingError: the store never had one of this id.
            CorruptEpisodeError: its log or header cannot be read.
        """
        directory = self.root / directory_name(id_)
        path = directory / "episode.json"
        with reading(path):
            if not path.exists():
                raise EpisodeMissingError(
                    f"{self.root}: no episode {id_!r}", hint=f"tapwright episodes ls {self.root}"
                )
        return History.read(directory, read_header(path).version)

    def save(self, before: Episode, after: Episode, *, edit: str) -> Episode:
        """Write an edited episode as a new version, which `read` gives from then on.

        `before` is what `read` gave, `after` what an edit made of it; `edit` says in words what
        that was. Steps that both share are not packed again, so saving costs what was changed.

        Returns:
            `after` with its new version.

        Raises:
            EditConflictError: `before` is not what is shown now, or another editor is at it.
            StoreError: a step holds what cannot be stored, such as a reward that is no number.
            DiskError: the disk is full or not writable; then the version before is shown.
        """
        history = self.history(before.id)
        with one_editor(history.directory, _PATIENCE_S):
            history = self._latest(before)
            number, home = history.next_home()
            after = replace(after, id=before.id, version=number)
            source = history.place(before.version)
            assert source is not None  # it is the one that is shown
            write_version(history.directory, source, home, before, after)
            history.append(history.edited("edit", number, edit))
        return after

    def remove(self, before: Episode, *, edit: str = "remove") -> None:
        """Show an episode no more; nothing of it is deleted, and `undo` brings it back.

        Raises:
            EditConflictError: `before` is not what is shown now, or another editor is at it.
            DiskError: the disk is full or not writable.
        """
        history = self.history(before.id)
        with one_editor(history.directory, _PATIENCE_S):
            history = self._latest(before)
            history.append(history.edited("remove", history.next_home()[0], edit))

    def undo(self, id_: str) -> Change:
        """Show the version that the one shown was made from; it stays in the store.

        Raises:
            NothingToUndoError: the episode is as it was recorded.
            EditConflictError: another editor is at it.
        """
        return self._turn(id_, History.undone)

    def redo(self, id_: str) -> Change:
        """Show again what the last `undo` left.

        Raises:
            NothingToUndoError: nothing was undone since the last edit.
            EditConflictError: another editor is at it.
        """
        return self._turn(id_, History.redone)

    def __iter__(self) -> Iterator[Episode]:
        for id_ in self.ids():
            yield self.read(id_)

    def _place(self, id_: str, version: int | None) -> tuple[Path, Path]:
        """The directory of an episode, and that of the version to read."""
        history = self.history(id_)
        if version is None and history.removed:
            raise EpisodeMissingError(
                f"{self.root}: the episode {id_!r} was removed",
                hint=f"tapwright episodes undo {self.root} {id_}",
            )
        place = history.place(history.shown if version is None else version)
        if place is None:
            raise VersionMissingError(
                f"{history.directory}: no version {version}",
                hint=f"tapwright episodes log {self.root} {id_}",
            )
        return history.directory, place

    def _turn(self, id_: str, way: Callable[[History], Change]) -> Change:
        with one_editor(self.history(id_).directory):
            history = self.history(id_)
            change = way(history)
            history.append(change)
        return change

    def _latest(self, before: Episode) -> History:
        """The history, read by the one editor; `before` is the version that is shown."""
        history = self.history(before.id)
        if before.version != history.shown or history.removed:
            raise EditConflictError(
                f"{history.directory}: version {before.version} was edited, "
                f"and version {history.shown} has been made since",
                hint="read the episode again, and make the edit on what it is now",
            )
        return history

    @contextmanager
    def _beginning(self, episode: Episode) -> Iterator[Path]:
        """A new episode's directory, with its header, to fill before it takes its place."""
        with storable(f"{episode.id}, its header"):
            header, files = pack_header(episode)
        target = self.root / directory_name(episode.id)
        taken = f"{target}: the store has an episode {episode.id!r} already"
        with disk(target):
            if target.exists():
                raise EpisodeExistsError(taken)
        try:
            with directory_beside(target) as beside:
                for folder in ("frames", "ui"):
                    (beside / folder).mkdir()
                _fill(beside, files)
                (beside / "episode.json").write_bytes(to_json(header))
                (beside / "steps.jsonl").touch()
                yield beside
        except DiskError as error:
            if target.exists():  # another writer was faster
                raise EpisodeExistsError(taken) from error
            raise

    def _headers(self) -> Iterator[tuple[str, Header | StoreError]]:
        with reading(self.root):
            names = sorted(path.name for path in self.root.iterdir()) if self.root.is_dir() else []
        for name in names:
            path = self.root / name / "episode.json"
            if name.startswith("."):
                continue
            try:
                with reading(path):
                    if not path.exists():
                        continue
                header = read_header(path)
                if History.read(path.parent, header.version).removed:
                    continue
            except (CorruptEpisodeError, SchemaVersionError) as error:
                yield name, error
                continue
            yield name, header


class EpisodeWriter:
    """Appends steps to one episode. A step is on disk when `append` returns.

    A step that is taken back stays on disk and can be brought back until the next one is appended.
    As a context manager it closes the file; it does not end the episode, `finish` does. While it is
    open, no other writer or editor gets at the episode. Lines are of the `schema` of the header.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        header = read_header(directory / "episode.json")
        self.id, self._schema = header.id, header.schema_
        with ExitStack() as opened:
            opened.enter_context(one_editor(directory))
            self._file = opened.enter_context(JsonlWriter(directory / "steps.jsonl"))
            self._steps, self._undone, self._ended = self._written()
            self._opened = opened.pop_all()

    @property
    def steps(self) -> int:
        """How many steps are there, without those taken back."""
        return self._steps

    @property
    def ended(self) -> bool:
        """Whether the episode has ended, and takes nothing more."""
        return self._ended

    @property
    def undone(self) -> int:
        """How many steps `redo` could bring back."""
        return self._undone

    def prepare(self, step: Step) -> StepRecord:
        """Write the pictures and trees of a step that is yet to be appended.

        Returns:
            The line that it would have as it is now.

        Raises:
            StoreError: the step holds what cannot be stored, such as a reward that is no number.
            DiskError: the disk is full or not writable.
            BadImageError: the screenshot is not an image.
        """
        with storable(f"{self.id}, step {self._steps}"):
            record, files = pack_step(step, schema=self._schema)
        write_files(self.directory, files)
        return record

    def append(self, step: Step) -> None:
        """Write one step durably; when it fails, the steps before are as they were.

        Raises:
            StoreError: the step holds what cannot be stored, such as a reward that is no number.
            DiskError: the disk is full or not writable.
            BadImageError: the screenshot is not an image.
        """
        with storable(f"{self.id}, step {self._steps}"):
            record, files = pack_step(step, schema=self._schema)
        self._write(record, files)
        self._steps += 1
        self._undone = 0

    def undo(self) -> None:
        """Take back the last step.

        Raises:
            NothingToUndoError: there is none.
            DiskError: the disk is full or not writable; then the step is still there.
        """
        if not self._steps:
            raise NothingToUndoError(f"{self.directory}: no step is there to be taken back")
        self._write(UndoRecord(), {})
        self._steps, self._undone = self._steps - 1, self._undone + 1

    def redo(self) -> None:
        """Bring back the step that was taken back last.

        Raises:
            NothingToUndoError: none was taken back since the last one was appended.
            DiskError: the disk is full or not writable; then it is still gone.
        """
        if not self._undone:
            raise NothingToUndoError(f"{self.directory}: no step was taken back")
        self._write(RedoRecord(), {})
        self._steps, self._undone = self._steps + 1, self._undone - 1

    def note(self, step: int, note: str) -> None:
        """Say something of a step, counted from 0 among those that are there.

        Raises:
            StoreError: there is no such step.
            DiskError: the disk is full or not writable; then nothing is said.
        """
        if not 0 <= step < self._steps:
            raise StoreError(f"{self.directory}: no step {step}; there are {self._steps}")
        self._write(NoteRecord(step=step, note=note), {})

    def finish(self, outcome: EpisodeOutcome, final: Observation | None = None) -> None:
        """End the episode: how it went, and the screen that the last action led to."""
        with storable(f"{self.id}, its end"):
            record, files = pack_end(outcome, final)
        self._write(record, files)
        self._ended = True

    def close(self) -> None:
        """Close the file; more than once is allowed."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _written(self) -> tuple[int, int, bool]:
        """How many steps are there, how many could come back, and whether the episode has ended."""
        path = self._file.path
        turned = turned_lines(self._file.recover(), path)
        records = [read_line(line, path, number) for number, line in turned.shown]
        ended = any(isinstance(record, EndRecord) for record in records)
        return len(records) - ended, len(turned.undone), ended

    def _write(self, record: StepRecord | EndRecord | TurnRecord, files: Files) -> None:
        if self._ended:
            raise StoreError(f"{self.directory}: the episode has ended and takes no more steps")
        line = to_json(record)
        write_files(self.directory, files)
        self._file.append(line)


def _fill(directory: Path, files: Files) -> None:
    """Write files to a directory that is synced as a whole."""
    for name, data in files.items():
        path = directory / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data())


def _packed(episode: Episode) -> Iterator[tuple[StepRecord | EndRecord, Files]]:
    for number, step in enumerate(episode.steps):
        with storable(f"{episode.id}, step {number}"):
            packed = pack_step(step)
        yield packed
    with storable(f"{episode.id}, its end"):
        end = pack_end(episode.outcome, episode.final)
    yield end
