"""The suites of L3 and L4 prove themselves, each task on a real page."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from tapwright.benchmarks.benchmark import TaskSample
from tapwright.benchmarks.collaboration import Collaboration
from tapwright.core.episode import Episode, Step
from tapwright.devices.phone.device import Phone
from tapwright.tasks import suites
from tapwright.tasks.definitions.task import EventCheck, with_max_steps
from tapwright.tasks.task import Task
from tests.tasks.proving import (
    WRONG_ANSWERS,
    Plays,
    check_early_claim,
    check_solved,
    check_wrong_answer,
    solve,
)

NAMES = ("phone-l3", "phone-l3-zh", "phone-l4", "phone-l4-zh")
TASKS = [task for name in NAMES for task in suites.get(name)()]
IDS = [task.id for task in TASKS]
CROSS_APP = [task for name in NAMES[2:] for task in suites.get(name)()]


def cases(tasks: Sequence[Task]) -> list[pytest.ParameterSet]:
    """Tasks as parameters; only one in twelve is played by `make test`."""
    slow = pytest.mark.slow
    return [
        pytest.param(task, id=task.id, marks=() if IDS.index(task.id) % 12 == 0 else slow)
        for task in tasks
    ]


# The scope lets pytest run the tests of one task one after another.
every_task = pytest.mark.parametrize("task", cases(TASKS), scope="module")
every_cross_app_task = pytest.mark.parametrize("task", cases(CROSS_APP), scope="module")


@pytest.fixture(scope="module")
def plays() -> Iterator[Plays]:
    with Phone.named("jpeg") as phone:
        yield Plays(phone, {task.id: task for task in TASKS})


@pytest.fixture(scope="module")
def played(task: Task, plays: Plays) -> Episode:
    """A task, done by its script."""
    return plays[task.id]


def test_there_are_enough_tasks_and_each_has_its_twin_in_the_other_language() -> None:
    found = {name: suites.get(name)() for name in NAMES}
    assert len(found["phone-l3"]) >= 60
    assert len(found["phone-l4"]) >= 20
    assert len({task.id for task in TASKS}) == len(TASKS)
    for name in ("phone-l3", "phone-l4"):
        for task, twin in zip(found[name], found[f"{name}-zh"], strict=True):
            assert (twin.id, task.language, twin.language) == (f"{task.id}_zh", "en", "zh")
            assert (twin.apps, twin.kind, len(twin.solution)) == (
                task.apps, task.kind, len(task.solution),
            )  # fmt: skip
    assert all(len(task.apps) == 1 for task in found["phone-l3"])
    assert all(len(task.apps) == 2 for task in found["phone-l4"])
    assert len({task.apps for task in found["phone-l3"]}) == 8
    assert Counter(task.kind for task in found["phone-l3"])["infeasible"] >= 3


@every_task
@pytest.mark.slow_but_one
def test_the_script_does_it_and_nothing_does_not(task: Task, played: Episode) -> None:
    check_solved(task, played)


@every_task
def test_a_claim_before_the_last_move_is_not_enough(task: Task, played: Episode) -> None:
    check_early_claim(task, played)


@pytest.mark.parametrize(
    "task", cases([task for task in TASKS if task.kind in ("ask", "sum")]), scope="module"
)
@pytest.mark.parametrize("answer", WRONG_ANSWERS)
@pytest.mark.slow_but_one
def test_another_answer_is_wrong(task: Task, answer: str, played: Episode) -> None:
    check_wrong_answer(task, played, answer)


@pytest.fixture(scope="module")
def benchmark(task: Task) -> Collaboration:
    return Collaboration.load("phone-l4-zh" if task.language == "zh" else "phone-l4")


def sample_of(task: Task, benchmark: Collaboration) -> TaskSample:
    return next(sample for sample in benchmark.samples() if sample.id == task.id)


@every_cross_app_task
@pytest.mark.slow_but_one
def test_the_script_of_a_cross_app_task_carries_everything_over(
    task: Task, played: Episode, benchmark: Collaboration
) -> None:
    score = benchmark.score(sample_of(task, benchmark), played)
    assert (score.value, score.detail["progress"]) == (1.0, 1.0)
    artefacts = score.detail["artefacts"]
    assert isinstance(artefacts, dict)
    assert set(artefacts.values()) == {"passed"}


@every_cross_app_task
def test_half_of_a_cross_app_task_is_scored_as_such(
    task: Task, played: Episode, benchmark: Collaboration
) -> None:
    end = replace(played.steps[-1], state=played.steps[-3].state)
    steps = (*played.steps[:-2], end)
    half = replace(played, steps=steps, outcome="failure", final=end.observation)
    score = benchmark.score(sample_of(task, benchmark), half)
    assert score.value == 0.0
    assert score.detail["progress"] in (0.5, 2 / 3)
    assert "missing" not in json.dumps(score.detail["artefacts"])


@pytest.mark.parametrize("task", cases([TASKS[0], TASKS[-1]]), scope="module")
@pytest.mark.slow
def test_a_second_run_shows_the_same_trees(task: Task, played: Episode) -> None:
    with Phone.named("jpeg") as phone:
        again = solve(task, phone)
    assert [step.decision for step in again.steps] == [step.decision for step in played.steps]
    assert [tree(step) for step in again.steps] == [tree(step) for step in played.steps]


def tree(step: Step) -> str:
    assert step.observation.ui_tree is not None
    return step.observation.ui_tree.xml


def test_a_task_takes_another_limit_of_steps() -> None:
    task = TASKS[0]
    longer = with_max_steps(task, 99)
    assert longer.max_steps == 99
    assert isinstance(longer.check, EventCheck)
    assert longer.check.definition.max_num_steps == 99
    assert task.max_steps < 99
