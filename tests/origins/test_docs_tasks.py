"""The tasks that pages show are solved on the built-in phone by the steps that they show."""

import re
from pathlib import Path

import pytest

from tapwright.core.actions import Action, OpenApp, PressKey, Tap, TypeText
from tapwright.devices.phone.device import Phone
from tapwright.environment.environment import Environment
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import parse_task, read_task
from tests.cli.running import tapwright
from tests.tasks.proving import solve

DOCS = Path(__file__).parents[2] / "docs"


def shown(page: str, name: str) -> str:
    """The text that a page writes to a file of this name."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found: list[str] = re.findall(
        rf'"[^"\n]*{re.escape(name)}"\)\.write_text\("""\\?\n(.*?)"""\)', text, re.S
    )
    return found[0]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["guides/from-mobile-env.md", "zh/guides/from-mobile-env.md"])
def test_the_definition_of_the_migration_page_is_solved_by_its_own_steps(page: str) -> None:
    task = task_from_definition(parse_task(shown(page, "search.textproto")))
    with Phone.named("jpeg") as phone:
        assert solve(task, phone).outcome == "success"


def expand_shown(folder: Path) -> Path:
    """Write down what the templates page shows, and expand it: the definition in `folder`."""
    names = ("templates/find.textproto.template", "tasks/find-tea.conf", "tasks/find-milk.conf")
    page = (DOCS / "tasks.md").read_text(encoding="utf-8")
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
    (folder / names[0]).write_text(shown("tasks.md", names[0]).replace("\\\n", ""))
    for name in (*names[1:], "tasks/both.task"):
        (text,) = re.findall(rf'"{re.escape(name)}"\)\.write_text\("(.*?)"\)', page)
        (folder / name).write_text(text.replace("\\n", "\n"))
    words = ("--task", "tasks/both.task", "-p", "templates", "-o", "both.textproto")
    run = tapwright("tasks", "expand", *words, cwd=folder)
    assert run.returncode == 0, run.stderr
    return folder / "both.textproto"


@pytest.mark.slow
def test_the_task_of_the_templates_page_is_solved_by_a_search_in_the_shop(tmp_path: Path) -> None:
    task = task_from_definition(read_task(expand_shown(tmp_path)))
    with Environment(Phone.named("jpeg"), task) as environment:
        environment.reset()
        seen, *_ = environment.step(OpenApp(app="shop"))
        assert seen.ui_tree is not None
        bar = seen.ui_tree.find(short_id="search_bar")
        assert bar is not None
        assert bar.box is not None
        typing: list[Action] = [Tap(at=bar.box.center), TypeText(text="milk tea")]
        for action in (*typing, PressKey(key="enter")):
            _, _, terminated, _, info = environment.step(action)
    assert terminated
    assert info["outcome"] == "success"
