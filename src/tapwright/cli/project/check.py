"""Checks a whole `tapwright.toml`, also the tables of commands that are not running."""

from collections.abc import Iterator

import click

from tapwright.cli.project.file import Project, unknown_key
from tapwright.cli.project.values import find_defaults


def check_project(project: Project, root: click.Group) -> None:
    """Check a project's keys and values against the options of each command.

    Raises:
        ProjectFileError: a key or a value is wrong.
    """
    for words, command in each_command(project, root):
        list(find_defaults(project, words, command))
    group = root.get_command(click.Context(root), "eval")
    assert isinstance(group, click.Group)
    run = group.get_command(click.Context(group), "run")
    assert run is not None
    for model in project.keys.models.values():
        list(find_defaults(project, ("eval", "run"), run, model))


def each_command(
    project: Project, root: click.Group
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """The commands that the file has tables for, with the words that call them; `root` first.

    Raises:
        ProjectFileError: there is no such command.
    """
    pending: list[tuple[tuple[str, ...], click.Command]] = [((), root)]
    while pending:
        words, command = pending.pop()
        if not isinstance(command, click.Group):
            yield words, command
            continue
        names = command.list_commands(click.Context(command))
        for name in project.table(words):
            if name not in names:
                raise unknown_key(project.file, ".".join((*words, name)), name, names)
            found = command.get_command(click.Context(command), name)
            assert found is not None
            pending.append(((*words, name), found))
