"""What UI-TARS is shown of the steps before, and how it names one element."""

import pytest

from tapwright.conventions import conventions
from tapwright.conventions.convention import GroundingConvention
from tapwright.conventions.history import DEFAULT_HISTORY
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Step, describe_actions
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Picture
from tapwright.errors import BadAnswerError
from tests.conventions.blank_screens import blank_observation

SIZE = Size(1080, 2400)


@pytest.mark.parametrize("name", ["ui-tars-1.5", "doubao-1.5-ui-tars"])
def test_every_answer_is_kept_and_the_last_five_screens(name: str) -> None:
    convention = conventions.get(name)
    screen = blank_observation(SIZE)
    steps = [Step(screen, Decision(Tap(at=Point(0.5, 0.5)), f"thought {n}")) for n in range(12)]
    messages = DEFAULT_HISTORY.prompt(convention, "do it", steps, screen)
    talk = [one for one in messages if one.role != "system"]
    assert not any(isinstance(part, Picture) for part in talk[0].parts)
    answers = [one.text for one in talk if one.role == "assistant"]
    assert [text.splitlines()[0] for text in answers] == [
        f"Thought: thought {n}" for n in range(12)
    ]
    shown = [isinstance(one.parts[0], Picture) for one in talk]
    assert shown == [False] * 9 + [True, False] * 4 + [True]


@pytest.mark.parametrize(
    ("name", "answer", "place"),
    [
        ("ui-tars-1.0", "(500,250)", Point(0.5, 0.25)),
        ("ui-tars-1.0", "<|box_start|>(500,250)<|box_end|>", Point(0.5, 0.25)),
        ("doubao-1.5-ui-tars", "<point>500 250</point>", Point(0.5, 0.25)),
        ("doubao-1.5-ui-tars", "Action: click(point='<point>500 250</point>')", Point(0.5, 0.25)),
        ("ui-tars-1.0", "[400, 200, 600, 300]", Point(0.5, 0.25)),
    ],
)
def test_a_point_is_read_bare_or_in_a_call(name: str, answer: str, place: Point) -> None:
    convention = conventions.get(name)
    assert isinstance(convention, GroundingConvention)
    assert convention.parse_point(answer, SIZE) == place


def test_an_answer_without_a_place_is_no_point() -> None:
    convention = conventions.get("ui-tars-1.5")
    assert isinstance(convention, GroundingConvention)
    with pytest.raises(BadAnswerError, match="expected one with a place"):
        convention.parse_point("Action: wait()", SIZE)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("release(key='ctrl')", "let control go"),
        ("keydown(key='shift')", "press shift down"),
        (
            "keydown(key='shift')\n\nclick(start_box='(966,546)')\n\nkeyup(key='shift')",
            "tap at (89 %, 23 %) with shift held",
        ),
    ],
)
def test_a_key_is_held_until_it_is_let_go_of(answer: str, told: str) -> None:
    decision = conventions.get("ui-tars-1.5-computer").parse(f"Action: {answer}", SIZE)
    assert describe_actions(decision.actions) == told
