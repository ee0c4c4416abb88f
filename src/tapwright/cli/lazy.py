"""A click group that imports a command when it is called, so that `--help` stays quick."""

import builtins
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from keyword import iskeyword
from typing import Any

import click

from tapwright.cli.project.place import find_project_file, is_here_gone, refuse_relative_paths
from tapwright.errors import DiskError, TapwrightError, suggest

_WITHOUT = frozenset({"init", "trust", "doctor", "explain", "completion", "clean", "demo"})
"""The commands that a project gives no defaults."""


class LazyGroup(click.Group):
    """Commands from a table: name -> one line of help.

    One of `cli/<noun>/group.py` is in a file of its own name beside it, if there is one, as the
    nouns themselves are beside `main.py`; any other is in the group's own file.
    """

    def __init__(self, *args: Any, table: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table, which is the order of the work."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported now."""
        if cmd_name not in self.table:
            return None
        word = cmd_name.replace("-", "_")
        if hasattr(builtins, word) or iskeyword(word):
            word += "_"
        command = getattr(import_module(self._place(word)), word)
        assert isinstance(command, click.Command)  # the table names commands only
        return command

    def _place(self, word: str) -> str:
        """The module of a command."""
        group = self.callback.__module__
        package, _, own = group.rpartition(".")
        if own not in ("group", "main"):
            return group
        found = find_spec(f"{package}.{word}") or find_spec(f"{package}.{word.rstrip('_')}")
        if found is None:
            return group
        return f"{found.name}.group" if found.submodule_search_locations else found.name

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the nearest one; `tapwright.toml` gives it defaults."""
        name = args[0]
        if name not in self.table and not name.startswith("-"):
            ctx.fail(f"no such command: {name!r}; {suggest(name, self.table, cutoff=0.5)}")
        found, command, rest = super().resolve_command(ctx, args)
        file = find_project_file()
        if found is None or command is None or isinstance(command, click.Group):
            return found, command, rest
        if file is None:
            return found, refuse_relative_paths(command) if is_here_gone() else command, rest
        if ctx.resilient_parsing or (ctx.parent is None and name in _WITHOUT):
            return found, command, rest
        from tapwright.cli.project.defaults import apply_project

        return found, *apply_project(ctx, file, found, command, rest)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; its errors name a URL and not its local copy, unless that is the cause."""
        try:
            return super().invoke(ctx)
        except DiskError:
            raise
        except TapwrightError as error:
            from tapwright.cli.directories import display

            error.args, error.hint = tuple(map(display, error.args)), display(error.hint)
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))
