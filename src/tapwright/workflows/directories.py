"""Directories that may be URLs (`-o s3://bucket/run`), on the driver and on workers.

A workflow works in a directory on this machine. What it writes there is kept at the URL every few
seconds and at the end; what was there is fetched before. After a kill, what the last seconds wrote
is still in the local directory, which was reported.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeVar

from tapwright.files.closing import Closing
from tapwright.files.errors import RemoteFileError
from tapwright.files.temporary import owned_directory

if TYPE_CHECKING:
    from tapwright.files.remote import Mirror
    from tapwright.jobs.cluster import Work

__all__ = ["LocalCopy", "Location", "RemoteDirectories", "open_location"]

R = TypeVar("R")
T = TypeVar("T")

_EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class Location:
    """Where a worker finds a directory of the driver's: at its path, or at a URL."""

    path: Path
    url: str = ""


class RemoteDirectories(Closing):
    """The local copies of URLs that a program works with, kept at their URLs until it closes.

    A context manager: on exit, everything is kept once more, and the copies are deleted.
    """

    def __init__(self) -> None:
        self._mirrors: dict[Path, Mirror] = {}
        self._closing = ExitStack()

    def open(self, url: str) -> Path:
        """Fetch what is at a URL into a new local directory, and keep it there from now on.

        Raises:
            MissingExtraError: fsspec is not installed.
            RemoteFileError: there is no such kind of URL, or it cannot be read.
        """
        from tapwright.files.remote import Mirror

        url = url.rstrip("/")
        root = Path(tempfile.mkdtemp(prefix="tapwright-"))
        directory = root / (url.rpartition("/")[2] or "place")
        try:
            mirror = Mirror(url, directory)
            mirror.fetch()
        except BaseException:
            shutil.rmtree(root, ignore_errors=True)
            raise
        self._mirrors[directory] = mirror
        done = Event()

        def keep() -> None:
            while not done.wait(_EVERY_S):
                with suppress(RemoteFileError):  # retried, and reported by `close`
                    mirror.push()

        thread = Thread(target=keep, name="keep", daemon=True)
        thread.start()

        def close() -> None:
            done.set()
            thread.join()
            mirror.push()
            shutil.rmtree(root, ignore_errors=True)

        self._closing.callback(close)
        return directory

    def close(self) -> None:
        """Keep everything at its URL, and delete the local copies that were kept.

        Raises:
            RemoteFileError: a URL cannot be written; its local copy stays.
        """
        self._closing.close()

    def location(self, directory: Path) -> Location:
        """How workers find a directory: one below a URL's local copy is at that URL."""
        for path, mirror in self._mirrors.items():
            if directory == path or path in directory.parents:
                below = directory.relative_to(path).as_posix()
                return Location(directory, mirror.url if below == "." else f"{mirror.url}/{below}")
        return Location(directory.absolute())

    def fetch_again(self, directory: Path, names: Iterable[str]) -> None:
        """Fetch what workers wrote into these directories, if they work at a URL.

        Raises:
            RemoteFileError: it cannot be read.
        """
        mirror = self._mirrors.get(directory)
        if mirror is not None:
            for name in names:
                mirror.fetch(name, again=True)

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
    mirror: "Mirror | None" = None

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
        yield LocalCopy(folder, Mirror(location.url, folder))
