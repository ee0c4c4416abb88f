"""Families that answer with a box get the box of what is touched."""

import pytest

from tapwright.conventions import conventions
from tapwright.conventions.convention import Convention
from tapwright.conventions.grounding import BoxConvention, has_empty_box, read_point, touched_box
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.errors import UngroundedAnswerError

AT = Point(0.41, 0.4)
TAP = Decision(Tap(at=AT), "It is the next one.", "the button")
BOXED = (
    "mobimind-grounder-qwen3", "mobimind-e2e", "cogagent", "glm-4.5v", "os-atlas-base-7b",
    "ui-venus-ground",
)  # fmt: skip


def step() -> Step:
    return Step(FakeDevice().observe(), TAP)


@pytest.mark.parametrize("name", BOXED)
def test_an_answer_has_the_box_of_the_element_and_means_a_place_in_it(name: str) -> None:
    convention, one = conventions.get(name), step()
    assert isinstance(convention, BoxConvention)
    size, box = one.observation.size, touched_box(one)
    assert box is not None
    assert box.contains(AT)
    answer = convention.render_boxed(TAP, size, box)
    assert not has_empty_box(answer)
    assert has_empty_box(convention.render_boxed(TAP, size, None))
    at = read_point(convention, answer, size)
    assert at is not None
    assert at.distance(box.center) < 0.01


@pytest.mark.parametrize("name", ["mobimind-e2e", "cogagent", "glm-4.5v"])
def test_earlier_answers_in_a_prompt_have_their_boxes(name: str) -> None:
    convention = conventions.get(name)
    (text,) = [
        one.text for one in convention.prompt("Go", (step(),), FakeDevice().observe()) if one.text
    ]
    assert not has_empty_box(text)


def test_every_family_that_writes_an_empty_box_takes_a_box() -> None:
    size = FakeDevice().observe().size

    def writes_an_empty_box(convention: Convention) -> bool:
        try:
            return has_empty_box(convention.render(TAP, size))
        except UngroundedAnswerError:
            return False

    for name, convention in conventions.installed():
        if writes_an_empty_box(convention):
            assert isinstance(convention, BoxConvention), name


@pytest.mark.parametrize(
    ("answer", "empty"),
    [
        ('{"bbox_2d": [10, 20, 10, 20], "label": "x"}', True),
        ('{"bbox": [10, 20, 30, 20]}', True),
        ('{"bbox_2d": [10, 20, 30, 40]}', False),
        ("CLICK(box=[[010,020,010,020]], element_info='x')", True),
        ("<|box_start|>(1,2),(1,2)<|box_end|>", True),
        ("<|box_start|>(1,2)<|box_end|>", False),
        ("[5,6,5,6]", True),
        ("click(start_box='(5,6)')", False),
        ('{"start_coords": [1, 2], "end_coords": [1, 2]}', False),
    ],
)
def test_an_empty_box_is_seen_in_every_spelling(answer: str, empty: bool) -> None:
    assert has_empty_box(answer) is empty
