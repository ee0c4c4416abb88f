"""What `listed.json` keeps of conventions and tasks, and what a list then costs."""

import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

import pytest

from tapwright.conventions import conventions
from tapwright.files.packaged import read_listed
from tapwright.tasks import suites
from tapwright.workflows.conventions import describe_convention
from tapwright.workflows.listing import TaskRow, list_conventions

HOW = "run: python scripts/write_reference.py"


def test_a_convention_is_listed_as_it_is() -> None:
    listed = {row.name: row for row in list_conventions()}
    for name in conventions.table:
        assert listed[name] == describe_convention(conventions.get(name), name), HOW


def test_every_convention_and_suite_of_ours_is_kept() -> None:
    assert read_listed("tapwright.conventions").keys() == conventions.table.keys(), HOW
    assert {*read_listed("tapwright.tasks"), "miniwob"} == suites.table.keys(), HOW


@pytest.mark.parametrize("suite", read_listed("tapwright.tasks"))
def test_the_tasks_of_a_suite_are_listed_as_they_are(suite: str) -> None:
    rows = [list(astuple(TaskRow.of(task))) for task in suites.get(suite)()]
    assert rows == read_listed("tapwright.tasks")[suite], HOW


def test_a_list_of_members_imports_none_in_a_project_either(tmp_path: Path) -> None:
    (tmp_path / "tapwright.toml").write_text('store = "episodes"\nsuite = "phone"\n')
    code = (
        "import contextlib, sys\n"
        "from tapwright.cli.main import cli\n"
        "heavy = {'numpy', 'PIL', 'pydantic', 'rich', 'aiohttp', 'pyarrow', 'jinja2', 'asyncio'}\n"
        "for noun in 'tasks', 'conventions', 'data', 'devices', 'sites', 'suites':\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        cli.main([noun, 'ls', '--format', 'quiet'], standalone_mode=False)\n"
        "    print('heavy:', noun, heavy & set(sys.modules), file=sys.stderr)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    told = [line for line in run.stderr.splitlines() if line.startswith("heavy:")]
    assert [line for line in told if not line.endswith("set()")] == []
    assert len(told) == 6
