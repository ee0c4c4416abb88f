"""A local store that stands for a shared one: its catalog whole, its episodes as they are needed.

The rows of the catalog come from the log, so that all episodes are listed and filtered, of which
few are here. What is recorded or edited here is put there (`push`).
"""

import atexit
import hashlib
import os
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

from tapwright.errors import DiskError, UsageError
from tapwright.files.atomic import write_atomically
from tapwright.files.place import Place
from tapwright.files.temporary import OwnedDirectory
from tapwright.files.urls import copy_name, url_of
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.shared import rows
from tapwright.formats.shared.log import SharedEntry, SharedLog, is_shared, new_name
from tapwright.formats.shared.notes import Notes
from tapwright.formats.shared.texts import hash_texts, read_screens, read_texts, unpack_texts
from tapwright.store.catalog_file import CatalogFile
from tapwright.store.changes import adding_episode, noting_change, noting_name
from tapwright.store.errors import EditConflictError, EpisodeMissingError
from tapwright.store.trash import list_trash
from tapwright.store.versions import lock_episode

if TYPE_CHECKING:
    from tapwright.formats.pack.reader import PackFolder

__all__ = ["SHARD", "SharedCopy", "copy_directory", "open_copy"]

R = TypeVar("R")

SHARD = "00000"
"""The name of the only shard of each pack."""

_THREADS = 4


class SharedCopy:
    """The local store at `directory` of the shared store at `url`; any thread may use it.

    Any number of programs may use one directory, and any number of directories one shared store.
    """

    def __init__(self, url: str, directory: Path, at: int | None = None) -> None:
        """Nothing is read yet, and nothing after the commit `at` ever; raises as `Place` does."""
        self.place = Place(url)
        self.url, self.directory, self._at = self.place.url, directory, at
        self.notes = Notes(directory)
        self.lock = RLock()
        self._log = SharedLog(self.place)
        self._file = CatalogFile(directory)

    def fetch(self, below: str = "", *, again: bool = False) -> None:
        """Fetch the episode in a directory of the store, or all; those that are here stay.

        With `again`, and for all, what others have put since is looked for first.

        Raises:
            RemoteFileError: the shared store cannot be read.
            BrokenPackError: what is there is broken.
        """
        if again or not below:
            self.sync()
        self.fetch_directories([below] if below else self.directories())

    def fetch_directories(self, names: Iterable[str]) -> None:
        """Fetch the episodes in these directories that are there and not here; raises likewise."""
        missing = [name for name in names if not (self.directory / name).is_dir()]
        found: defaultdict[str, list[SharedEntry]] = defaultdict(list)
        for one in self.find(missing):
            if one.pack:
                found[one.pack].append(one)
        if len(found) == 1:
            with self.lock:
                self.bring(next(iter(found.values())))
            return
        with ThreadPoolExecutor(_THREADS) as pool:
            for _ in pool.map(
                lambda entries: self._bring(entries, self._open_packs()), found.values()
            ):
                pass

    def sync(self) -> None:
        """Read what others have put since, and bring what is here and unchanged up to it.

        Raises:
            UsageError: there is no commit that it is to be of.
            RemoteFileError: the shared store cannot be read.
            BrokenPackError: what is there is broken.
        """
        with self.lock:
            self._find_deleted()
            for commit in self._log.follow(self.use(rows.read_number), self._at):
                self.use(partial(rows.apply_commit, commit, self._is_here))
            if self._at is not None and self.number != self._at:
                raise UsageError(
                    f"{self.url}: no commit {self._at}; expected one from 1 to {self.number}"
                )
            self._catch_up()

    @property
    def number(self) -> int:
        """That of the last commit that was read; 0 for none."""
        return self.use(rows.read_number)

    def directories(self) -> list[str]:
        """Those of all episodes that are there."""
        return [one.directory for one in self.entries()]

    def entries(self) -> list[SharedEntry]:
        """What the log says of all episodes that are there, in the order of their packs."""
        return self.use(rows.list_entries)

    def find(self, directories: Collection[str]) -> list[SharedEntry]:
        """What the log says of the episodes in these directories, also of removed ones."""
        return self.use(partial(rows.find_entries, directories))

    def commit(self, entries: Sequence[SharedEntry]) -> tuple[int, set[str]]:
        """Put a commit of the entries whose `was` still holds.

        Returns:
            Its number, and the directories of the entries that others were faster with.

        Raises:
            RemoteFileError: it cannot be put. It may be there all the same.
        """
        word, late = new_name(), set[str]()
        while True:
            self.sync()
            there = {one.id: one.revision for one in self.find([one.directory for one in entries])}
            late |= {one.directory for one in entries if there.get(one.id, 0) != one.was}
            entries = [one for one in entries if one.directory not in late]
            number = self.use(rows.read_number) + bool(entries)
            if not entries or self._log.put(number, entries, word):
                self.sync()
                return number, late

    def forget(self, name: str) -> None:
        """Know again of an episode that is not here any more only what the log says."""
        self.notes.remove(name)
        for entry in self.find([name]):
            commit = self._log.read(entry.revision)
            self.use(partial(rows.forget, commit, [name]))

    def read_texts(self, entry: SharedEntry) -> tuple[dict[str, bytes], list[str]]:
        """The files of an episode, and the names of those that are in its pack.

        Raises as `fetch` does.
        """
        name = f"texts/{entry.texts}"
        data = self.place.read(name, entry.start, entry.start + entry.length)
        return unpack_texts(data or b"", f"{self.url}/{name}: {entry.id}")

    def write_files(
        self, directory: Path, entry: SharedEntry, texts: Mapping[str, bytes], held: Sequence[str]
    ) -> None:
        """Let an episode that is here have these files, and the screens of the entry's pack."""
        missing = [name for name in held if not (directory / name).exists()]
        with noting_change(directory):
            for name, data in _read_files(self._packs, entry, texts, missing):
                path = directory / name
                if not path.is_file() or path.read_bytes() != data:
                    write_atomically(path, data)

    def use(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """What `work` returns, of the catalog's tables and those of `rows`.

        Raises:
            DiskError: the directory is on a file system on which SQLite can keep none.
        """

        def prepared(connection: sqlite3.Connection) -> R:
            if self._file.is_in_memory(connection):
                raise DiskError(
                    f"{self.directory}: the copy of a shared store has to lie on a disk of this "
                    "machine that can be written",
                    hint="name a directory on one: export TAPWRIGHT_STORES=/local/stores",
                )
            for statement in rows.TABLES.split(";"):
                connection.execute(statement)
            return work(connection)

        with self.lock:
            return self._file.use(prepared)

    def _find_deleted(self) -> None:
        """Find episodes that somebody deleted here by hand, with which the catalog forgot them."""
        gone = {name for name in self.notes.names() if not (self.directory / name).exists()}
        if gone:  # the trash is looked at last: another thread may be moving an episode there
            for name in gone - {one.directory for one in list_trash(self.directory)}:
                self.forget(name)

    def bring(self, entries: Sequence[SharedEntry]) -> None:
        """Write episodes of one pack that are not here; raises as `fetch` does."""
        self._bring(entries, self._packs)

    def _bring(self, entries: Sequence[SharedEntry], packs: "PackFolder") -> None:
        for entry in entries:
            texts, held = self.read_texts(entry)
            target = self.directory / entry.directory
            try:
                with adding_episode(target) as beside:
                    for name, data in _read_files(packs, entry, texts, held):
                        (beside / name).parent.mkdir(parents=True, exist_ok=True)
                        (beside / name).write_bytes(data)
            except DiskError:
                if not target.is_dir():  # another program was faster
                    raise
            self.notes.write(entry.directory, entry.revision, texts)
        revisions = {one.directory: one.revision for one in entries}
        with self.lock:
            for entry in self.find(revisions):
                if entry.revision > revisions[entry.directory]:  # another program has seen more
                    self._follow(entry)

    def _catch_up(self) -> None:
        """Bring episodes here up to the end of the log: files of before it may be deleted."""
        done: list[str] = []
        try:
            for entry in self.find(self.use(rows.list_behind)):
                try:
                    is_done = self._follow(entry)
                except BrokenPackError:
                    done.append(entry.directory)  # it is told once, and the others are read
                    raise
                if is_done:
                    done.append(entry.directory)
        finally:
            if done:
                self.use(partial(rows.mark_caught_up, done))

    def _is_here(self, entry: SharedEntry) -> bool:
        return (self.directory / entry.directory).is_dir()

    def _follow(self, entry: SharedEntry) -> bool:
        """Bring an episode that is here to an entry, unless it was changed here meanwhile.

        Returns:
            Whether nothing is left to be done; False when it is being edited.
        """
        directory, note = self.directory / entry.directory, self.notes.read(entry.directory)
        if note is None or note.revision >= entry.revision:
            return True
        with suppress(EditConflictError, EpisodeMissingError), lock_episode(directory):
            if not note.fits(directory):
                return True  # `push` finds out whether both go together
            if not entry.pack:
                with noting_change(directory), noting_name(directory):
                    shutil.rmtree(directory)
                self.notes.remove(entry.directory)
                return True
            texts = read_texts(directory)
            if entry.content == hash_texts(texts):  # it was compacted
                self.notes.write(entry.directory, entry.revision, texts, note.stamp)
                return True
            texts, held = self.read_texts(entry)
            self.write_files(directory, entry, texts, held)
            self.notes.write(entry.directory, entry.revision, texts)
            return True
        return not directory.is_dir()

    @cached_property
    def _packs(self) -> "PackFolder":
        """Those that one thread reads, which has the lock."""
        return self._open_packs()

    def _open_packs(self) -> "PackFolder":
        from tapwright.formats.pack.reader import PackFolder  # a list needs none of it

        return PackFolder(f"{self.url}/packs", SHARD)


def _read_files(
    packs: "PackFolder", entry: SharedEntry, texts: Mapping[str, bytes], screens: Collection[str]
) -> Iterator[tuple[str, bytes]]:
    if screens:
        yield from read_screens(packs.episode(entry.pack, entry.id), screens)
    yield from sorted(texts.items())


def open_copy(location: str, cache: Path | str | None, at: int | None = None) -> SharedCopy | None:
    """A copy of the shared store at a URL or in a directory, up to date; None where there is none.

    It is in a directory below `cache`, or in one that goes with the program: episodes and pictures
    that were taken from it read their files later. That of a commit `at`, which stays as it was
    then, has a directory of its own.

    Raises:
        UsageError: there is no such commit.
        RemoteFileError: the shared store cannot be read.
    """
    url = url_of(location)
    if not is_shared(Place(url)):
        return None
    directory = copy_directory(url, _program_home() if cache is None else Path(cache))
    if at is not None:
        directory = directory.with_name(f"{directory.name}-{at}")
    copy = SharedCopy(url, directory, at)
    copy.sync()
    return copy


@cache
def _program_home() -> Path:
    home, program = OwnedDirectory("tapwright-copy-"), os.getpid()

    def remove() -> None:
        if os.getpid() == program:  # and not the end of a fork
            home.remove()

    atexit.register(remove)
    return home.path


def copy_directory(url: str, home: Path) -> Path:
    """Where below the home of all copies that of a shared store is.

    One that is there stays where it is, whatever an earlier version called it: it may hold what was
    not put yet.
    """
    hashed = hashlib.sha256(url.encode()).hexdigest()[:12]
    named = home / f"{copy_name(url)}-{hashed}"
    return named if named.is_dir() else next(home.glob(f"*-{hashed}"), named)
