"""What every command says of itself."""

import re
from collections.abc import Callable, Iterator
from typing import Any, get_args

import click
import pytest

from tapwright.agents import agents
from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.pointing import PointingBenchmark
from tapwright.cli.directories import Directory
from tapwright.cli.main import cli
from tapwright.conventions import conventions
from tapwright.core.episode import EpisodeOutcome
from tapwright.core.registry import Registry
from tapwright.formats import formats
from tapwright.formats.exporters.training_set import SftFormat
from tapwright.formats.format import EpisodeExporter, EpisodeImporter
from tapwright.store.filters import COLUMNS
from tapwright.tasks import suites


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


def test_every_store_may_be_a_shared_one() -> None:
    others = [
        (words, one.name)
        for words, command in COMMANDS.items()
        for one in command.params
        if one.name in ("store", "stores", "episodes") and not isinstance(one.type, Directory)
    ]
    # These two take the URL of a shared one alone.
    assert sorted(others) == [("episodes compact", "store"), ("episodes share", "store")]


def test_a_required_option_has_no_default_not_even_none() -> None:
    """With a default of None, click takes it for given, and the command begins without it."""
    given = [
        (words, one.name)
        for words, command in COMMANDS.items()
        for one in command.params
        if isinstance(one, click.Option) and one.required and one.default is None
    ]
    assert given == []


@pytest.mark.parametrize("words", COMMANDS)
def test_an_example_in_the_help_calls_the_command_itself(words: str) -> None:
    lines = (COMMANDS[words].epilog or "").splitlines()
    calls = [line.strip() for line in lines if line.strip().startswith("tapwright ")]
    assert any(line.startswith(f"tapwright {words}") for line in calls) or not lines


@pytest.mark.parametrize("words", COMMANDS)
def test_a_convention_in_an_example_of_the_help_is_one(words: str) -> None:
    named = re.findall(r"--convention (\S+)", COMMANDS[words].epilog or "")
    assert set(named) - set(conventions.names()) == set()


def _names(kind: type) -> set[str]:
    own = [name for name in formats.names() if ":" not in name]  # no module of another test
    return {name for name in own if isinstance(formats.get(name), kind)}


def _own(family: Registry[Any]) -> set[str]:
    return {name for name in family.names() if ":" not in name}


def _with_targets() -> set[str]:
    kinds = {name: getattr(benchmarks.get(name), "__self__", None) for name in _own(benchmarks)}
    return {
        name
        for name, kind in kinds.items()
        if isinstance(kind, type) and issubclass(kind, PointingBenchmark)
    }


def _sortable() -> set[str]:
    return {name for name, (_, kind) in COLUMNS.items() if kind != "list"}


CLOSED: dict[tuple[str, str], Callable[[], set[str]]] = {
    ("episodes import", "--from"): lambda: {"auto"} | _names(EpisodeImporter),
    ("episodes export", "--to"): lambda: _names(EpisodeExporter),
    ("sft export", "--to"): lambda: _names(SftFormat),
    ("sft export", "--outcome"): lambda: {"any", *get_args(EpisodeOutcome)},
    ("episodes ls", "--outcome"): lambda: set(get_args(EpisodeOutcome)),
    ("episodes ls", "--sort"): _sortable,
    ("record", "--agent"): lambda: _own(agents),
    ("eval run", "-m"): lambda: _own(agents),
    ("tasks ls", "--suite"): lambda: _own(suites),
    ("sft export", "--targets"): _with_targets,
}
"""Options of words whose help names them all, and the words."""


@pytest.mark.parametrize("place", CLOSED, ids=" ".join)
def test_the_help_of_an_option_names_all_that_it_takes(place: tuple[str, str]) -> None:
    words, option = place
    (help_,) = [
        one.help or ""
        for one in COMMANDS[words].params
        if option in one.opts and isinstance(one, click.Option)
    ]
    assert CLOSED[place]() - set(re.findall(r"[\w-]+", help_)) == set()


LISTED = (
    "--convention",
    "--device",
    "--suite",
    "--grounder-convention",
    "--rules",
    "--space",
    "--format",
    "--from",
    "--to",
)
"""Options that take a word of a set that is closed, or too long for a help."""
OF_NAMES = {"team assign --to", "team reopen --from"}


@pytest.mark.parametrize("words", COMMANDS)
def test_who_reads_the_help_of_an_option_knows_where_its_words_are(words: str) -> None:
    silent = [
        option.opts[0]
        for option in COMMANDS[words].params
        if isinstance(option, click.Option)
        and not isinstance(option.type, click.Choice)
        and option.opts[0] in LISTED
        and f"{words} {option.opts[0]}" not in OF_NAMES
        and not re.search(r"tapwright |lists|, \w|: |of the run", option.help or "")
    ]
    assert silent == []
