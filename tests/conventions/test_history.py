"""What a model is told of the steps before, by policy, in any convention."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.conventions import conventions
from tapwright.conventions.history import DEFAULT_HISTORY, HistoryPolicy
from tapwright.conventions.sent_pictures import ShrinkingConvention
from tapwright.core.actions import Tap, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Picture
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import FakeDevice, painted_scene
from tests.conventions.test_families import NAMES

SIZE = Size(100, 200)
DEVICE = FakeDevice([painted_scene(number, SIZE) for number in range(6)])


def screens(count: int) -> list[Step]:
    DEVICE.reset()
    steps = []
    for number in range(count):
        tap = Tap(at=Point(0.5, 0.5))
        steps.append(Step(DEVICE.observe(), Decision(tap, "because", f"t{number}")))
        DEVICE.perform(tap)
    return steps


def pictures(messages: list[Message]) -> list[Screenshot]:
    parts = (part for message in messages for part in message.parts)
    return [part.screenshot for part in parts if isinstance(part, Picture)]


@given(count=st.integers(0, 5), last=st.one_of(st.none(), st.integers(0, 6)))
@pytest.mark.slow
def test_the_last_steps_are_told_and_no_step_twice(count: int, last: int | None) -> None:
    before = screens(count)
    told = HistoryPolicy(last).select(before)
    assert list(told) == before[count - len(told) :]
    assert len(told) == (count if last is None else min(count, last))


@pytest.mark.parametrize("name", NAMES)
def test_by_default_a_prompt_is_the_convention_s_own(name: str) -> None:
    convention, before = conventions.get(name), screens(3)
    now = DEVICE.observe()
    assert DEFAULT_HISTORY.prompt(convention, "Do it", before, now) == convention.prompt(
        "Do it", before, now
    )


@pytest.mark.parametrize("name", NAMES)
def test_pictures_shows_each_told_screen_once_and_the_present_one_last(name: str) -> None:
    convention, before = conventions.get(name), screens(4)
    now = DEVICE.observe()
    policy = HistoryPolicy.from_text("pictures:2")
    shown = pictures(policy.prompt(convention, "Do it", before, now))
    if isinstance(convention, ShrinkingConvention) and convention.present_first:
        shown = [*shown[1:], shown[0]]
    assert shown == [*(step.observation.screenshot for step in before[-2:]), now.screenshot]


def test_screens_are_numbered_and_one_that_was_not_recorded_is_left_out() -> None:
    before = screens(3)
    unseen = replace(DEVICE.observe(), screenshot=Screenshot.stand_in(SIZE))
    lost = Step(unseen, Decision(Wait()))
    json = conventions.get("json")
    messages = HistoryPolicy(2, "pictures").prompt(json, "做吧", [*before, lost], DEVICE.observe())
    assert "第 3 步之前的屏幕" in messages[-1].text
    assert len(pictures(messages)) == 2


def test_older_steps_are_summed_up_in_the_language_of_the_task() -> None:
    policy = HistoryPolicy.from_text("summaries:1")
    asked = policy.extend_instruction("做吧", screens(3))
    assert asked == "做吧\n\n更早的步骤：\n1. tap: t0\n2. tap: t1"
    assert policy.extend_instruction("Do it", screens(1)) == "Do it"
