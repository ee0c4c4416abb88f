import json
import time
from pathlib import Path
from typing import Any, Literal, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.benchmarks.answers import AnswerStatus, Parser, parse_option, parse_point
from tapwright.benchmarks.point_reader import read_places
from tapwright.conventions import conventions
from tapwright.conventions.convention import Space
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size, from_pixel
from tests.benchmarks.answer_cases import LETTERS, OPTIONS, PLACES, SIZE

NAMES_ONLY = "mobimind-decider"  # which describes what it means and gives no place
GOLDEN = Path(__file__).parents[1] / "golden" / "mmbench_gui" / "answers.json"
SPACES: dict[str, Space] = {
    "px": "pixel", "rel1": "fraction", "rel1000": "permille", "percent": "percent",
}  # fmt: skip


@given(st.text(), st.sampled_from(get_args(Space)))
def test_any_text_is_read_without_an_error(text: str, space: Space) -> None:
    assert (parse_option(text, "ABCD").letter is None) == (
        parse_option(text, "ABCD").status != "ok"
    )
    assert (parse_point(text, SIZE, space=space).point is None) == (
        parse_point(text, SIZE, space=space).status != "ok"
    )


@given(st.integers(0, 1079), st.integers(0, 2399))
def test_a_pixel_means_its_centre(x: int, y: int) -> None:
    found = parse_point(f"({x}, {y})", SIZE, space="pixel")
    assert found.point == from_pixel(x, y, SIZE)


CASES = json.loads(GOLDEN.read_text("utf-8"))


@pytest.mark.parametrize("case", CASES["L1"], ids=lambda case: case["id"])
def test_the_letter_of_a_recorded_answer_is_the_one_that_a_reader_takes(case: Any) -> None:
    assert parse_option(case["response"], case["options"]).letter == case["truth"]


@pytest.mark.parametrize("case", CASES["L2"], ids=lambda case: case["id"])
def test_the_point_of_a_recorded_answer_is_the_one_that_a_reader_takes(case: Any) -> None:
    found = parse_point(case["response"], Size(*case["image_size"]), space=SPACES[case["unit"]])
    truth = case["truth_norm"]
    if truth is None:
        assert found.status == "none"
    elif min(truth) < 0:
        assert found.status == "out_of_range"
    else:
        assert found.point is not None
        assert found.point.distance(Point(*truth)) < 0.002


@pytest.mark.parametrize(("text", "letter"), LETTERS)
def test_the_last_letter_that_is_committed_to_counts(text: str, letter: str | None) -> None:
    assert parse_option(text, OPTIONS).letter == letter


@pytest.mark.parametrize("said", ["E", "E. None of the above", "None of the above"])
def test_none_of_the_above_is_a_choice_where_it_is_on_offer(said: str) -> None:
    options = {"A": "Drive C", "B": "Drive D", "E": "None of the above"}
    assert parse_option(said, options).letter == "E"


@pytest.mark.parametrize(
    "said", ["B: No", "B. No", "(B) No", "B - No", "B) no", "B No", "The answer is B: No"]
)
def test_an_option_that_says_no_is_no_rejection(said: str) -> None:
    assert parse_option(said, {"A": "Yes", "B": "No"}).letter == "B"


@pytest.mark.parametrize(("text", "place"), PLACES)
def test_the_last_place_that_is_committed_to_counts(
    text: str, place: tuple[float, float] | None
) -> None:
    found = [one.point for one in read_places(text)]
    assert found == ([] if place is None else [place])


@given(
    x=st.integers(0, 99_999).map(str) | st.floats(0, 1).map("{:.6f}".format),
    y=st.integers(0, 99_999).map(str) | st.floats(0, 1).map("{:.6f}".format),
    form=st.sampled_from(
        [
            "({}, {})", "[{},{}]", "{}, {}", "x={}, y={}", "click({}, {})", "left_click({},{})",
            "pyautogui.click(x={}, y={})", '{{"x": {}, "y": {}}}', "<point>{} {}</point>",
            "<click>{}, {}</click>", "<coordinate>[{}, {}]</coordinate>",
        ]
    ),
)  # fmt: skip
def test_the_usual_forms_are_read_alike_with_and_without_much_room(
    x: str, y: str, form: str
) -> None:
    said = form.format(x, y)
    (near,), (far,) = read_places(said), read_places(said + "\n" * 80)
    assert near.numbers == far.numbers == (float(x), float(y))


# To who reads any answer, `box_2d` is Gemini's, whose numbers have y first; GLM's has x first, and
# is read by its own convention.
OTHER_ORDER = ("glm-4.1v", "glm-4.5v")


@pytest.mark.parametrize(
    "name", [name for name in conventions.names() if name not in (NAMES_ONLY, *OTHER_ORDER)]
)
@settings(max_examples=30)
@given(x=st.floats(0, 0.999), y=st.floats(0, 0.999))
def test_a_place_is_read_from_what_a_model_of_any_convention_says(
    name: str, x: float, y: float
) -> None:
    said = conventions.get(name).render(Decision(Tap(at=Point(x, y)), "The row is there."), SIZE)
    found = parse_point(said, SIZE, space=name)
    assert found.point is not None
    # These write two decimals.
    assert found.point.distance(Point(x, y)) < (
        0.008 if name in ("fuyu", "seeclick", "showui", "tongui") else 0.003
    )


@pytest.mark.parametrize(("text", "letter"), [("Based on it, C", "B"), ("answer：C", "C")])
def test_the_seed_takes_the_first_letter_that_its_patterns_find(text: str, letter: str) -> None:
    assert parse_option(text, "ABCD", parser="seed").letter == letter


@given(
    x=st.floats(-2, 3000, allow_nan=False),
    y=st.floats(-2, 3000, allow_nan=False),
    form=st.sampled_from(["({}, {})", "x={}, y={}", "click at {};{}", "{} {}"]),
)
def test_the_seed_guesses_the_unit_from_the_numbers(x: float, y: float, form: str) -> None:
    found = parse_point(form.format(f"{x:f}", f"{y:f}"), SIZE, space="permille", parser="seed")
    x, y = float(f"{x:f}"), float(f"{y:f}")
    if not (0 <= x <= 1 and 0 <= y <= 1):
        x, y = x / SIZE.width, y / SIZE.height
    expected = Point(x, y) if 0 <= x <= 1 and 0 <= y <= 1 else None
    assert found.point == expected


_ANY_SCRIPT = st.text(
    st.sampled_from("12.9٣४５-+,;xXyY=:([{)]} \t\n\v\x1c\x85\xa0\u2003\u2028\u3000\u200b²答a"),
    max_size=30,
)


@given(before=_ANY_SCRIPT, after=_ANY_SCRIPT)
def test_the_seed_reads_blanks_and_digits_of_any_script_in_long_answers_too(
    before: str, after: str
) -> None:
    text = f"{before}1,2{after}"
    short = parse_point(text, SIZE, space="pixel", parser="seed")
    long = parse_point(text + "~" * 70, SIZE, space="pixel", parser="seed")
    assert (long.numbers, long.span) == (short.numbers, short.span)


@pytest.mark.parametrize(
    ("text", "letter"),
    [("B", "B"), (" b\n", "B"), ("B.", "B"), ("(B)", "B"), ("B)", "B"), ("Answer: B", "B"),
     ("It is the second.\nAnswer: B.", "B"), ("answer：(C)", "C"), ("Final answer: C", "C")],
)  # fmt: skip
def test_a_letter_is_read(text: str, letter: str) -> None:
    assert parse_option(text, "ABCD").letter == letter


@pytest.mark.parametrize(
    ("text", "status"),
    [("", "none"), ("Because of that", "none"), ("A cat", "none"), ("E", "out_of_range"),
     ("A or B", "ambiguous"), ("A, C", "ambiguous"),
     ("Failed to obtain answer via API.", "none")],
)  # fmt: skip
def test_what_is_no_letter_gets_a_status(text: str, status: AnswerStatus) -> None:
    assert parse_option(text, "ABCD").status == status


@pytest.mark.parametrize(
    ("text", "space", "point"),
    [("(0.25, 0.5)", "fraction", Point(0.25, 0.5)), ("[250,500]", "permille", Point(0.25, 0.5)),
     ("click(25, 50)", "percent", Point(0.25, 0.5)), ("(1, 1)", "fraction", Point(1, 1)),
     ("(540.9, 0.2)", "pixel", from_pixel(540, 0, SIZE))],
)  # fmt: skip
def test_a_point_is_read_in_the_declared_unit(text: str, space: Space, point: Point) -> None:
    assert parse_point(text, SIZE, space=space).point == point


@pytest.mark.parametrize(
    ("text", "space", "status"),
    [("nowhere", "pixel", "none"), ("(1080, 5)", "pixel", "out_of_range"),
     ("(-1, -1)", "pixel", "none"), ("(0.2, 1.1)", "fraction", "out_of_range"),
     ("(1, 2) or (3, 4)", "pixel", "ambiguous"), ("(1,", "pixel", "none"),
     ("(1, 2) is (1,2)", "pixel", "ok"), ("(1, 2]", "pixel", "ok")],
)  # fmt: skip
def test_what_is_no_point_gets_a_status(
    text: str, space: Literal["pixel", "fraction"], status: AnswerStatus
) -> None:
    assert parse_point(text, SIZE, space=space).status == status


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("I cannot determine the answer from this screenshot.", True),
        ("None of the options is correct.", True),
        ("I’m sorry, as an AI I can’t view images.", True),
        ("The element isn't visible here.", True),
        ("页面上找不到这个按钮", True),
        ("(-1, -1)", True),
        ("computer_use.terminate(status='failure')", True),
        ("This is a settings page with a list of items.", False),
        ("Failed to obtain answer via API.", False),
        ("<think>there is no such button</think>", False),
        ("", False),
        ("nan", False),
    ],
)
def test_a_refusal_is_told_from_an_answer_that_cannot_be_read(text: str, refused: bool) -> None:
    for found in (parse_option(text, "ABCD"), parse_point(text, SIZE, space="pixel")):
        assert (found.status, found.kind == "refusal") == ("none", refused)


@pytest.mark.parametrize("parser", get_args(Parser))
@pytest.mark.parametrize(
    "text",
    ["(" + " " * 300_000, "(1" * 150_000, "9" * 300_000, "A, " * 90_000, "Answer" + " " * 300_000,
     "no " * 100_000, "A" + " " * 300_000],
    ids=range(7),
)  # fmt: skip
def test_a_degenerate_answer_takes_no_longer_than_its_length(text: str, parser: Parser) -> None:
    began = time.process_time()
    parse_point(text, SIZE, space="pixel", parser=parser)
    parse_option(text, "ABCD", parser=parser)
    assert time.process_time() - began < 10
