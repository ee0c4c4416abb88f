"""The place of one element, requested in any convention."""

import pytest

from tapwright.conventions import conventions
from tapwright.conventions.convention import GroundingConvention
from tapwright.conventions.grounding import grounding_messages, read_point
from tapwright.core.actions import Finish, LongPress, OpenApp, Tap, TypeText
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point
from tapwright.core.messages import Picture
from tapwright.devices.fake import FakeDevice
from tapwright.errors import (
    BadAnswerError,
    UngroundedAnswerError,
    UnsupportedByConventionError,
)

SCREEN = FakeDevice().observe()
JSON = conventions.get("json")


@pytest.mark.parametrize("name", conventions.names())
def test_every_convention_is_asked_for_an_element_on_the_screen(name: str) -> None:
    messages = grounding_messages(conventions.get(name), "the blue Pay button", SCREEN, "I pay")
    assert "the blue Pay button" in "".join(message.text for message in messages)
    assert [
        part.screenshot
        for message in messages
        for part in message.parts
        if isinstance(part, Picture)
    ] == [SCREEN.screenshot]


@pytest.mark.parametrize("name", conventions.names())
def test_a_tap_that_a_convention_writes_is_read_as_its_place(name: str) -> None:
    convention = conventions.get(name)
    try:
        answer = convention.render(Decision(Tap(at=Point(0.25, 0.75)), "", "Pay"), SCREEN.size)
        found = read_point(convention, answer, SCREEN.size)
    except (UngroundedAnswerError, UnsupportedByConventionError):
        assert name == "mobimind-decider"
        return
    assert found is not None
    assert found.distance(Point(0.25, 0.75)) < 0.05


def test_an_agents_convention_gives_the_place_of_whatever_touches_one() -> None:
    assert not isinstance(JSON, GroundingConvention)
    answer = JSON.render(Decision(LongPress(at=Point(0.2, 0.4))), SCREEN.size)
    assert read_point(JSON, answer, SCREEN.size) == Point(0.2, 0.4)


def test_an_agent_that_cannot_do_it_has_found_no_element() -> None:
    answer = JSON.render(Decision(Finish(outcome="infeasible")), SCREEN.size)
    assert read_point(JSON, answer, SCREEN.size) is None


@pytest.mark.parametrize("action", [TypeText(text="1"), OpenApp(app="Pay"), Finish()])
def test_an_action_without_a_place_is_no_answer(action: TypeText | OpenApp | Finish) -> None:
    with pytest.raises(BadAnswerError, match=f"to {action.type}; expected one with a place"):
        read_point(JSON, JSON.render(Decision(action), SCREEN.size), SCREEN.size)


@pytest.mark.parametrize(
    "code",
    [
        "pyautogui.click(x=0.25, y=0.75)\npyautogui.click(x=0.5, y=0.5)",
        "pyautogui.click(x=0.25, y=0.75)\npyautogui.write(message='1')",
    ],
)
def test_of_several_actions_the_first_has_the_place(code: str) -> None:
    assert read_point(conventions.get("aguvis"), code, SCREEN.size) == Point(0.25, 0.75)
