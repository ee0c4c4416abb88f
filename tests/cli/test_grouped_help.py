"""Help in groups: what a first user needs stands first, and nothing is missing or twice."""

import re

import click
import pytest

from tapwright.cli.eval.run import run as eval_run
from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.main import cli
from tapwright.cli.sft.export import export
from tapwright.errors import UsageError
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
    assert len(options) <= 30 or name != "eval run"


def test_a_command_with_many_options_has_groups() -> None:
    assert {"eval run", "sft export", "record", "annotate run"} <= COMMANDS.keys()
    titles = re.findall(r"^([A-Z][a-z -]+):$", _help(eval_run), re.MULTILINE)
    assert titles == [
        "To begin with", "What", "How it is asked", "Where it runs", "Limits",
        "Other options", "Keys of --plan",
    ]  # fmt: skip


def test_the_formats_of_training_sets_are_listed() -> None:
    (option,) = (param for param in export.params if param.name == "format_name")
    assert isinstance(option, click.Option)
    names = {name for name, one in formats.installed() if isinstance(one, SftFormat)}
    assert set(re.findall(r"[a-z0-9-]+", (option.help or "").partition(":")[2])) - {"or"} == names


def test_a_key_of_the_plan_is_given_as_its_option_would_be() -> None:
    words = ["l1", "--plan", "parser=seed", "--plan", "shuffle-options=true", "--plan", "epochs=3"]
    given = eval_run.make_context("run", words).params
    assert (given["parser"], given["shuffle_options"], given["epochs"]) == ("seed", True, 3)
    assert (given["control"], given["loops"]) == (None, "off")


def test_what_was_an_option_is_taken_and_told_where_it_went() -> None:
    words = ["l1", "--parser", "seed", "--grounder-convention=json", "--shuffle-options"]
    with pytest.warns(FutureWarning, match="--[a-z-]+ is --plan [a-z_]+=… now") as told:
        given = eval_run.make_context("run", words).params
    assert len(told) == 3
    assert (given["parser"], given["shuffle_options"]) == ("seed", True)
    assert given["grounder_convention"] == "json"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--plan", "parser=sed"), "'sed' is not one of"),
        (("--plan", "epochs=0"), "--plan epochs"),
        (("--plan", "parsr=seed"), "--plan parsr=seed: expected KEY=VALUE with a key of epochs"),
        (("--plan", "parser"), "--plan parser: expected KEY=VALUE"),
    ],
)
def test_what_is_no_key_or_no_value_is_refused_with_the_way_out(
    words: tuple[str, ...], said: str
) -> None:
    with pytest.raises((click.BadParameter, UsageError)) as refused:
        eval_run.make_context("run", ["l1", *words])
    error = refused.value
    assert said in (error.format_message() if isinstance(error, click.UsageError) else f"{error}")
