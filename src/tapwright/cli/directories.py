"""Directories on the command line that may be URLs: `-o s3://bucket/run`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.workflows.directories import RemoteDirectories

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["Directory", "check_local", "display", "remote_directories", "store_argument"]

_KEY = "tapwright.remote_directories"


class Directory(click.Path):
    """A directory, or a URL whose local copy stands for it while the command runs."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The directory to work in."""
        if isinstance(value, str) and "://" in value and ctx is not None:
            directory = remote_directories().open(value)
            from tapwright.cli.output import print_message

            print_message(f"{value.rstrip('/')} is at {directory} while this runs")
            return directory
        return super().convert(value, param, ctx)


def store_argument(command: F) -> F:
    """The argument STORE: the directory of a store of episodes, or a URL."""
    return click.argument("store", type=Directory())(command)


def remote_directories() -> "RemoteDirectories":
    """Those of the running command, which are closed when it ends."""
    ctx = click.get_current_context()
    directories: RemoteDirectories | None = ctx.meta.get(_KEY)
    if directories is None:
        from tapwright.workflows import directories as remote

        directories = ctx.meta[_KEY] = remote.RemoteDirectories()
        ctx.call_on_close(directories.close)
    return directories


def check_local(directory: Path) -> None:
    """Refuse the local copy of a URL, where what is moved away here would stay.

    Raises:
        UsageError: the directory is such a copy.
    """
    ctx = click.get_current_context()
    directories: RemoteDirectories | None = ctx.meta.get(_KEY)
    url = "" if directories is None else directories.location(directory).url
    if url:
        raise UsageError(
            f"{url}: episodes are moved within a directory of this machine, not at a URL",
            hint=f"copy what is to stay: tapwright episodes copy {url} DST --where FILTER",
        )


def display(text: object) -> str:
    """The text with URLs in place of their local copies."""
    ctx = click.get_current_context(silent=True)
    directories: RemoteDirectories | None = ctx.meta.get(_KEY) if ctx else None
    return str(text) if directories is None else directories.display(text)
