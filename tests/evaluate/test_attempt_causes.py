"""Whatever agents and devices do, it is a counted cause, and the suite goes on."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from pydantic import JsonValue

from tapwright.agents.agent import Agent
from tapwright.agents.loops import LoopGuard
from tapwright.agents.model import ModelAgent
from tapwright.agents.planning import PlanningAgent
from tapwright.agents.replay import ReplayAgent, ReplayCache
from tapwright.agents.wrappers import TimeoutAgent
from tapwright.benchmarks.automation import Automation, difficulty
from tapwright.benchmarks.collaboration import Collaboration
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.conventions.json import JSON_CONVENTION
from tapwright.core.actions import Action, Answer, Finish, OpenApp, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.devices.fake import FakeDevice, Scene, painted_scene
from tapwright.environment import rollout
from tapwright.errors import TapwrightError
from tapwright.evaluate.attempt_causes import CAUSES, count_causes, sum_counts
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate_tasks
from tapwright.evaluate.run_log import RunLog
from tapwright.models.errors import ModelUnavailableError
from tapwright.models.model import Completion
from tapwright.models.pricing import Price
from tapwright.models.scripted import ScriptedModel
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import AnswerHas, When
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.solution import PerformAction
from tapwright.tasks.task import Setup, Task

COUNT = 3
TASKS = [
    Task(f"t{n}", "Say 42", ("fake",), When(AnswerHas(("42",))), max_steps=12) for n in range(COUNT)
]
RIGHT: tuple[Action, ...] = (Answer(text="It is 42"), Finish())


class Acting:
    """Does what it is told; at the end it repeats the last action."""

    name = "acting"

    def __init__(self, *actions: Action) -> None:
        self.actions = actions

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        return Decision(self.actions[min(len(history), len(self.actions) - 1)])


class Never(Acting):
    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        if len(history) < len(self.actions):
            return Decision(self.actions[len(history)])
        await asyncio.Event().wait()
        raise AssertionError


class Raising(Acting):
    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        raise KeyError("no such thing")


class Hanging(FakeDevice):
    """Does not come back from its first action until it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.unplugged = Event()

    def perform(self, action: Action) -> None:
        self.unplugged.wait()

    def close(self) -> None:
        self.unplugged.set()


def play(
    out: Path,
    agent: Callable[[], Agent],
    device: Callable[[], FakeDevice] = FakeDevice,
    *,
    tasks: Sequence[Task] = TASKS,
    max_s: float | None = None,
    max_steps: int | None = None,
    plan: RunPlan | None = None,
    max_cost: float | None = None,
) -> RunLog:
    return asyncio.run(
        evaluate_tasks(
            Automation(tasks), lambda task, seed: agent(), device, out, plan, max_s=max_s,
            max_steps=max_steps, max_cost=max_cost,
        )
    )  # fmt: skip


def model(said: str) -> Callable[[], Agent]:
    return partial(ModelAgent, ScriptedModel([said]), JSON_CONVENTION)


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        (partial(Acting, *RIGHT), "done right"),
        (partial(Acting, Finish()), "done wrong"),
        (partial(Acting, Finish(outcome="failure")), "gave up"),
        (partial(Acting, Finish(outcome="infeasible")), "infeasible wrong"),
        (partial(Acting, Answer(text="41")), "loop"),
        (partial(Acting, OpenApp(app="Nowhere")), "loop"),
        (partial(Acting, Tap(at=Point(0.5, 0.5))), "loop"),
        (partial(Acting, *(Tap(at=Point(x / 20, 0.5)) for x in range(12))), "step limit"),
        (model("I cannot help with that."), "bad answers"),
        (model('{"action": {"type": "tap", "at": [7000, 7]}}'), "bad answers"),
        (partial(Raising, Finish()), "agent error"),
        (lambda: LoopGuard(Acting(Answer(text="41")), "end"), "loop"),
        (lambda: TimeoutAgent(Never(Answer(text="41")), 0.01), "too slow"),
        (lambda: PlanningAgent(Acting(*RIGHT), ScriptedModel(["No plan."])), "bad answers"),
    ],
)
def test_whatever_an_agent_does_is_a_cause(
    agent: Callable[[], Agent], expected: str, tmp_path: Path
) -> None:
    run = play(tmp_path / "run", agent)
    assert count_causes(run.rows) == {expected: COUNT}
    assert expected in CAUSES
    error = expected == "agent error"
    assert run.complete is not error
    assert {row.score is None for row in run.rows} == {error}


@pytest.mark.parametrize("answers", [0, 1])
def test_an_agent_that_never_answers_is_out_of_time(answers: int, tmp_path: Path) -> None:
    run = play(tmp_path / "run", lambda: Never(*[Answer(text="41")] * answers), max_s=0.05)
    assert count_causes(run.rows) == {"time limit": COUNT}
    assert [row.score for row in run.rows] == [0.0] * COUNT
    kept = list(EpisodeStore(tmp_path / "run/episodes"))
    assert [(one.outcome, len(one.steps)) for one in kept] == [("truncated", 1)] * COUNT * answers


def test_what_is_done_when_the_time_is_up_counts(tmp_path: Path) -> None:
    run = play(tmp_path / "run", lambda: Never(RIGHT[0]), max_s=0.05)
    assert count_causes(run.rows) == {"done right": COUNT}


def test_a_device_that_is_only_slow_is_not_lost(tmp_path: Path) -> None:
    class Slow(FakeDevice):
        def observe(self) -> Observation:
            time.sleep(0.15)
            return super().observe()

    run = play(tmp_path / "run", lambda: Never(RIGHT[0]), Slow, tasks=TASKS[:1], max_s=0.02)
    assert count_causes(run.rows) == {"done right": 1}


def test_a_device_that_hangs_is_lost_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollout, "_PATIENCE_S", 0.2)
    made: list[FakeDevice] = []

    def device() -> FakeDevice:
        made.append(FakeDevice() if made else Hanging())
        return made[-1]

    run = play(
        tmp_path / "run", partial(Acting, Tap(at=Point(0.5, 0.5)), *RIGHT), device, max_s=0.2
    )
    assert count_causes(run.rows) == {"done right": COUNT - 1, "device lost": 1}
    assert len(made) == 2


@pytest.mark.slow
def test_a_device_that_dies_and_comes_back_is_asked_again_by_the_next_start(
    tmp_path: Path,
) -> None:
    made: list[FakeDevice] = []

    def device() -> FakeDevice:
        made.append(FakeDevice(lost_after=1 if len(made) == 1 else None))
        return made[-1]

    def dying() -> FakeDevice:
        made.append(FakeDevice(lost_after=0))
        return made[-1]

    agent = partial(Acting, *RIGHT)
    first = play(tmp_path / "run", agent, dying)
    assert count_causes(first.rows) == {"device lost": COUNT}
    assert play(tmp_path / "run", agent, device).complete


def test_a_task_whose_set_up_fails_is_told_apart(tmp_path: Path) -> None:
    bad = Task("bad", "…", ("fake",), TASKS[0].check, Setup(app="nowhere"), max_steps=8)
    run = play(tmp_path / "run", partial(Acting, *RIGHT), tasks=[TASKS[0], bad, TASKS[1]])
    assert count_causes(run.rows) == {"done right": 2, "set-up failed": 1}
    assert not run.complete


def test_a_model_that_cannot_be_asked_is_a_cause(tmp_path: Path) -> None:
    class Gone(ScriptedModel):
        async def complete(self, messages: Sequence[Message]) -> Completion:
            raise ModelUnavailableError("nobody there")

    run = play(tmp_path / "run", lambda: ModelAgent(Gone(["x"]), JSON_CONVENTION))
    assert count_causes(run.rows) == {"model failed": COUNT}


def test_another_limit_of_steps_holds_for_every_task(tmp_path: Path) -> None:
    run = play(tmp_path / "run", partial(Acting, Answer(text="41")), max_steps=2)
    assert [(row.detail["steps"], row.detail["max_steps"]) for row in run.rows] == [(2, 2)] * COUNT
    assert count_causes(run.rows) == {"step limit": COUNT}


def test_rows_say_their_place_in_the_suite(tmp_path: Path) -> None:
    chosen = RunPlan(sample=2, seed=4, epochs=2)
    run = play(tmp_path / "run", partial(Acting, *RIGHT), plan=chosen)
    assert len(run.rows) == 4
    assert all(row.detail["place"] == int(row.id[1:]) for row in run.rows)


def test_what_playing_costs_is_limited(tmp_path: Path) -> None:
    said = '{"reasoning": "", "target": "", "action": {"type": "finish", "outcome": "success"}}'
    dear = RunPlan(price=Price(input=1e6, output=1e6))
    with pytest.raises(TapwrightError):
        play(tmp_path / "run", model(said), plan=dear, max_cost=1.0)


CARRYING = """
id: "carry" command: "Carry it." max_num_steps: 8
event_sources { id: 1 state_event { path: "to" } repeatability: UNLIMITED }
event_sources { id: 2 repeatability: UNLIMITED state_event {
  path: "to" equals { string_value: "7" }
} }
event_sources { id: 3 finish_event {} }
event_sources { id: 4 view_hierarchy_event { selector: '[text*="Button 1"]' } }
event_slots {
  score_listener {
    type: OR
    events { event { events { id: 1 } transformation: "y = 0" } }
    events { event { id: 5 events { id: 4 } cache_until: -1 transformation: "y = 0.5" } }
    events { event { events { id: 2 } transformation: "y = 1" } }
  }
  extra_listener {
    type: OR
    events { event { events { id: 1 } transformation: "y = {'artefacts': ['7']}" } }
    events { event { events { id: 5 } transformation: "y = {'seen': ['7']}" } }
    events { event { events { id: 2 } transformation: "y = {'passed': ['7']}" } }
  }
  episode_end_listener { type: AND events { id: 2 } events { id: 3 } transformation: "y = True" }
}
"""


@pytest.mark.parametrize(
    ("taps", "progress", "state"), [(0, 0.0, "missing"), (1, 0.5, "seen"), (2, 1.0, "passed")]
)
def test_a_cross_app_task_tells_how_far_it_came(
    taps: int, progress: float, state: str, tmp_path: Path
) -> None:
    held: list[Mapping[str, JsonValue]] = [{"to": ""}, {"to": ""}, {"to": "7"}]
    scenes = [
        Scene(scene.picture, scene.xml, state=state_)
        for scene, state_ in zip(map(painted_scene, range(3)), held, strict=True)
    ]
    actions = [Tap(at=Point(0.5, 0.5))] * taps
    run = asyncio.run(
        evaluate_tasks(
            Collaboration([task_from_definition(parse_task(CARRYING))]),
            lambda task, seed: Acting(*actions, Finish()),
            partial(FakeDevice, scenes),
            tmp_path / "run",
        )
    )
    (row,) = run.rows
    assert row.score == float(progress == 1.0)
    assert (row.detail["progress"], row.detail["artefacts"]) == (progress, {"7": state})


def test_a_check_without_events_tells_how_far_it_came_by_its_rewards(tmp_path: Path) -> None:
    run = asyncio.run(
        evaluate_tasks(
            Collaboration(TASKS[:1]), lambda task, seed: Acting(*RIGHT), FakeDevice, tmp_path / "r"
        )
    )
    assert run.rows[0].detail["progress"] == 1.0
    assert "artefacts" not in run.rows[0].detail


def test_an_agent_that_cannot_be_made_ends_its_attempt(tmp_path: Path) -> None:
    def make(task: Task | None, seed: int) -> Agent:
        if task is not None and task.id == "t1":
            raise ValueError("not for this one")
        return Acting(*RIGHT)

    run = asyncio.run(evaluate_tasks(Automation(TASKS), make, FakeDevice, tmp_path / "run"))
    assert count_causes(run.rows) == {"done right": 2, "agent error": 1}


def test_a_suite_may_be_a_path_and_has_a_default(tmp_path: Path) -> None:
    (tmp_path / "one.textproto").write_text(CARRYING)
    assert [sample.id for sample in Automation.load(str(tmp_path)).samples()] == ["carry"]
    assert Automation.load("").source == "phone-l3"
    assert Collaboration.load("").source == "phone-l4"
    with pytest.raises(BadBenchmarkError, match="earlier"):
        Automation([TASKS[0], TASKS[0]])


def test_difficulty_goes_by_the_script() -> None:
    def of(moves: int) -> str:
        return difficulty(
            Task(
                "t",
                "",
                (),
                TASKS[0].check,
                solution=tuple(PerformAction(Finish()) for _ in range(moves)),
            )
        )

    assert [of(moves) for moves in (0, 1, 5, 6, 8, 9)] == [
        "", "easy", "easy", "medium", "medium", "hard",
    ]  # fmt: skip


def test_what_went_well_is_learnt_and_not_asked_again(tmp_path: Path) -> None:
    cache = ReplayCache(EpisodeStore(tmp_path / "wins"))
    said = [
        '{"action": {"type": "answer", "text": "It is 42"}}',
        '{"action": {"type": "finish", "outcome": "success"}}',
    ]

    def replaying() -> Agent:
        return ReplayAgent(ModelAgent(ScriptedModel(said), JSON_CONVENTION), cache)

    task = TASKS[:1]
    first = play(tmp_path / "first", replaying, tasks=task)
    assert sum_counts(first.rows) == {"replayed": 0, "asked": 2, "model_calls": 2}
    second = play(tmp_path / "second", replaying, tasks=task)
    assert sum_counts(second.rows) == {"replayed": 2, "asked": 0, "model_calls": 0}
    assert count_causes(second.rows) == {"done right": 1}
    assert second.header.subject == "scripted json with replay"
    assert len(list(cache.store.ids())) == 1


@pytest.mark.parametrize("fault", ["prepare", "ended"])
def test_an_agent_that_fails_before_or_after_its_steps_ends_one_attempt(
    fault: str, tmp_path: Path
) -> None:
    class Faulty(Acting):
        def prepare(self, apps: Sequence[str]) -> None:
            self.fail("prepare")

        def ended(self, episode: Episode) -> None:
            self.fail("ended")

        def fail(self, where: str) -> None:
            if where == fault:
                raise KeyError(where)

    run = play(tmp_path / "run", partial(Faulty, *RIGHT))
    assert count_causes(run.rows) == {"agent error": COUNT}
