import pytest
from hypothesis import given

from tapwright.actions import (
    Action,
    ActionAdapter,
    Drag,
    Finish,
    Hotkey,
    LongPress,
    Scroll,
    Swipe,
    Tap,
    TypeText,
    describe,
)
from tapwright.geometry import Point
from tests.strategies import ACTIONS

HERE, THERE = Point(0.25, 0.5), Point(0.75, 0.1)


@given(action=ACTIONS)
def test_an_action_survives_the_trip_through_json(action: Action) -> None:
    assert ActionAdapter.validate_json(ActionAdapter.dump_json(action)) == action


@given(action=ACTIONS)
def test_every_action_can_be_told_in_one_line(action: Action) -> None:
    assert describe(action).strip()
    assert "\n" not in describe(action)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (Tap(at=HERE), "tap at (25 %, 50 %)"),
        (Tap(at=HERE, button="right"), "tap at (25 %, 50 %) (right button)"),
        (LongPress(at=HERE), "long press at (25 %, 50 %)"),
        (Swipe(start=HERE, end=THERE), "swipe from (25 %, 50 %) to (75 %, 10 %)"),
        (Drag(start=HERE, end=THERE), "drag from (25 %, 50 %) to (75 %, 10 %)"),
        (Scroll(at=HERE, dy=0.5), "scroll by (0, 0.5) screens at (25 %, 50 %)"),
        (TypeText(text="你好\n"), r"type '你好\n'"),
        (Hotkey(keys=("control", "c")), "press control+c"),
        (Finish(outcome="infeasible"), "finish: infeasible"),
    ],
)
def test_an_action_is_told_as_people_say_it(action: Action, told: str) -> None:
    assert describe(action) == told
