"""Checks a whole `tapwright.toml`, also the tables of commands that are not running."""

from pathlib import Path

import click

from tapwright.cli.project.file import read_project, unknown_key
from tapwright.cli.project.values import find_defaults


def check_project(file: Path, root: click.Group) -> None:
    """Read a project's file, and each command's defaults.

    Raises:
        ProjectFileError: a key or a value is wrong.
    """
    project = read_project(file, root.list_commands(click.Context(root)))
    pending: list[tuple[tuple[str, ...], click.Command]] = [((), root)]
    while pending:
        words, command = pending.pop()
        if not isinstance(command, click.Group):
            list(find_defaults(project, words, command, None))
            continue
        names = command.list_commands(click.Context(command))
        for name in project.table(words):
            if name not in names:
                raise unknown_key(file, ".".join((*words, name)), name, names)
            found = command.get_command(click.Context(command), name)
            assert found is not None
            pending.append(((*words, name), found))
