"""Directories on the command line that may be URLs: `-o s3://bucket/run`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tapwright.cli.local_copies import remote_directories
from tapwright.files.place import MARK
from tapwright.files.urls import is_url

if TYPE_CHECKING:
    from tapwright.store.catalog import Catalog
    from tapwright.store.store import EpisodeStore
    from tapwright.workflows.directories import Fetch

__all__ = ["Directory", "selected_store_argument", "store_argument"]

F = TypeVar("F", bound=Callable[..., Any])


class Directory(click.Path):
    """A directory, or a URL whose local copy stands for it while the command runs.

    Of a shared store, at a URL or here, all episodes are fetched; or those alone that the command
    "selected"; or "none", where it writes episodes of its own. Where it writes what is no episodes,
    it "refuse"s one.
    """

    def __init__(self, fetch: "Fetch" = "all") -> None:
        super().__init__(path_type=Path, file_okay=False)
        self._fetch = fetch

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The directory to work in."""
        is_text = isinstance(value, str) and ctx is not None
        if is_text and (is_url(value) or (Path(value) / MARK).is_file()):
            return remote_directories().open(value, self._fetch)
        return super().convert(value, param, ctx)


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
