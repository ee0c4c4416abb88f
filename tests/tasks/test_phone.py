"""The suite proves itself: each solution earns success, and doing nothing does not."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.agents.script import ScriptAgent
from tapwright.core.actions import Finish
from tapwright.devices.phone.device import Phone
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.tasks import phone as suite
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.task import Task
from tapwright.tasks.templates.expand import Expander

TASKS = suite.tasks()
TASK_FILES = Path(suite.__file__).with_name("phone_tasks")


@pytest.fixture(scope="module")
def phone() -> Iterator[Phone]:
    with ExitStack() as stack:
        yield stack.enter_context(Phone.named("jpeg"))


def test_the_suite_has_twenty_tasks_over_all_eight_apps_in_two_languages() -> None:
    assert len(TASKS) >= 20
    assert len({task.id for task in TASKS}) == len(TASKS)
    assert len({app for task in TASKS for app in task.apps}) == 8
    assert {task.language for task in TASKS} == {"en", "zh"}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
@pytest.mark.slow_but_one
def test_the_solution_earns_success_within_the_limit_over_labelled_screens(
    task: Task, phone: Phone
) -> None:
    agent = ScriptAgent.for_task(task, 0)
    episode = asyncio.run(rollout(agent, Environment(phone, task)))
    assert episode.outcome == "success"
    assert len(episode.steps) < task.max_steps
    for step in episode.steps:
        tree = step.observation.ui_tree
        assert tree is not None
        assert not [node for node in tree.nodes if node.is_("clickable") and not node.label]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
@pytest.mark.slow_but_one
def test_doing_nothing_is_no_success(task: Task, phone: Phone) -> None:
    environment = Environment(phone, task)
    _, info = environment.reset()
    assert info["score"] == 0.0
    _, reward, _, _, info = environment.step(Finish())
    assert (reward, info["outcome"]) == (0.0, "failure")


def test_the_task_files_are_the_tasks() -> None:
    names = {path.stem for path in TASK_FILES.glob("tasks/*.task")}
    assert names == {task.id for task in TASKS}


@pytest.mark.slow
def test_steps_joined_in_order_are_done_when_all_are(phone: Phone, tmp_path: Path) -> None:
    """Two of the templates make a task that nobody wrote, and a solution of it."""
    shutil.copytree(TASK_FILES / "tasks", tmp_path, dirs_exist_ok=True)
    both = tmp_path / "both.task"
    both.write_text("switch-dark_theme\npin-note_pin\n")
    made = Expander(TASK_FILES / "templates", ordered=True).expand(both)
    task = replace(task_from_definition(made), max_steps=20)
    agent = ScriptAgent.for_task(task, 0)
    episode = asyncio.run(rollout(agent, Environment(phone, task)))
    assert episode.outcome == "success"
    second_alone = replace(task, solution=task.solution[-6:])
    agent = ScriptAgent.for_task(second_alone, 0)
    episode = asyncio.run(rollout(agent, Environment(phone, second_alone)))
    assert episode.outcome == "failure"
