"""The trash of a store: episodes that were taken out of it as they are, and can be put back.

    <store>/.trash/<entry>/trashed.json     what it was, when and why it went
    <store>/.trash/<entry>/<episode>/       the episode's directory, moved there in one step

An episode is in the store or in the trash, whatever happens between: the note is written first, and
an entry without an episode, which a kill may leave, means nothing. An id that is in the trash is
free: it may be recorded again, and its episode comes back only when the id is free then.
"""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote

from pydantic import TypeAdapter, ValidationError

from tapwright.errors import CorruptEpisodeError, DiskError, quote_path
from tapwright.files import atomic
from tapwright.files.jsonl import to_json
from tapwright.files.regular import read_regular
from tapwright.store import errors
from tapwright.store.changes import noting_change, noting_name
from tapwright.store.ids import directory_name
from tapwright.store.lines import read_header
from tapwright.store.records import FrozenRecord
from tapwright.store.versions import lock_episode

__all__ = [
    "TRASH", "TrashedEpisode", "delete_trashed", "find_directory", "list_trash", "restore_episode",
    "trash_episode",
]  # fmt: skip

TRASH = ".trash"
_NOTE = "trashed.json"
_PARTS = ("episode.json", "steps.jsonl")
_LOCK_TIMEOUT_S = 1.0


class TrashNote(FrozenRecord):
    """`trashed.json`: the episode, when it went (ISO 8601, UTC), why, and in which removal."""

    id: str
    time: str
    reason: str = ""
    removal: str = ""


_NOTE_ADAPTER = TypeAdapter(TrashNote)


@dataclass(frozen=True, slots=True)
class TrashedEpisode:
    """An episode in the trash: its `entry` there, and the `directory` name that it had.

    Of one whose note is lost, only id, entry and directory are known.
    """

    id: str
    entry: str
    directory: str
    time: str = ""
    reason: str = ""
    removal: str = ""


def find_directory(root: Path, id_: str) -> Path:
    """The directory of an episode, which need not be readable.

    An episode whose header is lost has no id but the name of its directory.

    Raises:
        EpisodeMissingError: the store at `root` has none of this id.
        BadIdError: that is no id.
    """
    names = [directory_name(id_)]
    if "/" not in id_ and not id_.startswith("."):
        names.append(id_)
    for name in names:
        if any((root / name / part).is_file() for part in _PARTS):
            return root / name
    raise errors.EpisodeMissingError(
        f"{root}: no episode {id_!r}",
        hint=f"tapwright episodes ls {quote_path(root)}",
        values={"id": id_},
    )


def trash_episode(root: Path, id_: str, *, reason: str = "", removal: str = "") -> TrashedEpisode:
    """Move an episode of the store at `root` into its trash.

    `reason` says why as text; episodes that went together share a `removal`.

    Raises:
        EpisodeMissingError: the store has none of this id.
        EditConflictError: it is being recorded or edited.
        DiskError: the disk is full or not writable; then the episode is where it was.
    """
    directory = find_directory(root, id_)
    with lock_episode(directory, _LOCK_TIMEOUT_S):
        now = datetime.now(UTC)
        stamp = now.strftime("%Y%m%dT%H%M%S%f")
        entry = f"{stamp}-{secrets.token_hex(4)}"
        note = TrashNote(
            id=_read_id(directory),
            time=now.isoformat(timespec="milliseconds"),
            reason=reason,
            removal=removal,
        )
        place = root / TRASH / entry
        if place.parent.is_symlink():
            raise DiskError(f"{place.parent}: a link; expected the store's own directory")
        try:
            atomic.write_atomically(place / _NOTE, to_json(note))
            with (
                noting_change(directory),
                atomic.wrap_disk_errors(directory),
                noting_name(directory),
            ):
                atomic.rename_directory(directory, place / directory.name)
        except BaseException:
            if not (place / directory.name).exists():  # an interrupt may come once it has moved
                shutil.rmtree(place, ignore_errors=True)
            raise
        atomic.sync_directory(place)
        atomic.sync_directory(root)
    return TrashedEpisode(note.id, entry, directory.name, note.time, reason, removal)


def list_trash(root: Path) -> list[TrashedEpisode]:
    """The episodes in the trash of the store at `root`, the latest last.

    Raises:
        CorruptEpisodeError: the trash cannot be read.
    """
    return list(_entries(root / TRASH))


def restore_episode(root: Path, trashed: TrashedEpisode) -> None:
    """Move an episode back to where it was.

    Raises:
        EpisodeExistsError: the store has an episode of its id by now; both stay.
        EpisodeMissingError: it is not in the trash any more.
        DiskError: the store is not writable.
    """
    place, target = root / TRASH / trashed.entry, root / trashed.directory
    with noting_change(target), atomic.wrap_disk_errors(target), noting_name(target):
        try:
            # A directory with anything in it is never replaced.
            atomic.rename_directory(place / trashed.directory, target)
        except FileNotFoundError as error:
            raise errors.EpisodeMissingError(
                f"{root}: {trashed.id!r} is not in the trash any more",
                hint=f"tapwright episodes restore {quote_path(root)}",
                values={"id": trashed.id},
            ) from error
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
            raise errors.EpisodeExistsError(
                f"{root}: has an episode {trashed.id!r} by now; the one in the trash stays there",
                hint="move the other one away: "
                f"tapwright episodes rm {quote_path(root)} {quote(trashed.id)}",
            ) from error
    atomic.sync_directory(root)
    shutil.rmtree(place, ignore_errors=True)


def delete_trashed(root: Path, trashed: TrashedEpisode) -> None:
    """Delete an episode in the trash for good; half of it is never listed.

    Raises:
        DiskError: it cannot be deleted.
    """
    place = root / TRASH / trashed.entry
    # `tapwright clean` deletes what a kill leaves under such a name.
    beside = place.with_name(f".{trashed.entry}.{secrets.token_hex(4)}.part")
    with atomic.wrap_disk_errors(place), suppress(FileNotFoundError):  # another one was faster
        atomic.rename_directory(place, beside)
        shutil.rmtree(beside)
    with suppress(OSError):  # there are others
        place.parent.rmdir()


def _entries(trash: Path) -> Iterator[TrashedEpisode]:
    try:
        names = sorted(name for name in os.listdir(trash) if not name.startswith("."))
    except FileNotFoundError:
        return
    except OSError as error:
        raise CorruptEpisodeError(f"{trash}: cannot be read: {error.strerror}") from error
    for name in names:
        try:
            found = [one.name for one in os.scandir(trash / name) if one.is_dir()]
        except OSError:
            continue  # gone since, or no entry
        for directory in found:
            if directory.startswith("."):
                continue
            try:
                note = _NOTE_ADAPTER.validate_json(read_regular(trash / name / _NOTE))
            except (OSError, ValidationError):
                yield TrashedEpisode(_read_id(trash / name / directory), name, directory)
            else:
                yield TrashedEpisode(note.id, name, directory, note.time, note.reason, note.removal)


def _read_id(directory: Path) -> str:
    try:
        id_ = read_header(directory / "episode.json").id
        return id_ if directory_name(id_) == directory.name else directory.name
    except (CorruptEpisodeError, errors.SchemaVersionError, errors.BadIdError):
        return directory.name
