from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.agents.loops import LOOPING
from tapwright.agents.model import UNREADABLE
from tapwright.agents.wrappers import TIMED_OUT
from tapwright.benchmarks.attempt_endings import classify_ending, is_loop, own_score
from tapwright.core.actions import Action, Answer, AskUser, Finish, Tap, Wait
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice, painted_scene

SCREEN = FakeDevice().observe()
UNREAD = Finish(outcome="failure", reason=f"{UNREADABLE} in 3 tries")
TAPS: list[Action] = [Tap(at=Point(x / 10, 0.5)) for x in range(10)]


def steps(actions: Sequence[Action]) -> tuple[Step, ...]:
    return tuple(Step(SCREEN, Decision(action)) for action in actions)


def attempt(outcome: EpisodeOutcome, *actions: Action) -> Episode:
    return Episode("e", "t", "Do it", steps(actions), SCREEN, outcome)


@given(
    before=st.lists(st.sampled_from(TAPS), max_size=5),
    cycle=st.lists(st.sampled_from(TAPS), min_size=1, max_size=3),
)
def test_going_round_in_circles_is_a_loop_whatever_came_before(
    before: list[Action], cycle: list[Action]
) -> None:
    assert is_loop(steps([*before, *cycle * 6]))


@given(st.permutations(TAPS))
def test_doing_something_else_each_time_is_none(actions: list[Action]) -> None:
    assert not is_loop(steps(actions))


def test_the_same_action_on_ever_new_screens_is_none() -> None:
    device = FakeDevice([painted_scene(number) for number in range(8)])
    seen = []
    for _ in range(7):
        seen.append(Step(device.observe(), Decision(TAPS[0])))
        device.perform(TAPS[0])
    assert not is_loop(seen)


@given(st.integers(0, 5))
def test_a_few_steps_are_no_loop(count: int) -> None:
    assert not is_loop(steps([Wait(duration_s=1)] * count))


@pytest.mark.parametrize(
    ("episode", "expected"),
    [
        (attempt("success", TAPS[0], Finish()), "done right"),
        (attempt("success", TAPS[0]), "done right"),
        (attempt("success", Finish(outcome="infeasible")), "infeasible right"),
        (attempt("infeasible", Finish(outcome="infeasible")), "infeasible wrong"),
        (attempt("failure", Finish()), "done wrong"),
        (attempt("failure", TAPS[0]), "done wrong"),
        (attempt("asked", TAPS[0], AskUser(text="Which one?")), "asked"),
        (attempt("failure", Finish(outcome="failure", reason="too hard")), "gave up"),
        (
            attempt("failure", Finish(outcome="failure", reason=f"{UNREADABLE} at all")),
            "bad answers",
        ),
        (attempt("failure", Finish(outcome="failure", reason=f"{LOOPING}: wait")), "loop"),
        (attempt("failure", Finish(outcome="failure", reason=f"{TIMED_OUT}: 5 s")), "too slow"),
        (attempt("truncated", *TAPS[:8]), "step limit"),
        (attempt("truncated", *TAPS[:7]), "time limit"),
        (attempt("truncated"), "time limit"),
        (attempt("truncated", *[Answer(text="42")] * 8), "loop"),
    ],
)
def test_every_attempt_has_one_cause(episode: Episode, expected: str) -> None:
    assert classify_ending(episode, max_steps=8) == expected


def test_the_clock_of_the_status_bar_makes_no_other_screen() -> None:
    xml = (
        '<hierarchy><node bounds="[0,0][270,600]"><node text="9:{}" bounds="[0,0][60,20]"/>'
        '<node text="Save" bounds="[0,200][100,260]"/></node></hierarchy>'
    )
    scenes = [replace(painted_scene(0), xml=xml.format(minute)) for minute in range(8)]
    device = FakeDevice(scenes)
    seen = []
    for _ in range(6):
        seen.append(Step(device.observe(), Decision(TAPS[0])))
        device.perform(TAPS[0])
    assert is_loop(seen)


def test_an_attempt_in_which_a_person_helped_has_no_score() -> None:
    alone = attempt("success", *TAPS[:2])
    helped = replace(alone, steps=(replace(alone.steps[0], by="human/anna"), alone.steps[1]))
    assert own_score(1.0, alone, {}).value == 1.0
    score = own_score(1.0, helped, {"steps": 2})
    assert (score.value, score.parsed) == (None, "success")
    assert score.detail == {"steps": 2, "steps_by_person": 1}
