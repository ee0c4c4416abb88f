from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.actions import (
    Action,
    Drag,
    Lift,
    LongPress,
    PressKey,
    RawEvent,
    Repeat,
    Swipe,
    Tap,
    Token,
    Touch,
    TypeText,
    Wait,
)
from tapwright.core.geometry import Point
from tapwright.errors import UnsupportedByConventionError
from tapwright.formats.mobile_env.gestures import fold_events, group_events, unfold_action
from tests.strategies import ACTIONS, RAW_EVENTS

MIDDLE, LEFT, TOP = Point(0.5, 0.5), Point(0.1, 0.5), Point(0.5, 0.1)


def touch(at: Point = MIDDLE) -> Touch:
    return Touch(at=at)


def folded(events: list[RawEvent]) -> list[Action]:
    return [fold_events(events[run.start : run.stop]) for run in group_events(events)]


@given(st.lists(RAW_EVENTS, max_size=30))
def test_every_event_is_in_one_run_and_in_order(events: list[RawEvent]) -> None:
    assert [number for run in group_events(events) for number in run] == list(range(len(events)))


@given(st.lists(RAW_EVENTS, max_size=30))
def test_a_run_is_an_action_whatever_it_holds(events: list[RawEvent]) -> None:
    assert len(folded(events)) == len(list(group_events(events)))


@given(ACTIONS)
def test_what_an_action_is_told_as_is_one_run_that_is_such_an_action(action: Action) -> None:
    try:
        events = list(unfold_action(action))
    except UnsupportedByConventionError:
        return
    found = folded(events)
    match action:
        case Tap() | TypeText() | Wait():
            assert [type(one) for one in found] == [type(action)]
        case LongPress(at=at):
            assert isinstance(found[0], LongPress)
            assert found[0].at == at
        case Swipe(start=start, end=end) | Drag(start=start, end=end):
            assert len(found) == 1
            if start.distance(end) > 0.05 and action.duration_s < 2:
                assert isinstance(found[0], type(action))
                assert (found[0].start, found[0].end) == (start, end)


@pytest.mark.parametrize(
    ("events", "actions"),
    [
        ([touch(), touch(), Lift()], [Tap(at=MIDDLE)]),
        ([touch(), Lift(), touch(), Lift()], [Tap(at=MIDDLE)] * 2),
        ([*[touch()] * 15, Lift()], [LongPress(at=MIDDLE, duration_s=1.0)]),
        ([touch(), *[Repeat()] * 14, Lift()], [LongPress(at=MIDDLE, duration_s=1.0)]),
        (
            [touch(), touch(LEFT), touch(TOP), Lift()],
            [Swipe(start=MIDDLE, end=TOP, duration_s=0.2)],
        ),
        (
            [*[touch()] * 8, touch(LEFT), Lift()],
            [Drag(start=MIDDLE, end=LEFT, duration_s=0.6)],
        ),
        ([touch(), touch(Point(0.5, 0.53)), Lift()], [Tap(at=MIDDLE)]),
        ([Lift(), Repeat(), touch(), Lift()], [Wait(duration_s=2 / 15), Tap(at=MIDDLE)]),
        ([touch(), Lift(), Repeat(), Lift()], [Tap(at=MIDDLE)]),
        ([touch()], [Tap(at=MIDDLE)]),
    ],
)
def test_a_stream_of_touches_is_what_a_hand_did(
    events: list[RawEvent], actions: list[Action]
) -> None:
    assert folded(events) == actions


def words(*said: str | int, **last: Any) -> list[RawEvent]:
    told = [Token(text=one) if isinstance(one, str) else Token(index=one) for one in said]
    return [*told[:-1], told[-1].model_copy(update=last)]


@pytest.mark.parametrize(
    ("events", "texts"),
    [
        (words("milk", "##s", "and", "eggs"), ["milks and eggs"]),
        (words("[CLS]", "size 45"), ["size 45"]),
        (words(3), ["[token 3]"]),
        ([*words("milk", reward=1.0), *words("eggs")], ["milk", "eggs"]),
        ([*words("milk", instructions=("next",)), *words("eggs")], ["milk", "eggs"]),
        ([*words("milk"), Repeat(), *words("eggs")], ["milk", "eggs"]),
    ],
)
def test_words_in_a_row_are_one_text_until_the_task_speaks(
    events: list[RawEvent], texts: list[str]
) -> None:
    assert folded(events) == [TypeText(text=text) for text in texts]


def test_a_press_goes_on_when_a_word_comes_between_as_another_action() -> None:
    assert folded([touch(), Token(text="a"), touch(), Lift()]) == [
        Tap(at=MIDDLE),
        TypeText(text="a"),
        Tap(at=MIDDLE),
    ]


def test_a_key_cannot_be_told_in_touches() -> None:
    with pytest.raises(UnsupportedByConventionError, match="press_key"):
        unfold_action(PressKey(key="back"))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 3600))
def test_no_swipe_leaves_the_screen(x: float, y: float, to_x: float, to_y: float, s: float) -> None:
    assert unfold_action(Swipe(start=Point(x, y), end=Point(to_x, to_y), duration_s=min(s, 5)))
