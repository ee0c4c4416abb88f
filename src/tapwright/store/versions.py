"""The versions of one episode: each edit writes a new one, and a log names the current one.

    <episode>/versions/
        log.jsonl               one line per edit, removal, undo and redo; the last one counts
        2/episode.json          a version's header
        2/steps.jsonl           its lines, as those of the recording; frames and trees are shared

A version is whole before its line is in the log, and no file but the log is ever replaced. So a
crash leaves the version before current, and what an undo leaves behind is kept.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tapwright.core.episode import Episode, Step
from tapwright.core.observation import Observation
from tapwright.errors import CorruptEpisodeError
from tapwright.files.atomic import atomic_directory, refuse_link, wrap_disk_errors, write_inside
from tapwright.files.jsonl import from_json, now_text, parse_lines, to_json
from tapwright.files.lock import DirectoryLock
from tapwright.files.regular import read_regular
from tapwright.store import packing, records
from tapwright.store.changes import noting_change
from tapwright.store.errors import NOTHING_TO_UNDO, EditConflictError, EpisodeMissingError
from tapwright.store.lazy import LazyStep
from tapwright.store.lines import read_numbered_lines

__all__ = ["ChangeKind", "VersionChange", "VersionHistory", "lock_episode", "write_version"]

_POLL_S = 0.01

ChangeKind: TypeAlias = Literal["edit", "remove", "undo", "redo"]


class VersionChange(records.FrozenRecord):
    """One line of a log: `version` is current from then on, `parent` was until then.

    `edit` describes an edit as text, and `edit_id` is the same in all the episodes that one edit
    changed; `added` are the episodes that it made of steps of this one. `time` is an ISO 8601 time
    in UTC.
    """

    change: ChangeKind
    version: Annotated[int, Field(ge=1)]
    parent: Annotated[int, Field(ge=1)]
    edit: str = ""
    edit_id: str = ""
    added: Annotated[tuple[str, ...], Field(exclude_if=lambda added: not added)] = ()
    time: str = ""


_CHANGE_ADAPTER = TypeAdapter(VersionChange)


@dataclass(frozen=True, slots=True)
class VersionHistory:
    """The changes of an episode since it was recorded, in their order.

    `directory` is the episode's own, `recorded` the number of the version that was recorded.
    """

    directory: Path
    recorded: int
    changes: tuple[VersionChange, ...] = ()

    @classmethod
    def read(cls, directory: Path, recorded: int) -> "VersionHistory":
        """The history of the episode in `directory`.

        Raises:
            CorruptEpisodeError: a line of the log is not a change.
        """
        path = directory / "versions" / "log.jsonl"
        try:
            lines = read_regular(path).splitlines()
        except FileNotFoundError:
            return cls(directory, recorded)
        except OSError as error:
            raise CorruptEpisodeError(f"{path}: cannot be read: {error.strerror}") from error
        changes = parse_lines(
            lines,
            _CHANGE_ADAPTER,
            path,
            error=CorruptEpisodeError,
            expected="a change of an episode",
            hint="every version is intact beside the log; mend the line, then read again",
        )
        return cls(directory, recorded, tuple(changes))

    @property
    def current(self) -> int:
        """The current version, which `EpisodeStore.read` returns."""
        return self.changes[-1].version if self.changes else self.recorded

    @property
    def removed(self) -> bool:
        """Whether the current version is the removal of the episode."""
        made = self._find_creation(self.current)
        return made is not None and made.change == "remove"

    def version_directory(self, version: int) -> Path | None:
        """The directory of a version's header and lines; None when there is no such version."""
        if version == self.recorded:
            return self.directory
        made = self._find_creation(version)
        return None if made is None or made.change == "remove" else self._directory_of(version)

    def next_version(self) -> tuple[int, Path]:
        """The number and the directory of the next version."""
        # A version whose writer died before it was in the log keeps its number.
        taken = [self.recorded, *(change.version for change in self.changes)]
        folder = self.directory / "versions"
        with wrap_disk_errors(folder):
            if folder.is_dir():
                taken += [int(path.name) for path in folder.iterdir() if path.name.isdecimal()]
        number = max(taken) + 1
        return number, self._directory_of(number)

    def find_edit(self, edit_id: str) -> VersionChange | None:
        """The change that an edit made here; None when it has not come to this episode."""
        return next((one for one in self.changes if edit_id and one.edit_id == edit_id), None)

    def make_undo(self) -> VersionChange:
        """The change that makes the version before current.

        Raises:
            StoreError: the recording itself is current.
        """
        made = self._find_creation(self.current)
        if made is None:
            raise NOTHING_TO_UNDO(f"{self.directory}: nothing to undo: it is as it was recorded")
        return _make_change("undo", version=made.parent, parent=self.current)

    def make_redo(self) -> VersionChange:
        """The change that makes current again what the last undo left.

        Raises:
            StoreError: nothing was undone since the last edit.
        """
        left: list[int] = []
        for change in self.changes:
            match change.change:
                case "undo":
                    left.append(change.parent)
                case "redo":
                    del left[-1:]
                case "edit" | "remove":
                    left.clear()
        if not left:
            raise NOTHING_TO_UNDO(f"{self.directory}: nothing to redo: no edit was undone last")
        return _make_change("redo", version=left[-1], parent=self.current)

    def make_edit(
        self,
        kind: Literal["edit", "remove"],
        version: int,
        edit: str,
        edit_id: str,
        added: Sequence[str] = (),
    ) -> VersionChange:
        """The change that makes a new version current."""
        made = _make_change(kind, version=version, parent=self.current, edit=edit, edit_id=edit_id)
        return made.model_copy(update={"added": tuple(added)})

    def find_added(self, version: int) -> tuple[str, ...]:
        """The episodes that the edit which made a version added, of steps of this one."""
        made = self._find_creation(version)
        return () if made is None else made.added

    def append(self, change: VersionChange) -> None:
        """Append a change; it counts when this returns.

        Raises:
            DiskError: the disk is full or not writable; then the log is as it was.
        """
        lines = (to_json(one) + b"\n" for one in (*self.changes, change))
        with noting_change(self.directory):
            write_inside(self.directory, {"versions/log.jsonl": b"".join(lines)})

    def _find_creation(self, version: int) -> VersionChange | None:
        return next(
            (
                one
                for one in self.changes
                if one.version == version and one.change in ("edit", "remove")
            ),
            None,
        )

    def _directory_of(self, version: int) -> Path:
        return self.directory / "versions" / str(version)


def write_version(
    directory: Path, source: Path, home: Path, before: Episode, after: Episode
) -> None:
    """Write `after`, an edit of the version `before` at `source`, to `home` in one move.

    A step that both share keeps its line as it is; one that shares only what was seen is written
    without opening a frame.

    Raises:
        StoreError: a step holds what cannot be stored.
        DiskError: the disk is full or not writable; then there is no `home`.
    """
    refuse_link(home.parent)
    lines = _StoredLines(source, before)
    with packing.wrap_validation_errors(f"{after.id}, its header"):
        header, files = packing.pack_header(after)
    packing.write_files(directory, files)
    written: list[bytes] = []
    for number, step in enumerate(after.steps):
        line = lines.of(step)
        if line is None:
            with packing.wrap_validation_errors(f"{after.id}, step {number}"):
                record, files = packing.pack_step(step, lines.find_screen)
            packing.write_files(directory, files)
            line = to_json(record)
        written.append(line)
    with packing.wrap_validation_errors(f"{after.id}, its end"):
        end, files = packing.pack_end(
            after.outcome, after.final, lines.find_screen, evidence=after.evidence
        )
    packing.write_files(directory, files)
    written.append(to_json(end))
    with atomic_directory(home) as beside:
        (beside / "episode.json").write_bytes(to_json(header))
        (beside / "steps.jsonl").write_bytes(b"\n".join(written) + b"\n")


class _StoredLines:
    """The lines of a version, by the identity of the objects that were read from them."""

    def __init__(self, source: Path, episode: Episode) -> None:
        lines = [line for _, line in read_numbered_lines(source / "steps.jsonl")]
        self._steps: dict[int, bytes] = {}
        self._seen: dict[int, tuple[bytes, int]] = {}
        for step, line in zip(episode.steps, lines, strict=False):
            self._steps[id(step)] = line
            if isinstance(step, LazyStep) and step.unread:
                continue  # an edit cannot have reused what was not read
            for place, observation in enumerate(step.screens):
                self._seen[id(observation)] = line, place
        if episode.final is not None and len(lines) > len(episode.steps):
            self._seen[id(episode.final)] = lines[len(episode.steps)], 0
        # An id identifies its object only as long as that lives.
        self._kept = episode

    def of(self, step: Step) -> bytes | None:
        return self._steps.get(id(step))

    def find_screen(self, observation: Observation) -> records.ObservationRecord | None:
        if id(observation) not in self._seen:
            return None
        line, place = self._seen[id(observation)]
        match from_json(records.LINE_ADAPTER, line):
            case records.StepRecord() as record:
                return record.screens[place]
            case records.EndRecord(final=final):
                return final


@contextmanager
def lock_episode(directory: Path, wait_s: float = 0.0) -> Iterator[None]:
    """Lock the episode in `directory` for changes; wait up to `wait_s` for another process.

    Raises:
        EditConflictError: another one held it all the time, or moved it away.
        EpisodeMissingError: there is no such directory.
    """
    with wrap_disk_errors(directory):
        try:
            lock = DirectoryLock(directory)
        except FileNotFoundError as error:
            raise EpisodeMissingError(f"{directory}: there is no episode") from error
    with lock:
        until_s = time.monotonic() + wait_s
        while not lock.take():
            if time.monotonic() >= until_s:
                raise EditConflictError(
                    f"{directory}: another process is editing this episode",
                    hint="run the same command again",
                )
            time.sleep(_POLL_S)
        if not lock.is_there():
            raise EditConflictError(
                f"{directory}: another process moved this episode away",
                hint="tapwright episodes restore lists what is in the trash",
            )
        yield


def _make_change(
    kind: ChangeKind, *, version: int, parent: int, edit: str = "", edit_id: str = ""
) -> VersionChange:
    now = now_text()
    return VersionChange(
        change=kind, version=version, parent=parent, edit=edit, edit_id=edit_id, time=now
    )
