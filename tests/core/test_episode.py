"""Decisions of several actions, and the steps that hold them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.actions import Finish, Tap, TypeText, Wait
from tapwright.core.episode import MAX_ACTIONS, Decision, Step, dump_actions, join_steps
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice, painted_scene
from tapwright.errors import SeveralActionsError
from tests.strategies import DECISIONS, STEPS

TAP, TYPED = Tap(at=Point(0.5, 0.5)), TypeText(text="a")
SEEN = FakeDevice([painted_scene(0)]).observe()


def test_one_action_is_given_and_read_as_it_is() -> None:
    decision = Decision(TAP, "Why.", "the bell")
    assert (decision.action, decision.actions, decision.alone) == (TAP, (TAP,), TAP)
    assert decision == Decision([TAP], "Why.", "the bell")
    assert replace(decision, actions=(TYPED, TAP)).actions == (TYPED, TAP)


def test_who_reads_the_one_action_of_several_is_told() -> None:
    several = Decision([TAP, TYPED])
    assert (several.alone, several.first) == (None, TAP)
    with pytest.raises(SeveralActionsError, match="2 actions where one is expected: tap at"):
        _ = several.action


@pytest.mark.parametrize("count", [0, MAX_ACTIONS + 1, 500])
def test_a_decision_has_1_to_100_actions(count: int) -> None:
    with pytest.raises(SeveralActionsError, match=f"{count} actions; expected 1 to 100"):
        Decision([TAP] * count)


@given(decision=DECISIONS)
def test_the_json_of_one_action_is_the_one_that_it_always_was(decision: Decision) -> None:
    first = dump_actions([decision.first])
    assert first == decision.first.model_dump_json()
    assert dump_actions([decision.first, TAP]) == f"[{first},{TAP.model_dump_json()}]"


def test_the_end_is_found_among_several() -> None:
    assert Decision([TAP, Finish(outcome="failure"), Finish()]).ending == Finish(outcome="failure")
    assert Decision([TAP, TYPED]).ending is None


@given(steps=st.lists(STEPS, min_size=2, max_size=4))
def test_steps_that_were_joined_are_taken_apart_again(steps: list[Step]) -> None:
    plain = [
        replace(
            step,
            observation=replace(step.observation, stale=False),
            decision=Decision(step.decision.first),
            refused="",
            raw=(),
            between=(),
            after=None,
            note="",
            reward=0.0,
            instructions=(),
        )
        for step in steps
        if step.decision.ending is None
    ]
    if len(plain) < 2:
        return
    joined = join_steps(plain)
    assert joined.decision.actions == tuple(step.decision.first for step in plain)
    assert joined.between == tuple(step.observation for step in plain[1:])
    assert joined.parts == tuple(plain)


def test_a_step_without_screens_between_is_taken_apart_on_the_look_that_it_had() -> None:
    step = Step(SEEN, Decision([TAP, TYPED], "Why.", "the field"), reward=1.0, refused="no")
    first, second = step.parts
    assert (first.observation, first.decision) == (SEEN, Decision(TAP, "Why.", "the field"))
    assert (second.observation.stale, second.decision) == (True, Decision(TYPED))
    assert [one.reward for one in step.parts] == [0.0, 1.0]
    assert [one.refused for one in step.parts] == ["", "no"]


def test_only_what_was_done_can_be_joined() -> None:
    whole, refused = Step(SEEN, Decision(TAP)), Step(SEEN, Decision(TAP), refused="no")
    assert join_steps([whole, refused]).refused == "no"
    with pytest.raises(SeveralActionsError, match="step 0 of those to be joined was refused"):
        join_steps([refused, whole])
    with pytest.raises(SeveralActionsError, match="was the end"):
        join_steps([Step(SEEN, Decision(Finish())), whole])
    with pytest.raises(SeveralActionsError, match="a decision of 101 actions"):
        join_steps([Step(SEEN, Decision(Wait()))] * 101)
