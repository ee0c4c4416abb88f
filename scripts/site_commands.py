"""Pages of the site about the command line: one for each group, with the help as it is printed."""

import re
from collections.abc import Iterator
from functools import cache

import click

from tapwright.cli.main import cli

WIDTH = 100


@cache
def command_pages() -> dict[str, str]:
    """Path -> page; the commands that stand alone share the first."""
    context = click.Context(cli, info_name="tapwright")
    assert isinstance(cli, click.Group)
    alone: list[str] = ["# Commands", "", "Every command with `--help`, as it prints it.", ""]
    pages = {}
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            head = [f"# tapwright {name}", "", *_summary(command), ""]
            verbs = _verbs(command, inner)
            pages[f"commands/{name}.md"] = "\n".join([*head, *verbs])
        else:
            alone += _command(command, inner)
    return {"commands/index.md": "\n".join(alone), **pages}


def _verbs(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        assert command is not None
        yield from _command(command, click.Context(command, info_name=name, parent=context))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}"
    yield ""
    yield from _summary(command)
    yield ""
    context.terminal_width = context.max_content_width = WIDTH
    yield "```text"
    yield command.get_help(context)
    yield "```"
    yield ""


def _summary(command: click.Command) -> Iterator[str]:
    first = (command.help or "").strip().partition("\n\n")[0].replace("\n", " ")
    # What stands in angle brackets is a placeholder, not HTML.
    yield re.sub(r"<(\w)", r"&lt;\1", first)
