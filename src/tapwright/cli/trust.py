"""`tapwright trust`: takes a `tapwright.toml` as one's own, with all that it says."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.errors import ProjectFileError
from tapwright.cli.options import FOLDER
from tapwright.cli.output import print_line, print_message
from tapwright.cli.project.place import find_project_file

if TYPE_CHECKING:
    from tapwright.cli.project.file import Project


@click.command(
    epilog="\b\nExamples:\n  tapwright trust\n  tapwright trust downloads/bench --remove"
)
@click.argument("directory", type=FOLDER, default=Path())
@click.option("--remove", is_flag=True, help="Trust it no more.")
@click.pass_context
def trust(context: click.Context, /, directory: Path, *, remove: bool) -> None:
    """Take the tapwright.toml of DIRECTORY, or of one above, as your own.

    A file that came with a folder, or was changed since, may send your keys and screens to
    addresses of its own. Until you trust it, commands take no more from it than stores and runs
    below it, a suite, an annotator and a convention by name, and counts. This prints what you
    allow. It is remembered for this path and this content, in your configuration directory.
    """
    from tapwright.cli.project.file import read_project
    from tapwright.cli.project.trusted_files import forget, remember

    file = find_project_file(directory)
    if file is None:
        raise ProjectFileError(
            f"{directory}: no tapwright.toml there or above", hint="begin one: tapwright init"
        )
    if remove:
        print_message(f"{file} {'is no longer' if forget(file) else 'was not'} trusted")
        return
    root = context.find_root().command
    assert isinstance(root, click.Group)
    project = read_project(file, root.list_commands(context))
    remember(project)
    print_line(project.path(file.name))
    for key in dict.fromkeys(_asked(project, root)):
        print_message(f"allowed: {project.place(key)}")


def _asked(project: "Project", root: click.Group) -> Iterator[str]:
    """The keys that may do harm, of all commands whose defaults the file has."""
    from tapwright.cli.project.trusted_files import asked_keys
    from tapwright.cli.project.values import each_command

    yield from asked_keys(project, (), root)
    for words, command in each_command(project, root):
        yield from asked_keys(project, words, command)
