"""Directories on the command line that may be URLs: `-o s3://bucket/run`."""

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tapwright.cli.host import read_host
from tapwright.errors import TapwrightError, UsageError
from tapwright.files.urls import MARK, is_url

if TYPE_CHECKING:
    from tapwright.store.catalog import Catalog
    from tapwright.store.store import EpisodeStore
    from tapwright.workflows.directories import Fetch, RemoteDirectories


__all__ = [
    "RUN", "Directory", "check_local", "display", "fetch_episodes", "remote_directories",
    "selected_store_argument", "store_argument",
]  # fmt: skip


_KEY = "tapwright.remote_directories"


def remote_directories() -> "RemoteDirectories":
    """Those of the running command, which are closed when it ends."""
    ctx = click.get_current_context()
    directories: RemoteDirectories | None = ctx.meta.get(_KEY)
    if directories is None:
        from tapwright.workflows import directories as remote

        directories = ctx.meta[_KEY] = remote.RemoteDirectories(read_host().kept("stores"))
        ctx.call_on_close(partial(_close, directories))
    return directories


def _close(directories: "RemoteDirectories") -> None:
    ended_by = sys.exc_info()[1]
    try:
        directories.close()
    except TapwrightError as error:
        if not isinstance(ended_by, TapwrightError | KeyboardInterrupt):
            raise
        from tapwright.cli.main import show_error

        show_error(error)  # and then what ended the command


def check_local(directory: Path) -> None:
    """Refuse the local copy of a URL, where what is moved away here would stay.

    Raises:
        UsageError: the directory is such a copy.
    """
    ctx = click.get_current_context()
    directories: RemoteDirectories | None = ctx.meta.get(_KEY)
    url = "" if directories is None else directories.location(directory).url
    if url and directories is not None and not directories.is_shared(directory):
        raise UsageError(
            f"{url}: episodes are moved within a directory of this machine, not at a URL",
            hint=f"copy what is to stay: tapwright episodes copy {url} DST --where FILTER",
        )


def fetch_episodes(store: Path, ids: Iterable[str] | None = None) -> None:
    """Fetch these episodes, or all, where a store is the local copy of a shared one."""
    ctx = click.get_current_context(silent=True)
    directories: RemoteDirectories | None = ctx.meta.get(_KEY) if ctx else None
    if directories is not None:
        directories.fetch_episodes(store, ids)


def display(text: object) -> str:
    """The text with URLs in place of their local copies."""
    ctx = click.get_current_context(silent=True)
    directories: RemoteDirectories | None = ctx.meta.get(_KEY) if ctx else None
    return str(text) if directories is None else directories.display(text)


F = TypeVar("F", bound=Callable[..., Any])


class Directory(click.Path):
    """A directory, or a URL whose local copy stands for it while the command runs.

    Of a shared store, at a URL or here, all episodes are fetched; or those alone that the command
    "selected"; or "none", where it writes episodes of its own. Where it writes what is no episodes,
    it "refuse"s one. A `log` may be given in place of the directory that it lies in; it exists.
    """

    def __init__(self, fetch: "Fetch" = "all", *, log: bool = False) -> None:
        super().__init__(path_type=Path, file_okay=log, exists=log)
        self._fetch = fetch

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The directory to work in."""
        is_text = isinstance(value, str) and ctx is not None
        if is_text and (is_url(value) or (Path(value) / MARK).is_file()):
            return remote_directories().open(value, self._fetch)
        return super().convert(value, param, ctx)


RUN = Directory("refuse", log=True)
"""A run, or runs, that a command reads."""


def store_argument(command: F) -> F:
    """The argument STORE: the directory of a store of episodes, or a URL."""
    return click.argument("store", type=Directory())(command)


def selected_store_argument(command: F) -> F:
    """As `store_argument`, of a command that fetches the episodes that it selects."""
    return click.argument("store", type=Directory("selected"))(command)


def open_store(path: Path) -> "EpisodeStore":
    """The store in a directory; what reads one is imported now, so that help stays quick."""
    from tapwright.store.store import EpisodeStore

    return EpisodeStore(path)


def open_catalog(store: "EpisodeStore") -> "Catalog":
    """The catalog of a store, imported as late."""
    from tapwright.store.catalog import Catalog

    return Catalog(store)
