"""Where `tapwright.toml` lies, and whether it gave a value; without what reads it.

A command that has no such file imports no more than this.
"""

import os
from pathlib import Path

import click
from click.core import ParameterSource

from tapwright.cli.errors import GoneDirectoryError

NAME = "tapwright.toml"


def find_project_file(start: Path | None = None) -> Path | None:
    """The nearest `tapwright.toml` from a directory upwards; None if there is none.

    Raises:
        GoneDirectoryError: the directory is the current one, and was removed.
    """
    try:
        here = (start or Path.cwd()).resolve()
    except FileNotFoundError as error:
        raise GoneDirectoryError(
            "the current directory was removed",
            hint="cd to a directory that is there, and repeat the command",
        ) from error
    for directory in (here, *here.parents):
        file = directory / NAME
        if os.path.isfile(file):  # False, too, where a directory above may not be searched
            return file
    return None


def of_project(ctx: click.Context, name: str | None) -> bool:
    """Whether a parameter's value is a project's default."""
    return name is not None and ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
