"""The option that the commands about sites share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def directory_option(command: F) -> F:
    """`--dir DIR`."""
    return click.option(
        "--dir",
        "directory",
        type=click.Path(path_type=Path, file_okay=False),
        help="The directory of all sites; by default TAPWRIGHT_SITES, else "
        "~/.cache/tapwright/sites.",
    )(command)
