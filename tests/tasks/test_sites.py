"""The suites of the sites prove themselves: each task is played by its script, and by nobody."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tapwright.actions import Answer, Finish
from tapwright.devices.sites.device import SitesDevice
from tapwright.environment.environment import Environment
from tapwright.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.sites import sites
from tapwright.tasks import sites as module
from tapwright.tasks import suites
from tapwright.tasks.check_file import check_file
from tapwright.tasks.definitions.task import EventCheck
from tapwright.tasks.events.replay import judge_episode
from tapwright.tasks.solution import SolutionScript
from tapwright.tasks.task import Task
from tapwright.tasks.templates.expand import Expander
from tests.sites.installed import HOME, need

FILES = Path(module.__file__).with_name("site_tasks")
ONE, ACROSS = suites.get("web-l3")(), suites.get("web-l4")()
TASKS = {task.id: task for task in (*ONE, *ACROSS)}

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


@dataclass(frozen=True)
class Played:
    nothing: EpisodeOutcome
    solution: Episode


class Plays(dict[str, Played]):
    """Plays each task when it is first looked up."""

    def __init__(self, device: SitesDevice) -> None:
        self.device = device

    def __missing__(self, task_id: str) -> Played:
        environment = Environment(self.device, TASKS[task_id])
        environment.reset()
        nothing = environment.step(Finish())[-1]["outcome"]
        self[task_id] = Played(nothing, solve(environment))
        return self[task_id]


@pytest.fixture(scope="module")
def plays() -> Iterator[Plays]:
    need(*sites.names())
    with SitesDevice(home=HOME) as device:
        yield Plays(device)


def solve(environment: Environment) -> Episode:
    task = environment.task
    seen, info = environment.reset()
    begun, script, steps = info, SolutionScript(task.solution), []
    while "outcome" not in info:
        decision = script.decide(seen)
        after, reward, _, _, info = environment.step(decision.action)
        steps.append(
            Step(
                seen, decision, reward, log=info["log"], state=info["state"],
                refused=info.get("refused", ""),
            )
        )  # fmt: skip
        seen = after
    return Episode(
        id=task.id, task_id=task.id, instruction=task.instruction, steps=tuple(steps), final=seen,
        outcome=info["outcome"], log=begun["log"], state=begun["state"],
    )  # fmt: skip


def succeeds(task: Task, episode: Episode) -> bool:
    """What the task's events say of an episode, without a device."""
    assert isinstance(task.check, EventCheck)
    return judge_episode(episode, task.check.definition).steps[-1].outcome.success is True


@pytest.mark.slow
@every_task
def test_the_script_does_it_and_nothing_does_not(task: Task, plays: Plays) -> None:
    played = plays[task.id]
    assert played.solution.outcome == "success"
    assert len(played.solution.steps) < task.max_steps
    assert not [step.refused for step in played.solution.steps if step.refused]
    assert played.nothing == "failure"


@pytest.mark.slow
@every_task
def test_a_claim_before_the_last_move_is_not_enough(task: Task, plays: Plays) -> None:
    episode = plays[task.id].solution
    assert succeeds(task, episode)
    *kept, last, _ = episode.steps
    state = kept[-1].state if kept else episode.state
    claim = Step(last.observation, Decision(Finish()), state=state)
    assert not succeeds(task, replace(episode, steps=(*kept, claim), final=last.observation))


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", [task for task in ONE if task.kind == "ask"], ids=lambda task: task.id, scope="module"
)
@pytest.mark.parametrize("answer", ["I do not know.", "It is 7777777.", "Certainly! 好的。"])
def test_another_answer_is_wrong(task: Task, answer: str, plays: Plays) -> None:
    episode = plays[task.id].solution
    steps = tuple(
        replace(step, decision=Decision(Answer(text=answer)))
        if isinstance(step.decision.action, Answer)
        else step
        for step in episode.steps
    )
    assert not succeeds(task, replace(episode, steps=steps))
