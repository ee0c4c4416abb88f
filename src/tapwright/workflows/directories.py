"""Directories that may be URLs (`-o s3://bucket/run`), on the driver and on workers.

A workflow works in a directory on this machine. What it writes there is kept at the URL every few
seconds and at the end; what was there is fetched before. After a kill, what the last seconds wrote
is still in the local directory, which was reported. Of a shared store (`formats.shared`) the
directory stays from one command to the next.
"""

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

from tapwright.errors import TapwrightError, UsageError
from tapwright.files.closing import Closing
from tapwright.files.temporary import owned_directory
from tapwright.files.urls import copy_name, url_of
from tapwright.store.ids import directory_name

if TYPE_CHECKING:
    from tapwright.formats.shared.push import WorkingCopy
    from tapwright.jobs.cluster import Work

__all__ = ["Fetch", "LocalCopy", "Location", "RemoteDirectories", "open_location"]

R = TypeVar("R")
T = TypeVar("T")

Fetch: TypeAlias = Literal["all", "selected", "none", "refuse"]

_EVERY_S = 5.0


class Kept(Protocol):
    """What keeps a local directory at a URL: a `Mirror`, or the copy of a shared store."""

    url: str

    def fetch(self, below: str = "", *, again: bool = False) -> None:
        """Fetch what is missing here, all or below a directory; `again`, what others wrote."""

    def push(self) -> None:
        """Keep what is new here."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where a worker finds a directory of the driver's: at its path, or at a URL."""

    path: Path
    url: str = ""


class RemoteDirectories(Closing):
    """The local copies of URLs that a program works with, kept at their URLs until it closes.

    A context manager: on exit, everything is kept once more, and the copies are deleted; but for
    those of shared stores, which stay below `home`.
    """

    def __init__(self, home: Path | None = None) -> None:
        self._home = home
        self._mirrors: dict[Path, Kept] = {}
        self._closing = ExitStack()

    def open(self, url: str, fetch: Fetch = "all") -> Path:
        """Fetch what is at a URL into a local directory, and keep it there from now on.

        Of a shared store "all" is fetched, or nothing yet of what will be "selected"; "none" is for
        episodes that are written, into a directory that has nobody else's. "refuse" is for what is
        no episodes, which would stay here.

        Raises:
            MissingExtraError: fsspec is not installed.
            RemoteFileError: there is no such kind of URL, or it cannot be read.
            UsageError: there is a shared store, which is refused.
        """
        from tapwright.files.remote import Mirror

        url = url_of(url)
        home = self._home or Path(self._closing.enter_context(owned_directory("tapwright-")))
        shared = _open_shared(url, home / "out" if fetch == "none" else home)
        if shared is not None:
            if fetch == "refuse":
                raise UsageError(
                    f"{url}: a shared store, which takes nothing but episodes",
                    hint="name another directory",
                )
            shared.fetch() if fetch == "all" else shared.sync()

            def keep() -> None:
                shared.push(ended=True)
                if fetch == "all":  # a server shows what others put since
                    shared.fetch()

            self._keep(shared, shared.directory, keep)
            return shared.directory
        root = Path(tempfile.mkdtemp(prefix="tapwright-"))
        directory = root / copy_name(url)
        try:
            mirror = Mirror(url, directory)
            mirror.fetch()
        except BaseException:
            shutil.rmtree(root, ignore_errors=True)
            raise
        self._keep(mirror, directory, mirror.push, root)
        return directory

    def _keep(
        self, kept: Kept, directory: Path, keep: Callable[[], None], root: Path | None = None
    ) -> None:
        """Keep a directory from now on; `root` is deleted when all of it is kept."""
        if directory in self._mirrors:
            return
        self._mirrors[directory] = kept
        done = Event()

        def keep_again() -> None:
            told = False
            while not done.wait(_EVERY_S):
                try:
                    keep()
                except TapwrightError as error:  # retried, and reported by `close`
                    if not told:
                        warnings.warn(f"{error}; it is tried again every few seconds", stacklevel=1)
                    told = True
                else:
                    told = False

        thread = Thread(target=keep_again, name="keep", daemon=True)
        thread.start()

        def close() -> None:
            done.set()
            thread.join()
            kept.push()
            if root is not None:
                shutil.rmtree(root, ignore_errors=True)

        self._closing.callback(close)

    def close(self) -> None:
        """Keep everything at its URL, and delete the local copies that were kept.

        Raises:
            RemoteFileError: a URL cannot be written; its local copy stays.
        """
        self._closing.close()

    def location(self, directory: Path) -> Location:
        """How workers find a directory: one below a URL's local copy is at that URL."""
        kept, below = self._keeper(directory)
        if kept is None:
            return Location(directory.absolute())
        return Location(directory, f"{kept.url}/{below}" if below else kept.url)

    def _keeper(self, directory: Path) -> tuple[Kept | None, str]:
        """What keeps a directory at a URL, and where below that it is; None for nothing."""
        for path, kept in self._mirrors.items():
            if directory == path or path in directory.parents:
                below = directory.relative_to(path).as_posix()
                return kept, "" if below == "." else below
        return None, ""

    def fetch_again(self, directory: Path, names: Iterable[str]) -> None:
        """Fetch what workers wrote into these directories, if they work at a URL.

        Raises:
            RemoteFileError: it cannot be read.
        """
        mirror = self._mirrors.get(directory)
        if mirror is not None:
            for name in names:
                mirror.fetch(name, again=True)

    def fetch_new(self, directory: Path, since: str, tasks: Iterable[str]) -> None:
        """Fetch what workers have put, if they work at a URL.

        Of a shared store, which others write, too, it is episodes of these tasks since a time.

        Raises:
            RemoteFileError: it cannot be read.
        """
        from tapwright.formats.shared.copy import SharedCopy
        from tapwright.store.catalog import Catalog
        from tapwright.store.filters import is_task_of
        from tapwright.store.selection import Selection
        from tapwright.store.store import EpisodeStore

        kept, below = self._keeper(directory)
        if isinstance(kept, SharedCopy):
            kept.sync()
            new = Selection(f'created >= "{since}"')
            found = Catalog(EpisodeStore(directory)).ids(new, is_task_of(tasks))
            kept.fetch_directories(map(directory_name, found))
        elif kept is not None:
            kept.fetch(below, again=True)

    def fetch_episodes(self, directory: Path, ids: Iterable[str] | None) -> None:
        """Fetch these episodes, or all, of a shared store; nothing for another directory.

        Raises:
            RemoteFileError: they cannot be read.
        """
        from tapwright.formats.shared.copy import SharedCopy

        kept = self._mirrors.get(directory)
        if isinstance(kept, SharedCopy):
            found = kept.directories() if ids is None else map(directory_name, ids)
            kept.fetch_directories(found)

    def is_shared(self, directory: Path) -> bool:
        """Whether it is the local copy of a shared store."""
        from tapwright.formats.shared.copy import SharedCopy

        return isinstance(self._mirrors.get(directory), SharedCopy)

    def display(self, text: object) -> str:
        """The text with URLs in place of their local copies."""
        shown = str(text)
        for path, mirror in self._mirrors.items():
            shown = shown.replace(str(path), mirror.url)
        return shown


@dataclass(frozen=True, slots=True)
class LocalCopy:
    """A directory on a worker's machine, and the mirror that keeps it at a URL, if it has one."""

    path: Path
    mirror: Kept | None = None

    def synced(
        self, work: "Work[T, R]", inputs: Callable[[T], Sequence[str]] = lambda _: ()
    ) -> "Work[T, R]":
        """The work with its `inputs` fetched before each item, and its outputs kept after it."""
        mirror = self.mirror
        if mirror is None:
            return work
        from asyncio import to_thread

        async def do(item: T) -> R:
            for name in inputs(item):
                await to_thread(mirror.fetch, name)
            try:
                return await work(item)
            finally:  # what was paid for is kept also when the item fails
                await to_thread(mirror.push)

        return do


@contextmanager
def open_location(location: Location) -> Iterator[LocalCopy]:
    """A driver's directory as a worker can use it.

    Raises:
        TapwrightError: there is no such directory on this machine.
        RemoteFileError: there is no such kind of URL.
    """
    from tapwright.files.remote import Mirror
    from tapwright.jobs.cluster import shared

    if not location.url:
        yield LocalCopy(shared(location.path))
        return
    with owned_directory("tapwright-worker-") as folder:
        shared_copy = _open_shared(location.url, folder, goes=True)
        if shared_copy is not None:
            yield LocalCopy(shared_copy.directory, shared_copy)
        else:
            yield LocalCopy(folder, Mirror(location.url, folder))


def _open_shared(url: str, home: Path, *, goes: bool = False) -> "WorkingCopy | None":
    """The local copy below `home` of the shared store at a URL; None where there is none."""
    from tapwright.files.place import Place
    from tapwright.formats.shared.log import is_shared

    if not is_shared(Place(url)):
        return None
    from tapwright.formats.shared.copy import copy_directory
    from tapwright.formats.shared.push import WorkingCopy

    return WorkingCopy(url, copy_directory(url, home), goes=goes)
