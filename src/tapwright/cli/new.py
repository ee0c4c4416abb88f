"""`tapwright new`: begins a member of one's own, as one whole file."""

import re
import sys
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

import click

from tapwright.cli.errors import OUTPUT_EXISTS
from tapwright.cli.output import hint, print_line
from tapwright.errors import UsageError, quote_path
from tapwright.files.atomic import write_atomically

_MOST_LETTERS = 100
_OWN = re.compile(r'\bown(?=:\w)|(?<=")own(?=[" ])|(?<=runs/)own\b')
"""The name in a template: of its module, as it shows itself, and of a run; not the word."""
_TRY = {
    "agent": "tapwright record --agent {name}:make --limit 1",
    "benchmark": "tapwright eval run {name}:load --data DIR -m openai/NAME",
    "convention": "tapwright conventions show {name}:CONVENTION",
    "device": "tapwright devices info --device {name}:open_device",
    "importer": "tapwright episodes import FOLDER --from {name}:READER -o episodes",
    "suite": "tapwright eval run {name}:Own.load --suite-python python3 -m random -o runs/{name}",
}


@click.command(epilog="\b\nExample:\n  tapwright new agent mine")
@click.argument("kind", type=click.Choice(sorted(_TRY)))
@click.argument("name")
def new(kind: str, name: str) -> None:
    """Write NAME.py here: a member of this KIND that works, to change.

    It passes the check of its kind in `tapwright.testing`, and is named by its path from where
    commands are started, such as `-m mine:make`.
    """
    if not name.isidentifier() or iskeyword(name) or name == "own" or len(name) > _MOST_LETTERS:
        raise UsageError(
            f"{name[:80]!r} cannot be imported as a module of your own",
            hint=f"tapwright new {kind} mine",
        )
    file = Path(f"{name}.py")
    if file.exists():
        raise OUTPUT_EXISTS(f"{file} exists", hint="edit it, or give another NAME")
    if name in (*sys.stdlib_module_names, "__main__") or find_spec(name) is not None:
        raise UsageError(
            f"a module {name!r} is installed, and only one of both would be imported",
            hint=f"tapwright new {kind} my_{name}",
        )
    text = files("tapwright.testing.templates").joinpath(f"{kind}.py").read_text("utf-8")
    write_atomically(file, _OWN.sub(name, text).encode())
    print_line(quote_path(file))
    hint(_TRY[kind].format(name=name))
