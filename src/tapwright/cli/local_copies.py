"""The local copies of URLs that a command works in, and what it says in their place."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.host import read_host
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.workflows.directories import RemoteDirectories

__all__ = ["check_local", "display", "fetch_episodes", "remote_directories"]

_KEY = "tapwright.remote_directories"


def remote_directories() -> "RemoteDirectories":
    """Those of the running command, which are closed when it ends."""
    ctx = click.get_current_context()
    directories: RemoteDirectories | None = ctx.meta.get(_KEY)
    if directories is None:
        from tapwright.workflows import directories as remote

        directories = ctx.meta[_KEY] = remote.RemoteDirectories(read_host().kept("stores"))
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
