"""Directories on the command line that may be URLs: `-o s3://bucket/run`.

A command works in a directory on this machine. What it leaves there is kept at the URL every few
seconds and at its end; what was there is fetched before. After a kill, what the last seconds
brought is still in the directory, which was named.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tapwright.files.errors import RemoteFileError

if TYPE_CHECKING:
    from tapwright.files.remote import Mirror
    from tapwright.jobs.cluster import Work

R = TypeVar("R")
T = TypeVar("T")

_EVERY_S = 5.0
_META = "tapwright.places"


@dataclass(frozen=True, slots=True)
class Place:
    """A directory of the driver's as a worker finds it: at its path, or at a URL."""

    path: Path
    url: str = ""


class Folder(click.Path):
    """A directory, or a URL that stands for one while the command runs."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The directory to work in."""
        if isinstance(value, str) and "://" in value and ctx is not None:
            return _mirrored(value, ctx)
        return super().convert(value, param, ctx)


def place_of(directory: Path) -> Place:
    """How workers find a directory: one below that of a URL is at that URL."""
    for path, mirror in _mirrors().items():
        if directory == path or path in directory.parents:
            below = directory.relative_to(path).as_posix()
            return Place(directory, mirror.url if below == "." else f"{mirror.url}/{below}")
    return Place(directory.absolute())


def fetch_again(directory: Path, names: Iterable[str]) -> None:
    """Bring what workers made of these directories, if they work at a URL.

    Raises:
        RemoteFileError: it cannot be read.
    """
    mirror = _mirrors().get(directory)
    if mirror is not None:
        for name in names:
            mirror.fetch(name, again=True)


def named(words: object) -> str:
    """The words with URLs in place of the directories that stand for them."""
    text = str(words)
    for path, mirror in _mirrors().items():
        text = text.replace(str(path), mirror.url)
    return text


def _mirrors() -> "dict[Path, Mirror]":
    """Those of the running command, by the directories that stand for them."""
    ctx = click.get_current_context(silent=True)
    return ctx.meta.get(_META, {}) if ctx else {}


def _mirrored(url: str, ctx: click.Context) -> Path:
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
    click.echo(f"{url} is {directory} while this runs", err=True)
    ctx.meta.setdefault(_META, {})[directory] = mirror
    done = Event()

    def keep() -> None:
        while not done.wait(_EVERY_S):
            with suppress(RemoteFileError):  # it is tried again, and told at the end
                mirror.keep()

    thread = Thread(target=keep, name="keep", daemon=True)
    thread.start()

    def end() -> None:
        done.set()
        thread.join()
        mirror.keep()
        shutil.rmtree(root, ignore_errors=True)

    ctx.call_on_close(end)
    return directory


@dataclass(frozen=True, slots=True)
class Near:
    """A directory on a worker's machine, and the mirror that keeps it if that is needed."""

    path: Path
    mirror: "Mirror | None" = None

    def keeping(
        self, work: "Work[T, R]", needs: Callable[[T], Sequence[str]] = lambda _: ()
    ) -> "Work[T, R]":
        """The work: what an item `needs` is here before it, and what it made is kept after it."""
        mirror = self.mirror
        if mirror is None:
            return work

        async def done(item: T) -> R:
            for name in needs(item):
                await asyncio.to_thread(mirror.fetch, name)
            try:
                return await work(item)
            finally:  # what was paid for is kept also when the item fails
                await asyncio.to_thread(mirror.keep)

        return done


@contextmanager
def near(place: Place) -> Iterator[Near]:
    """A driver's directory, where a worker can work with it.

    Raises:
        ClusterError: there is no such directory on this machine.
        RemoteFileError: there is no such kind of URL.
    """
    from tapwright.files.remote import Mirror
    from tapwright.jobs.cluster import shared

    if not place.url:
        yield Near(shared(place.path))
        return
    with tempfile.TemporaryDirectory(prefix="tapwright-") as folder:
        yield Near(Path(folder), Mirror(place.url, Path(folder)))
