"""Puts what was recorded, edited or removed in a local copy into its shared store.

What has no note, or other files than its note says, is still to be put, also after a kill. Screens
go into a new pack; of what else changed, an archive of some kB. Where another machine was faster,
both changes count if they go together: lines of tags and reviews, or of different files. Else the
one that is there stays, and the one here is moved aside.
"""

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tapwright.errors import StoreError, quote_path
from tapwright.files.atomic import rename_directory, wrap_disk_errors
from tapwright.files.lock import DirectoryLock
from tapwright.files.temporary import owned_directory
from tapwright.formats.shared.copy import SHARD, SharedCopy
from tapwright.formats.shared.log import SharedEntry, new_name
from tapwright.formats.shared.texts import (
    hash_texts,
    merge_texts,
    pack_texts,
    read_texts,
    shown_steps,
    stamp_texts,
)
from tapwright.store.catalog_entry import read_row
from tapwright.store.changes import ChangeMark, noting_change, noting_name, read_changes
from tapwright.store.errors import EditConflictError, EpisodeMissingError
from tapwright.store.store import EpisodeStore
from tapwright.store.trash import list_trash
from tapwright.store.versions import lock_episode

__all__ = ["WorkingCopy"]

_PACK_STEPS = 2048
_PACK_EPISODES = 1000


@dataclass(frozen=True, slots=True)
class _Change:
    """An episode that is to be put: its entry but for where it will be, and its files."""

    entry: SharedEntry
    version: int
    stamp: str
    texts: Mapping[str, bytes]
    archive: bytes


class WorkingCopy(SharedCopy):
    """A local copy that puts what is done in it.

    One that `goes` with its program has nowhere to move what does not go together with what is
    there: that is put beside it, below `aside` at the URL, in a directory of its own.
    """

    def __init__(self, url: str, directory: Path, *, goes: bool = False) -> None:
        """Nothing is read yet; raises as `Place` does."""
        super().__init__(url, directory)
        self._goes = goes
        self._mark: ChangeMark | None = None
        self._changed: set[str] | None = None

    def push(self, *, ended: bool = False) -> None:
        """Put what is new or changed and no writer holds.

        A call with `ended` is for while one works: it looks at what is new, and of the rest at what
        is noted to have changed. It leaves what is not whole yet, what was removed, and what does
        not go together with what is there, which a call without it moves aside.

        Raises:
            RemoteFileError: it cannot be put; it stays here, and the next call goes on.
            EditConflictError: another machine changed an episode in another way. What was done here
                is moved aside, and the message says where.
        """
        with self.lock, DirectoryLock(self.notes.directory) as lock:
            lock.wait()
            self.sync()
            self._follow_changes()
            problems: list[str] = []
            looked_at = self._changed if ended else None
            for batch in _batches(_find_changes(self, problems, looked_at, ended=ended)):
                _put(self, batch, problems, ended=ended)
            if not ended:
                _put_removals(self, problems)
            self._changed = set()
        if problems:
            aside = self.url if self._goes else quote_path(self.notes.directory)
            raise EditConflictError(
                f"{self.url}: {len(problems)} not put: {'; '.join(problems)}",
                hint="what was moved aside can be put under other ids: tapwright episodes copy "
                f"{aside}/aside{'/…' if self._goes else ''} {self.url} --same-id rename",
            )

    def move_aside(self, path: Path) -> str:
        """Move an episode out of the store; where it is then.

        Raises:
            RemoteFileError: it cannot be put at the URL, and stays.
            DiskError: it cannot be moved.
        """
        aside = self.notes.directory / "aside"
        where, target = "", aside / path.name
        if self._goes:
            name = f"aside/{new_name()}/{path.name}"
            for file in sorted(one for one in path.rglob("*") if one.is_file()):
                self.place.put(f"{name}/{file.relative_to(path).as_posix()}", file)
            where = f"{self.url}/{name}"
        with wrap_disk_errors(target):
            aside.mkdir(exist_ok=True)
            while target.exists():
                target = aside / f"{path.name}-{time.time_ns()}"
            with noting_change(path), noting_name(path):
                rename_directory(path, target)
        self.forget(path.name)
        return where or str(target)

    def _follow_changes(self) -> None:
        """Know what changed since it was last looked at; None of all that it is not known."""
        try:
            found = read_changes(self.directory, self._mark, {})
        except OSError:
            found = None
        if found is None or self._mark is None:
            self._changed = None
        elif self._changed is not None:
            self._changed |= found.names
        self._mark = None if found is None else found.mark


def _find_changes(
    copy: WorkingCopy, problems: list[str], looked_at: Collection[str] | None, *, ended: bool
) -> Iterator[_Change]:
    """What is to be put: of what was put before, of the directories that are `looked_at`."""
    noted = copy.notes.names()
    for path in sorted(copy.directory.iterdir()):
        name = path.name
        if name.startswith(".") or (
            name in noted and looked_at is not None and name not in looked_at
        ):
            continue
        note = copy.notes.read(name) if name in noted else None
        if (path / "episode.json").is_file() and not (note and note.fits(path)):
            change = _look(copy, path, problems, ended=ended)
            if change is not None:
                yield change


def _look(copy: WorkingCopy, path: Path, problems: list[str], *, ended: bool) -> _Change | None:
    """What is to be put of an episode; None if it is there, or is being written."""
    try:
        with lock_episode(path):
            found = _compare(copy, path, ended=ended)
    except (EditConflictError, EpisodeMissingError):
        return None
    except (StoreError, OSError) as error:
        problems.append(f"{path.name}: {error}")
        return None
    if not isinstance(found, str):
        return found
    if ended:
        return None
    problems.append(f"{path.name}: {found}; what was done here is in {copy.move_aside(path)}")
    return None


def _compare(copy: SharedCopy, path: Path, *, ended: bool) -> _Change | str | None:
    """What is to be put of an episode, None for nothing; or why it does not go together."""
    row = read_row(str(copy.directory), path.name)
    if row is None:
        return None
    if isinstance(found := row.found, StoreError):
        raise found
    if ended and not (found is not None and found.ended):
        return None
    stamp, texts = stamp_texts(path), read_texts(path)
    there, note = next(iter(copy.find([path.name])), None), copy.notes.read(path.name)
    if there is not None and not there.pack and note is not None:
        return "another machine has removed it"
    if there is not None and there.pack:
        if there.content == hash_texts(texts):
            copy.notes.write(path.name, there.revision, texts, stamp)
            return None
        if note is None or note.revision != there.revision:
            theirs, held = copy.read_texts(there)
            merged = merge_texts(note.files if note else {}, texts, theirs)
            if merged is None:
                edited = note is not None
                return "another machine has " + ("edited it, too" if edited else "put this id")
            copy.write_files(path, there, merged, held)
            copy.notes.write(path.name, there.revision, theirs, "")
            return _compare(copy, path, ended=ended)
    shown, screens, version = shown_steps(path)
    entry = SharedEntry(
        id=json.loads(texts["episode.json"])["id"],
        was=0 if there is None else there.revision,
        pack=there.pack if there is not None and there.shown == shown else "",
        content=hash_texts(texts), shown=shown,
        row=found, actions=row.actions, frames=row.frames.hex(),
    )  # fmt: skip
    return _Change(entry, version, stamp, texts, pack_texts(path, texts, screens))


def _batches(changes: Iterable[_Change]) -> Iterator[list[_Change]]:
    batch: list[_Change] = []
    steps = 0
    for change in changes:
        batch.append(change)
        steps += 0 if change.entry.row is None else change.entry.row.steps
        if steps >= _PACK_STEPS or len(batch) >= _PACK_EPISODES:
            yield batch
            batch, steps = [], 0
    if batch:
        yield batch


def _put(copy: WorkingCopy, batch: Sequence[_Change], problems: list[str], *, ended: bool) -> None:
    """Put a batch as one commit; what others were faster with is looked at again."""
    pack = _put_pack(copy, [one for one in batch if not one.entry.pack])
    name, start, entries = new_name(), 0, list[SharedEntry]()
    for one in batch:
        size = len(one.archive)
        where = {"pack": one.entry.pack or pack, "texts": name, "start": start, "length": size}
        entries.append(one.entry.model_copy(update=where))
        start += size
    copy.place.put(f"texts/{name}", b"".join(one.archive for one in batch))
    number, late = copy.commit(entries)
    for one in batch:
        directory = one.entry.directory
        if directory not in late:
            copy.notes.write(directory, number, one.texts, one.stamp)
    again = (_look(copy, copy.directory / one, problems, ended=ended) for one in sorted(late))
    if changes := [one for one in again if one is not None]:
        _put(copy, changes, problems, ended=ended)


def _put_pack(copy: SharedCopy, changes: Sequence[_Change]) -> str:
    """Put a pack of the screens of episodes; its name, "" for none."""
    from tapwright.formats.pack.pictures import pack_pictures
    from tapwright.formats.pack.tables import TABLES, shard_writer
    from tapwright.formats.temporary_storage import TemporaryStorage, open_encoder_pool

    if not changes:
        return ""
    store, name = EpisodeStore(copy.directory), new_name()
    with owned_directory("tapwright-") as folder, open_encoder_pool() as pool:
        with shard_writer(folder, SHARD) as writer:
            for one in changes:
                episode = store.read(one.entry.id, one.version)
                pack_pictures(episode, "original", pool, TemporaryStorage())  # they are checked
                writer.add(episode, episode, {}, ())
        for table in TABLES:
            file = f"{table}/{SHARD}.parquet"
            copy.place.put(f"packs/{name}/{file}", folder / file)
    return name


def _put_removals(copy: SharedCopy, problems: list[str]) -> None:
    trashed = {one.directory for one in list_trash(copy.directory)} & copy.notes.names()
    gone = [name for name in sorted(trashed) if not (copy.directory / name).exists()]
    notes = {name: copy.notes.read(name) for name in gone}
    removals = [
        SharedEntry(id=one.id, was=note.revision)
        for one in copy.find(gone)
        if one.pack and (note := notes[one.directory]) is not None
    ]
    _, late = copy.commit(removals) if removals else (0, set[str]())
    for name in gone:
        if name in late:
            copy.forget(name)
            problems.append(f"{name}: another machine has changed it since, and it stays there")
        else:
            copy.notes.remove(name)
