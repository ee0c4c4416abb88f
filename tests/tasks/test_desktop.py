"""The suites of the desktop prove themselves: each task is played by its script, and by nobody."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tapwright.benchmarks.collaboration import Collaboration
from tapwright.core.episode import Episode
from tapwright.devices.desktop.device import Desktop
from tapwright.tasks import suites
from tapwright.tasks import table_suites as module
from tapwright.tasks.check_file import check_file
from tapwright.tasks.task import Task
from tapwright.tasks.templates.expand import Expander
from tests.devices.desktop.installed import need_desktop, need_office
from tests.tasks.proving import (
    WRONG_ANSWERS,
    check_early_claim,
    check_solved,
    check_wrong_answer,
    solve,
)

FILES = Path(module.__file__).with_name("desktop_tasks")
ONE, ACROSS = suites.get("desktop-l3")(), suites.get("desktop-l4")()
TASKS = {task.id: task for task in (*ONE, *ACROSS)}
OFFICE = {"LibreOffice Calc", "LibreOffice Writer"}
QUICK = {"calc_tiles", "files_folder_invoices", "pad_line_numbers", "term_sort"}


def cases(tasks: Sequence[Task]) -> list[pytest.ParameterSet]:
    """Tasks as parameters; only a few, of small applications, are played by `make test`."""
    slow = pytest.mark.slow
    return [pytest.param(one, id=one.id, marks=() if one.id in QUICK else slow) for one in tasks]


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    need_desktop()
    with Desktop() as device:
        yield device


@pytest.fixture(autouse=True)
def office(request: pytest.FixtureRequest) -> None:
    """Skips the tasks of LibreOffice where there is none."""
    task = request.node.callspec.params.get("task") if hasattr(request.node, "callspec") else None
    if isinstance(task, Task) and OFFICE & {*task.apps}:
        need_office()


def test_there_are_enough_tasks_over_all_applications() -> None:
    assert len(ONE) >= 60
    assert len(ACROSS) >= 15
    assert len(TASKS) == len(ONE) + len(ACROSS)
    small = {"Mousepad", "File Manager PCManFM", "Galculator", "LXTerminal"}
    assert {task.apps for task in ONE} == {(name,) for name in small | OFFICE}
    assert {name for task in ACROSS for name in task.apps} == small | OFFICE
    assert all(len(task.apps) == 2 for task in ACROSS)
    assert sum(task.kind == "setting" for task in ONE) >= 10
    assert all(task.setup.app == task.apps[0] and task.solution for task in TASKS.values())


@pytest.mark.parametrize("path", sorted(FILES.glob("templates/*")), ids=lambda path: path.name)
def test_a_template_has_no_problem_and_is_used(path: Path) -> None:
    assert list(check_file(path, Expander(FILES / "templates"))) == []
    tables = "".join(table.read_text("utf-8") for table in FILES.glob("tables/*"))
    assert f'"template": "{path.name.partition(".")[0]}"' in tables


# One test, as playing a task may take half a minute.
@pytest.mark.parametrize("task", cases([*TASKS.values()]))
@pytest.mark.slow_but_one
def test_the_script_does_it_and_neither_nothing_nor_an_early_claim_nor_another_answer(
    task: Task, desktop: Desktop
) -> None:
    episode = solve(task, desktop)
    check_solved(task, episode)
    check_early_claim(task, episode)
    for answer in WRONG_ANSWERS if task.kind == "ask" else ():
        check_wrong_answer(task, episode, answer)
    if task in ACROSS:
        check_carried(task, episode)


def check_carried(task: Task, episode: Episode) -> None:
    """What the task carries from one application to the other has arrived."""
    benchmark = Collaboration.load("desktop-l4")
    sample = next(one for one in benchmark.samples() if one.id == task.id)
    score = benchmark.score(sample, episode)
    artefacts = score.detail["artefacts"]
    assert (score.value, score.detail["progress"]) == (1.0, 1.0)
    assert isinstance(artefacts, dict)
    assert set(artefacts.values()) == {"passed"}
