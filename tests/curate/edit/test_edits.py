from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.actions import Lift, Tap, Touch, Wait
from tapwright.core.episode import Episode, Step
from tapwright.core.geometry import Point
from tapwright.curate.edit.edits import (
    auto_instructionize,
    crop,
    delete,
    delete_steps,
    insert,
    instructionize,
    join,
    merge,
    part,
    relabel,
    rewardize,
    set_instruction,
    set_outcome,
    split,
)
from tapwright.errors import UsageError
from tests.curate.edit.strategies import LONG
from tests.store.episodes import episode, step
from tests.strategies import STEPS


@given(episode=LONG, step=STEPS, data=st.data())
def test_a_step_that_is_put_in_and_taken_out_again_leaves_no_trace(
    episode: Episode, step: Step, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(episode.steps) - 1))
    assert delete(insert(episode, at, step), at, at + 1) == episode


@given(episode=LONG, data=st.data())
def test_a_split_episode_merges_into_what_it_was(episode: Episode, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(episode.steps) - 1))
    first, second = split(episode, at, "second")
    assert (len(first.steps), second.id, second.version) == (at, "second", 1)
    assert first.final == second.steps[0].observation
    assert merge(first, second) == episode


@given(episode=LONG, data=st.data())
def test_taking_out_the_end_is_cropping_to_the_beginning(
    episode: Episode, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(episode.steps) - 1))
    assert delete(episode, at, len(episode.steps)) == crop(episode, 0, at)


@given(episode=LONG, data=st.data(), delta=st.integers(-5, 5))
def test_a_reward_that_is_given_and_taken_leaves_no_trace(
    episode: Episode, data: st.DataObject, delta: int
) -> None:
    at = data.draw(st.integers(0, len(episode.steps) - 1))
    whole = replace(episode.steps[at], reward=1.0, raw=())
    episode = replace(episode, steps=(*episode.steps[:at], whole, *episode.steps[at + 1 :]))
    assert rewardize(rewardize(episode, at, delta), at, -delta) == episode


@given(episode=LONG, data=st.data())
@pytest.mark.slow
def test_an_edit_of_one_step_touches_no_other(episode: Episode, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(episode.steps) - 1))
    for edited in (
        rewardize(episode, at, 1.0),
        instructionize(episode, at, ["now"]),
        relabel(episode, at, target="the bell"),
        relabel(episode, at, step_instruction="tap the bell"),
    ):
        others = zip(episode.steps, edited.steps, strict=True)
        assert [a is b for a, b in others] == [n != at for n in range(len(episode.steps))]


@given(episode=LONG)
def test_the_episode_that_is_edited_stays_as_it_is(episode: Episode) -> None:
    before = replace(episode)
    delete(episode, 0, 1)
    set_outcome(episode, "failure")
    set_instruction(episode, "another")
    assert episode == before


def some(rewards: list[float]) -> Episode:
    steps = tuple(replace(step(n), reward=reward) for n, reward in enumerate(rewards))
    return replace(episode(0), steps=steps)


def test_what_a_cropped_episode_came_to_nobody_has_judged() -> None:
    whole = some([0, 0, 0])
    assert crop(whole, 0, 2).outcome == "unknown"
    assert crop(whole, 0, 2).final == whole.steps[2].observation
    assert crop(whole, 1, 3).outcome == "success"


@pytest.mark.parametrize(
    ("change", "evidence"),
    [
        (lambda whole: delete(whole, 0, 1), "claimed"),
        (lambda whole: delete_steps(whole, [1]), "claimed"),
        (lambda whole: insert(whole, 1, whole.steps[0]), "claimed"),
        (lambda whole: relabel(whole, 1, actions=[Wait()]), "claimed"),
        (lambda whole: crop(whole, 1, 3), "claimed"),
        (lambda whole: split(whole, 1, "second")[1], "claimed"),
        (lambda whole: merge(some([0]), whole), "claimed"),
        (lambda whole: crop(whole, 0, 2), ""),
        (lambda whole: set_outcome(whole, "unknown"), ""),
        (lambda whole: set_outcome(whole, "failure"), "claimed"),
        (lambda whole: crop(whole, 0, 3), "proved"),
        (lambda whole: join(whole, 0, 2), "proved"),
        (lambda whole: relabel(whole, 1, target="a bell"), "proved"),
        (lambda whole: rewardize(whole, 1, 1), "proved"),
    ],
)
def test_other_actions_than_were_judged_prove_nothing(
    change: Callable[[Episode], Episode], evidence: str
) -> None:
    assert change(replace(some([0, 0, 0]), evidence="proved")).evidence == evidence


def test_rewarded_steps_are_told_in_turn_the_last_one_again_and_the_end_nothing() -> None:
    # As Mobile-Env's auto_instructionize: records 1 to the last but one.
    told = auto_instructionize(some([1, 0, 1, 0.5, -1, 1]), [["a"], ["b", "c"]])
    assert [step.instructions for step in told.steps] == [
        ("a",), (), ("b", "c"), ("b", "c"), (), (),
    ]  # fmt: skip


def test_a_recorders_events_say_what_the_step_says() -> None:
    whole = some([1.0])
    raw = (Touch(at=Point(0.5, 0.5)), Lift(reward=1.0, instructions=("old",)))
    whole = replace(whole, steps=(replace(whole.steps[0], raw=raw),))
    edited = instructionize(rewardize(whole, 0, 2), 0, ["new"]).steps[0]
    assert edited.raw == (raw[0], Lift(reward=3.0, instructions=("new",)))
    assert (edited.reward, edited.instructions) == (3.0, ("new",))
    assert relabel(whole, 0, reasoning="why").steps[0].raw == raw
    assert relabel(whole, 0, actions=[Wait()]).steps[0].raw == ()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda e: delete(e, 1, 9), "no steps 1 to before 9; it has 3, from step 0 to step 2"),
        (lambda e: delete(e, 2, 2), "no steps 2 to before 2"),
        (lambda e: crop(e, -1, 2), "no steps -1"),
        (lambda e: rewardize(e, 3, 1), "no step 3"),
        (lambda e: rewardize(e, 0, float("inf")), "not by inf"),
        (lambda e: instructionize(e, -1, []), "no step -1"),
        (lambda e: relabel(e, 9, actions=[Tap(at=Point(0, 0))]), "no step 9"),
        (lambda e: insert(e, 4, e.steps[0]), "takes one at 0 to 3"),
        (lambda e: split(e, 0, "b"), "cannot be split at 0"),
        (lambda e: split(e, 1, "demo"), "an id of its own"),
        (lambda e: auto_instructionize(e, []), "no instructions"),
    ],
)
def test_what_an_episode_has_not_is_refused(
    edit: Callable[[Episode], object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        edit(some([0, 0, 0]))


def test_steps_are_joined_and_taken_apart_again() -> None:
    whole = some([0.0, 0.5, 1.0])
    joined = join(whole, 0, 2)
    assert joined.steps[0].decision.actions == tuple(
        step.decision.action for step in whole.steps[:2]
    )
    assert joined.steps[0].between == (whole.steps[1].observation,)
    assert (joined.steps[0].reward, joined.steps[1]) == (0.5, whole.steps[2])
    apart = part(joined, 0)
    assert [step.decision.actions for step in apart.steps] == [
        step.decision.actions for step in whole.steps
    ]
    assert [step.observation for step in apart.steps] == [step.observation for step in whole.steps]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda e: part(e, 0), "step 0 has one action"),
        (lambda e: join(e, 1, 2), "steps 1 to before 2 are one"),
        (lambda e: join(e, 1, 9), "no steps 1 to before 9"),
    ],
)
def test_what_cannot_be_joined_or_parted_is_refused(
    edit: Callable[[Episode], Episode], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        edit(some([0.0, 0.5, 1.0]))
