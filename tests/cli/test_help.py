"""What every command says of itself."""

import re
from collections.abc import Iterator

import click
import pytest

from tapwright.cli.main import cli
from tapwright.conventions import conventions


def every_command(
    command: click.Command = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """The words that call a command, and the command; groups are gone through."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from every_command(found, (*path, name))


COMMANDS = dict(every_command())


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_says_what_it_does_and_what_each_option_is_for(words: str) -> None:
    command = COMMANDS[words]
    assert command.help
    silent = [
        one.opts[-1] for one in command.params if isinstance(one, click.Option) and not one.help
    ]
    assert silent == []


@pytest.mark.parametrize("words", COMMANDS)
def test_an_example_in_the_help_calls_the_command_itself(words: str) -> None:
    lines = (COMMANDS[words].epilog or "").splitlines()
    calls = [line.strip() for line in lines if line.strip().startswith("tapwright ")]
    assert any(line.startswith(f"tapwright {words}") for line in calls) or not lines


@pytest.mark.parametrize("words", COMMANDS)
def test_a_convention_in_an_example_of_the_help_is_one(words: str) -> None:
    named = re.findall(r"--convention (\S+)", COMMANDS[words].epilog or "")
    assert set(named) - set(conventions.names()) == set()
