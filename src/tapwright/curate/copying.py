"""Copies episodes between stores: merges several into one, or takes a part of one.

Pictures, view hierarchies and states are never changed once they are written, so a copy on the same
file system shares them by hard links; whatever is appended to or replaced is copied. A copy appears
in one move, so that a killed command leaves whole episodes and goes on when it is repeated.
"""

import errno
import json
import os
import shutil
import stat
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from tapwright.curate.contents import hash_content, hash_recording, iterate_entries, likely_same
from tapwright.errors import CorruptEpisodeError, DiskError, StoreError, UsageError
from tapwright.files.atomic import wrap_disk_errors
from tapwright.files.links import is_mine
from tapwright.files.regular import open_regular
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_entry import CatalogEntry
from tapwright.store.changes import adding_episode
from tapwright.store.errors import EditConflictError, EpisodeExistsError, SchemaVersionError
from tapwright.store.ids import directory_name
from tapwright.store.lines import read_file, wrap_read_errors
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import write_tags
from tapwright.store.versions import lock_episode

__all__ = ["CopiedEpisode", "CopyPlan", "SameId", "StoreCopier"]

SameId: TypeAlias = Literal["refuse", "rename"]

_SHARED = ("frames", "ui", "state")
"""The folders whose files are named by their contents."""

_NOT_LINKED = (
    *(errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES, errno.ENOSYS),
    errno.EINVAL,  # a disk of Windows that has no links
)
_FOLLOWS = os.link not in os.supports_follow_symlinks
"""A link is linked as one, where the system can; Windows does nothing else."""
_LOCK_TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """The episodes of one store that are to be copied, and the error of each unreadable one."""

    source: EpisodeStore
    ids: Sequence[str]
    unreadable: dict[str, StoreError]


@dataclass(frozen=True, slots=True)
class CopiedEpisode:
    """What became of one episode: its id in the target, or why it was not copied."""

    source: Path
    id: str
    what: Literal["copied", "there", "refused"]
    target_id: str = ""
    error: StoreError | None = None


class StoreCopier:
    """Copies episodes into the store `target`; `links` counts the files that are shared with it.

    An episode that is there already is left out: under its own id with the same recording and
    versions, or under another id with the same content. One whose id has another content there is
    refused, or gets the id "ID-2" by `same_id`. Each copy is tagged with `tag`, if there is one.
    Where episodes of the target are yet to be fetched, `fetch` fetches those of these ids.
    """

    def __init__(
        self,
        target: EpisodeStore,
        *,
        same_id: SameId = "refuse",
        tag: str = "",
        fetch: Callable[[Sequence[str]], object] = lambda _: None,
    ) -> None:
        self.target = target
        self._fetch = fetch
        self.links = self.copies = 0
        self._same_id = same_id
        self._tag = tag
        self._linking = True
        self._known: defaultdict[int, list[str]] = defaultdict(list)
        if target.root.exists():
            for entry in iterate_entries(Catalog(target), EVERYTHING):
                self._known[likely_same(entry)].append(entry.id)

    def plan(self, source: EpisodeStore, selection: Selection) -> CopyPlan:
        """The episodes of a selection.

        Raises:
            UsageError: a store is to be copied into itself.
        """
        root, into = source.root.resolve(), self.target.root.resolve()
        if root == into:
            raise UsageError(f"{source.root}: is to be copied into itself")
        catalog = Catalog(source)
        return CopyPlan(source, catalog.ids(selection), catalog.unreadable())

    def copy(self, plan: CopyPlan) -> Iterator[CopiedEpisode]:
        """Copy the episodes of a plan; yields each when it is done.

        Raises:
            DiskError: the disk is full or not writable; what was yielded is whole.
        """
        self._linking = True
        catalog = Catalog(plan.source)
        wanted = set(plan.ids)
        for entry in iterate_entries(catalog, EVERYTHING):
            if entry.id in wanted:
                yield self._copy(plan.source, entry)

    def _copy(self, source: EpisodeStore, entry: CatalogEntry) -> CopiedEpisode:
        directory = source.root / directory_name(entry.id)
        try:
            with lock_episode(directory, _LOCK_TIMEOUT_S):
                found = self._find(directory, entry)
                if found:
                    return CopiedEpisode(source.root, entry.id, "there", found)
                id_ = self._free_id(entry.id)
                self._write(directory, id_, entry.id)
        except (CorruptEpisodeError, SchemaVersionError, EditConflictError) as error:
            return CopiedEpisode(source.root, entry.id, "refused", error=error)
        except EpisodeExistsError as error:
            return CopiedEpisode(source.root, entry.id, "refused", error=error)
        self._known[likely_same(entry)].append(id_)
        return CopiedEpisode(source.root, entry.id, "copied", id_)

    def _find(self, directory: Path, entry: CatalogEntry) -> str:
        """The id under which the target has an episode already; "" when it has none."""
        same = self._known.get(likely_same(entry), ())
        self._fetch([entry.id, *same])
        own = self.target.root / directory.name
        if own.is_dir() and hash_recording(own) == hash_recording(directory):
            return entry.id
        content = ""
        for id_ in same:
            other = self.target.root / directory_name(id_)
            if id_ != entry.id and other.is_dir():
                content = content or hash_content(directory)
                if hash_content(other) == content:
                    return id_
        return ""

    def _free_id(self, id_: str) -> str:
        root = self.target.root
        if not (root / directory_name(id_)).exists():
            return id_
        if self._same_id == "refuse":
            raise EpisodeExistsError(
                f"{root}: has another episode {id_!r}",
                hint="copy it under another id: --same-id rename",
            )
        number = 2
        while (root / directory_name(f"{id_}-{number}")).exists():
            number += 1
        return f"{id_}-{number}"

    def _write(self, directory: Path, id_: str, old_id: str) -> None:
        target = self.target.root / directory_name(id_)
        try:
            with adding_episode(target) as beside:
                for folder, folders, names in os.walk(directory):
                    folders[:] = [name for name in folders if not name.startswith(".")]
                    place = Path(folder).relative_to(directory)
                    (beside / place).mkdir(exist_ok=True)
                    for name in names:
                        if not name.startswith("."):
                            self._write_file(directory, beside, place / name)
                if id_ != old_id:
                    for header in (beside, *beside.glob("versions/*/")):
                        _rename(header / "episode.json", id_)
                if self._tag:
                    write_tags(beside, add=[self._tag])
        except DiskError as error:
            if target.exists():  # another writer was faster
                raise EpisodeExistsError(
                    f"{self.target.root}: just got an episode {id_!r}",
                    hint="repeat the command: it is compared then",
                ) from error
            raise

    def _write_file(self, source: Path, beside: Path, name: Path) -> None:
        path = source / name
        if name.parts[0] in _SHARED and self._linking:
            try:
                os.link(path, beside / name, follow_symlinks=_FOLLOWS)
                if _is_own_file(beside / name):
                    self.links += 1
                    return
                (beside / name).unlink()
            except OSError as error:
                if error.errno not in _NOT_LINKED:
                    raise
                self._linking = error.errno == errno.EMLINK
        with wrap_read_errors(path):
            source_file = open_regular(path, follow=False)
        with source_file, (beside / name).open("wb") as file:
            shutil.copyfileobj(source_file, file)
        self.copies += 1


def _is_own_file(path: Path) -> bool:
    """Whether it is a file of this user: another one could go on changing what is shared."""
    status = path.lstat()
    return stat.S_ISREG(status.st_mode) and is_mine(status)


def _rename(path: Path, id_: str) -> None:
    header = json.loads(read_file(path))
    with wrap_disk_errors(path):
        path.write_bytes(json.dumps(header | {"id": id_}, ensure_ascii=False).encode())
