"""Help in groups: what a first user needs stands first, and nothing is missing or twice."""

import re

import click
import pytest

from tapwright.cli.eval.run import run as eval_run
from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.main import cli
from tapwright.cli.sft.export import export
from tapwright.formats import formats
from tapwright.formats.exporters.training_set import SftFormat


def _grouped(group: click.Group, path: tuple[str, ...] = ()) -> dict[str, GroupedCommand]:
    found: dict[str, GroupedCommand] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found |= _grouped(command, (*path, name))
        elif isinstance(command, GroupedCommand):
            found[" ".join((*path, name))] = command
    return found


COMMANDS = _grouped(cli)


def _help(command: click.Command) -> str:
    return command.get_help(click.Context(command, max_content_width=100, terminal_width=100))


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_is_listed_once_those_to_begin_with_first(name: str) -> None:
    command = COMMANDS[name]
    _, _, groups = _help(command).partition("To begin with:")
    listed = re.findall(r"^  (?:-\w, )?--([a-z-]+)", groups, re.MULTILINE)
    options = {
        max(param.opts, key=len).lstrip("-")
        for param in command.params
        if isinstance(param, click.Option)
    }
    assert sorted(listed) == sorted({*options, "help"})
    assert listed[: len(command.first)] == list(command.first)
    assert len(command.first) <= 10
    assert listed[-1] == "help"


def test_a_command_with_many_options_has_groups() -> None:
    assert {"eval run", "sft export", "record", "annotate run"} <= COMMANDS.keys()
    titles = re.findall(r"^([A-Z][a-z ]+):$", _help(eval_run), re.MULTILINE)
    assert titles == [
        "To begin with", "What", "How it is asked", "Where it runs", "Limits", "Output",
        "Other options",
    ]  # fmt: skip


def test_the_formats_of_training_sets_are_listed() -> None:
    (option,) = (param for param in export.params if param.name == "format_name")
    assert isinstance(option, click.Option)
    names = {name for name, one in formats.installed() if isinstance(one, SftFormat)}
    assert set(re.findall(r"[a-z0-9-]+", (option.help or "").partition(":")[2])) - {"or"} == names
