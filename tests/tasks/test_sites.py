"""The suites of the sites prove themselves: each task is played by its script, and by nobody."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tapwright.devices.sites.device import SitesDevice
from tapwright.sites import sites
from tapwright.tasks import suites
from tapwright.tasks import table_suites as module
from tapwright.tasks.check_file import check_file
from tapwright.tasks.task import Task
from tapwright.tasks.templates.expand import Expander
from tests.sites.installed import HOME, need
from tests.tasks.proving import (
    WRONG_ANSWERS,
    Plays,
    check_early_claim,
    check_solved,
    check_wrong_answer,
)

FILES = Path(module.__file__).with_name("site_tasks")
ONE, ACROSS = suites.get("web-l3")(), suites.get("web-l4")()
TASKS = {task.id: task for task in (*ONE, *ACROSS)}

FIRST = {(task.apps, task.kind): task for task in reversed(TASKS.values())}


def need_play(task: Task) -> None:
    """Skip what is not installed here; where one site is missing, all but one of each kind."""
    need(*task.apps)
    if FIRST[task.apps, task.kind] is not task:
        need(*sites.names())


every_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS, scope="module")


def test_there_are_enough_tasks_over_all_sites_and_kinds() -> None:
    assert len(ONE) >= 60
    assert len(ACROSS) >= 15
    assert len(TASKS) == len(ONE) + len(ACROSS)
    assert {task.apps for task in ONE} == {(name,) for name in sites.names()}
    assert all(len(task.apps) == 2 or task.kind == "file" for task in ACROSS)
    assert {name for task in ACROSS for name in task.apps} == set(sites.names())
    assert all(task.setup.app == task.apps[0] and task.solution for task in TASKS.values())


@pytest.mark.parametrize("path", sorted(FILES.glob("templates/*")), ids=lambda path: path.name)
def test_a_template_has_no_problem_and_is_used(path: Path) -> None:
    assert list(check_file(path, Expander(FILES / "templates"))) == []
    tables = "".join(table.read_text("utf-8") for table in FILES.glob("tables/*"))
    assert f'"template": "{path.name.partition(".")[0]}"' in tables


@pytest.fixture(scope="module")
def plays() -> Iterator[Plays]:
    need("trac")
    with SitesDevice(home=HOME) as device:
        yield Plays(device, TASKS)


@pytest.mark.slow
@every_task
def test_the_script_does_it_and_nothing_does_not(task: Task, plays: Plays) -> None:
    need_play(task)
    check_solved(task, plays[task.id])


@pytest.mark.slow
@every_task
def test_a_claim_before_the_last_move_is_not_enough(task: Task, plays: Plays) -> None:
    need_play(task)
    check_early_claim(task, plays[task.id])


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", [task for task in ONE if task.kind == "ask"], ids=lambda task: task.id, scope="module"
)
@pytest.mark.parametrize("answer", WRONG_ANSWERS)
def test_another_answer_is_wrong(task: Task, answer: str, plays: Plays) -> None:
    need_play(task)
    check_wrong_answer(task, plays[task.id], answer)
