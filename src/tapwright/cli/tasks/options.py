"""Options that several commands on tasks share."""

from pathlib import Path

import click

from tapwright.cli.options import FOLDER, F, option
from tapwright.cli.output import print_labelled
from tapwright.tasks.errors import UpstreamFailureError


def compat_option(command: F) -> F:
    """`--compat mobile-env`."""
    return option(
        "--compat",
        type=click.Choice(["mobile-env"]),
        help="Behave like Mobile-Env's own tool, with its losses and failures.",
    )(command)


def templates_option(command: F) -> F:
    """`-p/--template-path DIR`."""
    return option(
        "-p",
        "--template-path",
        "templates",
        type=FOLDER,
        default="templates",
        help="The directory of the templates.",
    )(command)


def check_directory(path: Path) -> None:
    """Fail as Mobile-Env's tool does where the directory of a file is missing."""
    if not path.parent.is_dir():
        what = f"[Errno 2] No such file or directory: {str(path)!r}"
        raise UpstreamFailureError("FileNotFoundError", what, str(path))


def print_warning(line: str) -> None:
    """Print a warning, on stderr."""
    print_labelled("warning", line, fg="yellow", bold=True)
