import pytest
from hypothesis import given
from pydantic import TypeAdapter, ValidationError

from tapwright.core import actions
from tapwright.core.actions import Action, ActionAdapter, RawEvent, describe, typing_steps
from tapwright.core.geometry import Point
from tapwright.files.jsonl import to_json
from tests.strategies import ACTIONS

HERE, THERE = Point(0.25, 0.5), Point(0.75, 0.1)


@given(action=ACTIONS)
def test_an_action_survives_the_trip_through_json(action: Action) -> None:
    assert ActionAdapter.validate_json(to_json(action)) == action


@given(action=ACTIONS)
def test_every_action_can_be_told_in_one_line(action: Action) -> None:
    assert describe(action).strip()
    assert "\n" not in describe(action)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (actions.Tap(at=HERE), "tap at (25 %, 50 %)"),
        (actions.Tap(at=HERE, button="right"), "tap at (25 %, 50 %) (right button)"),
        (actions.DoubleTap(at=HERE), "double tap at (25 %, 50 %)"),
        (actions.Hover(at=THERE), "hover at (75 %, 10 %)"),
        (actions.LongPress(at=HERE), "long press at (25 %, 50 %)"),
        (actions.Swipe(start=HERE, end=THERE), "swipe from (25 %, 50 %) to (75 %, 10 %)"),
        (actions.Drag(start=HERE, end=THERE), "drag from (25 %, 50 %) to (75 %, 10 %)"),
        (actions.Scroll(at=HERE, dy=0.5), "scroll by (0, 0.5) screens at (25 %, 50 %)"),
        (actions.TypeText(text="你好\n"), r"type '你好\n'"),
        (
            actions.TypeText(text="a", at=Point(0.5, 0.25), clear=True),
            "type 'a' at (50 %, 25 %) in place of what is there",
        ),
        (actions.PressKey(key="back"), "press back"),
        (actions.Hotkey(keys=("control", "c")), "press control+c"),
        (actions.OpenApp(app="Our\nnotes"), "open Our notes"),
        (actions.Goto(url="https://example.org/a\nb"), "go to https://example.org/a b"),
        (actions.NewTab(), "open a new tab"),
        (actions.NewTab(url="https://example.org/"), "open a new tab at https://example.org/"),
        (actions.CloseTab(), "close the tab"),
        (actions.SwitchTab(tab=2), "switch to tab 2"),
        (actions.Wait(duration_s=1.5), "wait 1.5 s"),
        (actions.Answer(text="42"), "answer '42'"),
        (actions.Finish(outcome="infeasible"), "finish: infeasible"),
    ],
)
def test_an_action_is_told_as_people_say_it(action: Action, told: str) -> None:
    assert describe(action) == told


def test_what_an_action_leaves_out_is_what_most_mean() -> None:
    taps = actions.Tap(at=HERE), actions.LongPress(at=HERE), actions.Swipe(start=HERE, end=THERE)
    assert (taps[0].button, taps[1].duration_s, taps[2].duration_s) == ("left", 0.8, 0.3)
    scroll, drag = actions.Scroll(at=HERE), actions.Drag(start=HERE, end=THERE)
    assert (scroll.dx, scroll.dy, drag.duration_s, actions.Wait().duration_s) == (0, 0, 0.8, 1)
    assert (actions.Finish().outcome, actions.Finish().reason) == ("success", "")


@pytest.mark.parametrize(
    "json",
    [
        '{"type": "wait", "duration_s": 0}',
        '{"type": "wait", "duration_s": 3600}',
        '{"type": "scroll", "at": {"x": 0, "y": 0}, "dx": -100, "dy": 100}',
        '{"type": "scroll", "at": {"x": 0, "y": 0}, "dx": 100, "dy": -100}',
    ],
)
def test_an_amount_may_be_as_large_as_its_limit(json: str) -> None:
    ActionAdapter.validate_json(json)


@pytest.mark.parametrize(
    "json",
    [
        '{"type": "wait", "duration_s": -0.1}',
        '{"type": "wait", "duration_s": 3600.1}',
        '{"type": "wait", "duration_s": NaN}',
        '{"type": "wait", "seconds": 1}',
        '{"type": "scroll", "at": {"x": 0, "y": 0}, "dx": 100.1}',
        '{"type": "scroll", "at": {"x": 0, "y": 0}, "dx": -100.1}',
        '{"type": "scroll", "at": {"x": 0, "y": 0}, "dy": 100.1}',
        '{"type": "scroll", "at": {"x": 0, "y": 0}, "dy": -100.1}',
        '{"type": "scroll", "at": {"x": 0, "y": 0}, "dx": NaN}',
        '{"type": "scroll", "at": {"x": 0, "y": 0}, "dy": NaN}',
        '{"type": "hotkey", "keys": []}',
        '{"type": "finish", "outcome": "perhaps"}',
        '{"type": "goto", "url": ""}',
        '{"type": "switch_tab", "tab": -1}',
        '{"type": "pinch"}',
    ],
)
def test_what_no_device_could_do_is_no_action(json: str) -> None:
    with pytest.raises(ValidationError):
        ActionAdapter.validate_json(json)


def test_an_action_never_changes() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        actions.Wait().duration_s = 2


@pytest.mark.parametrize("event", [{"type": "lift"}, {"type": "token"}, {"type": "repeat"}])
def test_an_event_leaves_out_what_its_recorder_did_not_know(event: dict[str, str]) -> None:
    read = TypeAdapter[RawEvent](RawEvent).validate_python(event)
    assert (read.reward, read.instructions) == (0, ())
    assert all(value is None for value in read.model_dump(include={"at", "text", "index"}).values())


def test_typing_is_told_with_its_place_only_where_it_has_one() -> None:
    assert actions.TypeText(text="a").model_dump(mode="json") == {"type": "type_text", "text": "a"}


@pytest.mark.parametrize(
    ("action", "steps"),
    [
        (actions.TypeText(text="a"), (actions.TypeText(text="a"),)),
        (actions.TypeText(text=""), (actions.TypeText(text=""),)),
        (actions.TypeText(text="a\n"), (actions.TypeText(text="a"), actions.PressKey(key="enter"))),
        (actions.TypeText(text="\n"), (actions.PressKey(key="enter"),)),
        (
            actions.TypeText(text="a", at=Point(0.5, 0.25), clear=True),
            (
                actions.Tap(at=Point(0.5, 0.25)),
                actions.Hotkey(keys=("control", "a")),
                actions.PressKey(key="backspace"),
                actions.TypeText(text="a"),
            ),
        ),
    ],
)
def test_typing_consists_of_single_actions(
    action: actions.TypeText, steps: tuple[Action, ...]
) -> None:
    assert typing_steps(action) == steps
