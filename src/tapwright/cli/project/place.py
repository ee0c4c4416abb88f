"""Where `tapwright.toml` lies, and whether it gave a value; without what reads it.

A command that has no such file imports no more than this.
"""

import copy
import os
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tapwright.cli.errors import GONE_DIRECTORY
from tapwright.errors import UsageError

NAME = "tapwright.toml"


def find_project_file(start: Path | None = None) -> Path | None:
    """The nearest `tapwright.toml` from a directory upwards; None if there is none.

    The current directory, where the search starts by default, has none once it was removed.
    """
    try:
        here = (start or Path.cwd()).resolve()
    except FileNotFoundError:
        return None
    for directory in (here, *here.parents):
        file = directory / NAME
        if os.path.isfile(file):  # False, too, where a directory above may not be searched
            return file
    return None


def is_here_gone() -> bool:
    """Whether the current directory was removed."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def gone_error() -> UsageError:
    """The error about what needs the current directory, which was removed."""
    return GONE_DIRECTORY(
        "the current directory was removed",
        hint="cd to a directory that is there, and repeat the command",
    )


def refuse_relative_paths(command: click.Command) -> click.Command:
    """The command, which raises `gone_error` where one of its paths is relative."""
    call = command.callback
    assert call is not None  # groups alone have none

    def checked(*args: Any, **kwargs: Any) -> Any:
        for value in kwargs.values():
            for path in value if isinstance(value, tuple | list) else (value,):
                if isinstance(path, Path) and not path.is_absolute() and str(path) != "-":
                    raise gone_error()
        return call(*args, **kwargs)

    command = copy.copy(command)
    command.callback = checked
    return command


def of_project(ctx: click.Context, name: str | None) -> bool:
    """Whether a parameter's value is a project's default."""
    return name is not None and ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
