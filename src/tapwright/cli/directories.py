"""Directories on the command line that may be URLs: `-o s3://bucket/run`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tapwright.cli.local_copies import remote_directories
from tapwright.cli.output import print_message

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["Directory", "store_argument"]


class Directory(click.Path):
    """A directory, or a URL whose local copy stands for it while the command runs."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The directory to work in."""
        if isinstance(value, str) and "://" in value and ctx is not None:
            directory = remote_directories().open(value)
            print_message(f"{value.rstrip('/')} is at {directory} while this runs")
            return directory
        return super().convert(value, param, ctx)


def store_argument(command: F) -> F:
    """The argument STORE: the directory of a store of episodes, or a URL."""
    return click.argument("store", type=Directory())(command)
