"""Lists in which there is nothing: valid JSON, a note and no error, and the code that says so."""

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tapwright.cli.main import cli
from tests.cli.running import tapwright

EMPTY = {
    "annotate status": "none",
    "conventions ls": "no-such-family",
    "episodes ls": "none",
    "episodes stats": "none",
    "eval ls": "none",
    "sft stats": "none --convention json",
    "tasks ls": "none",
    "team ls": "",
    "team progress": "",
    "team sessions": "",
}
"""What lists -> arguments with which it finds nothing."""
NEVER_EMPTY = ["data ls", "devices ls", "sites ls", "suites ls"]


def lists() -> Iterator[str]:
    context = click.Context(cli)
    for noun in cli.list_commands(context):
        group = cli.get_command(context, noun)
        if isinstance(group, click.Group) and "ls" in group.list_commands(context):
            yield f"{noun} ls"


def test_each_list_is_tried_here() -> None:
    assert set(lists()) <= {*EMPTY, *NEVER_EMPTY}


@pytest.mark.parametrize("format_", ["json", "human", "quiet"])
@pytest.mark.parametrize("command", EMPTY)
def test_that_there_is_nothing_is_a_note(command: str, format_: str, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    words = [*command.split(), *EMPTY[command].split(), "--format", format_]
    run = tapwright(*words, cwd=tmp_path)
    assert run.stdout == ("[]\n" if format_ == "json" else "")
    assert run.returncode == 5
    note, *others = run.stderr.strip().splitlines()
    assert note.startswith("note: ")
    assert note.endswith(" [TW103]")
    assert all(line == "" or line.startswith("hint: ") for line in others)


@pytest.mark.parametrize("command", NEVER_EMPTY)
def test_a_list_is_json(command: str, tmp_path: Path) -> None:
    run = tapwright(*command.split(), "--format", "json", cwd=tmp_path, TAPWRIGHT_ADB=os.devnull)
    assert run.returncode == 0
    assert json.loads(run.stdout)


@pytest.mark.parametrize("store", ["monday's first", "演示", "plain"])
def test_a_hint_is_a_command_for_any_name(store: str, tmp_path: Path) -> None:
    run = tapwright("episodes", "ls", store, cwd=tmp_path)
    words = shlex.split(run.stderr.partition("hint: ")[2])
    assert words == ["tapwright", "record", "--agent", "script", "-o", store]
