import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import LET_GO, NOT_DONE, Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.devices.fake import FakeDevice, Scene, painted_scene
from tapwright.devices.replay import ReplayDevice
from tapwright.environment.environment import CheckRunner, Environment
from tapwright.environment.errors import EnvironmentOrderError, SetupFailedError
from tapwright.environment.rollout import rollout
from tapwright.errors import DeviceError, DeviceLostError
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import AnswerHas, TreeShows, When
from tapwright.tasks.task import Check, Setup, Task

TAP = actions.Tap(at=Point(0.5, 0.4))


def task(check: Check | None = None, max_steps: int = 5) -> Task:
    return Task(
        id="press",
        instruction="Get to button 2",
        apps=("fake",),
        check=check or When(TreeShows("Button 2")),
        max_steps=max_steps,
    )


def test_reset_shows_the_first_screen_with_no_score() -> None:
    observation, info = Environment(FakeDevice(), task()).reset()
    assert observation.ui_tree is not None
    assert observation.ui_tree.find(text="Button 0")
    assert info == {
        "instruction": "Get to button 2",
        "score": 0.0,
        "instructions": (),
        "log": (),
        "state": {},
        "extras": {},
    }


def test_a_device_may_say_what_is_asked_once_it_is_set_up(tmp_path: Path) -> None:
    scene = replace(painted_scene(0), state={"utterance": "Press it"})
    asked = replace(task(), instruction="", instruction_at="utterance")
    environment = Environment(FakeDevice([scene]), asked)
    assert environment.reset()[1]["instruction"] == "Press it"

    class Obeying:
        name = "obeying"
        heard: ClassVar[list[str]] = []

        async def act(
            self, instruction: str, history: Sequence[Step], observation: Observation
        ) -> Decision:
            self.heard.append(instruction)
            return Decision(actions.Finish())

    agent = Obeying()
    episode = asyncio.run(rollout(agent, environment, store=EpisodeStore(tmp_path)))
    assert (agent.heard, episode.instruction) == (["Press it"], "Press it")


def test_a_device_that_does_not_say_what_is_asked_fails_the_set_up() -> None:
    asked = replace(task(), instruction="", instruction_at="utterance")
    with pytest.raises(SetupFailedError, match=r"press.*'utterance'"):
        Environment(FakeDevice(), asked).reset()


def test_a_finished_episode_is_terminated_and_not_truncated() -> None:
    environment = Environment(FakeDevice(), task())
    environment.reset()
    assert [environment.step(TAP)[1] for _ in range(2)] == [0.0, 1.0]
    _, reward, terminated, truncated, info = environment.step(actions.Finish())
    assert (reward, terminated, truncated, info["outcome"]) == (0.0, True, False, "success")


def test_the_step_limit_truncates_and_does_not_terminate() -> None:
    environment = Environment(FakeDevice(), task(When(TreeShows("nowhere")), max_steps=2))
    environment.reset()
    assert environment.step(TAP)[2:4] == (False, False)
    _, _, terminated, truncated, info = environment.step(TAP)
    assert (terminated, truncated, info["outcome"]) == (False, True, "truncated")


def test_finishing_on_the_last_allowed_step_terminates() -> None:
    environment = Environment(FakeDevice(), task(max_steps=1))
    environment.reset()
    _, _, terminated, truncated, info = environment.step(actions.Finish(outcome="infeasible"))
    assert (terminated, truncated, info["outcome"]) == (True, False, "infeasible")


@pytest.mark.parametrize("last", [actions.Finish(), TAP], ids=["finished", "at the limit"])
def test_what_is_down_as_an_attempt_ends_is_let_go_and_said(last: Action) -> None:
    device = FakeDevice()
    environment = Environment(device, task(When(TreeShows("nowhere")), max_steps=3))
    environment.reset()
    environment.step(actions.KeyDown(key="shift"))
    assert not environment.step(actions.ButtonDown(button="right"))[4]["log"]
    *_, info = environment.step(last)
    assert info["log"] == (f"{LET_GO}shift, the right button",)
    assert not device.let_go()


def test_a_question_is_answered_by_the_task_then_by_a_person_and_else_ends_the_attempt() -> None:
    asked: list[str] = []

    def person(question: str) -> str | None:
        asked.append(question)
        return "the blue one" if len(asked) == 1 else None

    scripted = replace(task(When(TreeShows("nowhere"))), replies=("the second",))
    environment = Environment(FakeDevice(), scripted, user=person)
    environment.reset()
    seen, _, terminated, _, info = environment.step(actions.AskUser(text="Which?"))
    assert (seen.message, info["instructions"], terminated) == (
        "the second",
        ("the second",),
        False,
    )
    assert environment.step(TAP)[0].message == ""
    assert environment.step(actions.AskUser(text="Which one?"))[0].message == "the blue one"
    seen, _, terminated, truncated, info = environment.step(actions.AskUser(text="Really?"))
    assert (seen.message, terminated, truncated, info["outcome"]) == ("", True, False, "asked")
    assert asked == ["Which one?", "Really?"]


def test_a_question_at_the_goal_does_not_undo_it() -> None:
    environment = Environment(FakeDevice(), task())
    environment.reset()
    environment.step(TAP)
    environment.step(TAP)
    assert environment.step(actions.AskUser(text="Is it good?"))[4]["outcome"] == "success"


def test_an_answer_is_judged_and_never_reaches_the_device() -> None:
    device = FakeDevice()
    environment = Environment(device, task(When(AnswerHas(("42",)))))
    environment.reset()
    assert environment.step(actions.Answer(text="It is 42."))[1] == 1.0
    assert device.performed == []


def test_stepping_out_of_order_is_refused() -> None:
    environment = Environment(FakeDevice(), task())
    with pytest.raises(EnvironmentOrderError):
        environment.step(TAP)
    environment.reset()
    environment.step(actions.Finish())
    with pytest.raises(EnvironmentOrderError, match="has ended"):
        environment.step(TAP)


def test_reset_starts_over_with_the_same_screen() -> None:
    environment = Environment(FakeDevice(), task())
    first, _ = environment.reset()
    environment.step(TAP)
    again, _ = environment.reset()
    assert first == again


def test_a_set_up_that_the_device_cannot_do_is_an_error() -> None:
    with pytest.raises(DeviceError, match="takes neither state nor app"):
        Environment(
            FakeDevice(),
            Task(
                id="x",
                instruction="x",
                apps=(),
                check=When(TreeShows("x")),
                setup=Setup(app="notes"),
            ),
        ).reset()


class Tapper:
    """Taps until the button of a number shows, then finishes."""

    name = "tapper"

    def __init__(self, number: int) -> None:
        self.wanted = f"Button {number}"

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        tree = observation.ui_tree
        if tree is not None and tree.find(text=self.wanted):
            return Decision(actions.Finish(), reasoning="It is there.")
        return Decision(TAP, target="the button")


def test_a_rollout_makes_an_episode_of_what_was_seen_before_each_action() -> None:
    device = FakeDevice()
    episode = asyncio.run(rollout(Tapper(2), Environment(device, task())))
    assert episode.outcome == "success"
    assert [step.decision.action.type for step in episode.steps] == ["tap", "tap", "finish"]
    assert [step.reward for step in episode.steps] == [0.0, 1.0, 0.0]
    assert [step.observation.screenshot.data for step in episode.steps] == [
        painted_scene(number).picture for number in range(3)
    ]


def test_a_stored_rollout_reads_back_and_replays(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    played = asyncio.run(rollout(Tapper(2), Environment(FakeDevice(), task()), store=store))
    assert store.ids() == [played.id]
    device = ReplayDevice(store.read(played.id))
    replayed = asyncio.run(rollout(Tapper(2), Environment(device, task())))
    assert [step.decision for step in replayed.steps] == [step.decision for step in played.steps]
    assert device.diverged == []


def test_a_replay_notes_where_it_was_left() -> None:
    played = asyncio.run(rollout(Tapper(2), Environment(FakeDevice(), task())))
    device = ReplayDevice(played)
    device.reset()
    device.perform(actions.Tap(at=Point(0.6, 0.4)))  # the same button, elsewhere
    device.perform(actions.Wait())
    assert device.diverged == [1]
    assert device.observe() == played.steps[2].observation


def test_a_device_lost_in_the_middle_leaves_the_steps_before_in_the_store(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    environment = Environment(FakeDevice(lost_after=2), task(When(TreeShows("nowhere"))))
    with pytest.raises(DeviceLostError):
        asyncio.run(rollout(Tapper(9), environment, store=store))
    (found,) = store
    assert (len(found.steps), found.outcome) == (1, "interrupted")


def test_a_scene_without_a_tree_is_seen_as_a_picture_only() -> None:
    device = FakeDevice([Scene(picture=painted_scene(0).picture)])
    observation, _ = Environment(device, task()).reset()
    assert observation.ui_tree is None


def test_an_action_that_the_device_cannot_do_is_a_step_that_changes_nothing() -> None:
    class Wild:
        name = "wild"

        async def act(
            self, instruction: str, history: Sequence[Step], observation: Observation
        ) -> Decision:
            return Decision(actions.Finish() if history else actions.OpenApp(app="Nowhere"))

    episode = asyncio.run(rollout(Wild(), Environment(FakeDevice(), task())))
    first, second = episode.steps
    assert "no app 'Nowhere'" in first.refused
    assert first.observation == second.observation
    assert (episode.outcome, second.refused) == ("failure", "")


def test_what_the_device_logs_stands_with_the_step_that_caused_it() -> None:
    scenes = [replace(painted_scene(number), log=(f"line {number}",)) for number in range(3)]
    episode = asyncio.run(rollout(Tapper(2), Environment(FakeDevice(scenes), task())))
    assert [step.log for step in episode.steps] == [("line 1",), ("line 2",), ()]
    replay = ReplayDevice(episode)
    replay.perform(TAP)
    assert list(replay.log()) == ["line 1"]


def test_what_a_device_that_takes_over_has_logged_before_is_not_read_again() -> None:
    scenes = [replace(painted_scene(number), log=(f"line {number}",)) for number in range(3)]
    lost, fresh = FakeDevice(scenes), FakeDevice(scenes)
    lost.perform(TAP)
    referee = CheckRunner(lost, task())
    assert referee.judge(lost.observe(), TAP)[1]["log"] == ("line 0", "line 1")
    referee.switch_device(fresh)
    fresh.perform(TAP)
    assert referee.judge(fresh.observe(), TAP)[1]["log"] == ("line 1",)


def test_an_episode_that_is_cut_short_is_over() -> None:
    environment = Environment(FakeDevice(), task())
    with pytest.raises(EnvironmentOrderError):
        environment.truncate()
    environment.reset()
    assert environment.truncate() == "truncated"
    with pytest.raises(EnvironmentOrderError):
        environment.step(actions.Finish())


SECOND = actions.Tap(at=Point(0.5, 0.41))


def test_several_actions_are_judged_one_by_one_on_the_screen_after_each() -> None:
    environment = Environment(FakeDevice(), task(When(TreeShows("Button 2")), max_steps=1))
    environment.reset()
    seen, reward, terminated, truncated, info = environment.step([TAP, SECOND])
    assert (reward, terminated, truncated) == (1.0, False, True)
    trees = [screen.ui_tree for screen in (*info["between"], seen)]
    shown = [tree.find(text=f"Button {at}") for at, tree in enumerate(trees, 1) if tree is not None]
    assert None not in shown
    assert info["outcome"] == "success"


def test_a_refusal_stops_there_and_says_what_was_done() -> None:
    device = FakeDevice()
    environment = Environment(device, task(When(TreeShows("Button 9"))))
    environment.reset()
    *_, info = environment.step([TAP, actions.OpenApp(app="nowhere"), TAP])
    assert info["refused"].startswith("action 2 of 3: ")
    assert info["refused"].endswith("(1 done, 1 left)")
    assert device.performed == [TAP]


def test_what_comes_after_the_end_is_not_done() -> None:
    device = FakeDevice()
    environment = Environment(device, task(When(TreeShows("Button 9"))))
    environment.reset()
    *_, terminated, _, info = environment.step([TAP, actions.Finish(), TAP])
    assert terminated
    assert device.performed == [TAP]
    assert "refused" not in info
    assert info["log"] == (f"{NOT_DONE}tap at (50 %, 40 %)",)


class Twice:
    name = "twice"

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        end = [actions.Finish()] if history else []
        return Decision([TAP, SECOND, *end, *end], "Both at once.")


def test_a_recording_of_several_actions_is_judged_as_it_was_played(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    scenes = [
        replace(painted_scene(number), log=(f"line {number}",), state={"shown": number})
        for number in range(6)
    ]
    check = When(TreeShows("Button 4"))
    environment = Environment(FakeDevice(scenes), task(check))
    played = asyncio.run(rollout(Twice(), environment, store=store))
    assert played.outcome == "success"
    first, last = played.steps
    assert (len(first.between), first.done) == (1, 2)
    assert (len(last.between), last.done) == (2, 3)
    assert [moment.log for moment in first.moments] == [("line 1",), ("line 2",)]
    assert played == store.read(played.id)
    runner = CheckRunner(ReplayDevice(played), task(check))
    verdicts = runner.rejudge(played, first.observation)
    assert [verdict.reward for verdict in verdicts[1:]] == [step.reward for step in played.steps]
    assert runner.attempt.outcome == "success"


def test_a_recording_of_several_actions_can_be_replayed() -> None:
    played = asyncio.run(rollout(Twice(), Environment(FakeDevice(), task())))
    device = ReplayDevice(played)
    device.reset()
    for step in played.steps:
        for action in step.decision.actions[: step.done]:
            device.perform(action)
    assert device.diverged == []
