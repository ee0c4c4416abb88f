"""What is suspicious about a run is said, whatever its score; and nothing about a sound one."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.conventions.convention import Space
from tapwright.evaluate.misread_answers import UNITS
from tapwright.evaluate.report_data import report_data
from tapwright.evaluate.run_log import RowError, RunLog, SampleInfo, SampleRow
from tapwright.evaluate.run_warnings import run_warnings
from tapwright.evaluate.scoring import plan_of, rescore
from tests.run_logs import run_log

BOX: list[JsonValue] = [0.4, 0.4, 0.6, 0.6]
SIZE = (2000, 1000)


def run_of(
    answers: list[str],
    *,
    convention: str = "",
    space: str = "pixel",
    finish: str = "stop",
    reasoning: str = "",
    box: list[JsonValue] = BOX,
    size: tuple[int, int] = SIZE,
) -> RunLog:
    """A run of one target whose answers are scored as their plan says."""
    plan: dict[str, JsonValue] = {"convention": convention} if convention else {"space": space}
    rows = [
        SampleRow(
            id=str(number),
            about=SampleInfo({}, "one", truth=list(box), instruction="it", size=size),
            status="none",
            answer=answer,
            finish=finish,
            reasoning=reasoning,
        )
        for number, answer in enumerate(answers)
    ]
    log = run_log(rows, subject="any", config={"plan": dict(plan)})
    return rescore(log, plan_of(log))


def test_answers_in_another_unit_are_a_scale_error() -> None:
    (line,) = run_warnings(run_of(["(500, 500)"] * 9 + ["(1000, 500)"]))
    assert line == (
        "9 of 10 answers look like another unit (0-1000?): scale error; they were read as pixels: "
        "--space permille, or a --convention"
    )


@pytest.mark.parametrize(
    ("answer", "unit"), [("(0.5, 0.5)", "fractions, 0-1"), ("(50, 50)", "0-100")]
)
def test_every_unit_is_told_apart(answer: str, unit: str) -> None:
    (line,) = run_warnings(run_of([answer] * 4))
    assert f"4 of 4 answers look like another unit ({unit}?)" in line


def test_a_convention_that_is_not_the_models_is_named() -> None:
    run = run_of(["Action: click(start_box='(1000,500)')"] * 5, convention="ui-tars-1.0")
    (line,) = run_warnings(run)
    assert "5 of 5 answers look like another unit (pixels?)" in line
    assert "the convention ui-tars-1.0: name its own --convention" in line


def test_answers_off_the_picture_are_counted_where_no_unit_fits() -> None:
    (line,) = run_warnings(run_of(["(9000, 9000)", "(1000, 500)"]))
    assert line.startswith("1 of 2 answers are off the picture: scale error?")


def test_a_model_that_only_misses_has_no_scale_error() -> None:
    assert run_warnings(run_of(["(1900, 900)"] * 20 + ["(1000, 500)"])) == []
    # One answer that another unit would make a hit is chance.
    assert run_warnings(run_of(["(500, 500)"] + ["(1900, 900)"] * 9)) == []


def test_empty_and_cut_off_answers_and_reasoning_apart_are_counted() -> None:
    assert run_warnings(run_of([" ", "(1000, 500)"], finish="length", reasoning="so")) == [
        "2 of 2 answers were cut off at the limit of tokens: raise max_tokens, or shorten the "
        "reasoning",
        "2 of 2 answers came with reasoning in a field of its own, which is kept apart and not "
        "read as the answer",
    ]


def test_unread_answers_are_shown_with_what_would_read_them() -> None:
    (line,) = run_warnings(run_of(["I see a button."] * 2 + ["up there"]))
    assert line == (
        "3 of 3 answers could not be read (no place is given), such as 'I see a button.' and "
        "'up there'"
    )
    boxes = ['[{"bbox_2d": [900, 450, 1100, 550], "label": "it"}]'] * 4
    (line,) = run_warnings(run_of(boxes, convention="qwen2.5-vl-computer"))
    assert line.startswith("4 of 4 answers could not be read (")
    assert line.endswith(
        ": --space qwen2.5-vl in place of --convention qwen2.5-vl-computer reads such answers "
        "(4 of those tried are then right)"
    )


def test_every_unit_has_words() -> None:
    assert set(UNITS) == set(get_args(Space))


def test_axes_that_are_exchanged_are_no_other_unit() -> None:
    run = run_of(["(310, 520)"] * 6, convention="", box=[0.50, 0.29, 0.54, 0.33], space="permille")
    (line,) = run_warnings(run)
    assert line.startswith("6 of 6 answers look like [y, x] in place of [x, y] (0-1000)")


def test_places_on_the_picture_as_a_provider_scales_it_name_the_size() -> None:
    # 1000, 500 of 2000x1000 is 758, 379 of the 1516x758 that Claude sees.
    (line,) = run_warnings(run_of(["(1364, 379)"] * 4, box=[0.88, 0.48, 0.92, 0.52]))
    assert "pixels of a smaller picture, as Claude sees it" in line
    assert "--max-pixels 1150000" in line


def test_a_guess_never_names_the_unit_that_the_convention_has() -> None:
    picture = (3000, 2000)  # which the convention scales down
    box: list[JsonValue] = [0.90, 0.48, 0.92, 0.52]
    click = '{"action": "left_click", "coordinate": [2730, 1000]}'
    answer = f'<tool_call>{{"name": "computer_use", "arguments": {click}}}</tool_call>'
    run = run_of([answer] * 4, convention="qwen2.5-vl-computer", box=box, size=picture)
    assert not [line for line in run_warnings(run) if "another unit (pixels?)" in line]


def test_queries_without_an_answer_tell_the_first_cause() -> None:
    run = run_of(["(1000, 500)"] * 3)
    lost = replace(run.rows[0], answer=None, status="failed", score=None,
                   error=RowError("TW402", "the server\nwas away"))  # fmt: skip
    (line,) = run_warnings(replace(run, rows=[*run.rows, lost]))
    assert line == (
        "1 of 4 queries found no server, the first: the server was away: when that is "
        "mended, the same command asks them again"
    )


def test_what_the_queries_of_played_attempts_came_to_is_counted() -> None:
    agent: JsonValue = {"model_calls": 10, "refused": 3, "cut": 1}
    row = SampleRow("one", SampleInfo({}, "one"), "ok", score=0.0, detail={"agent": agent})
    refused, cut = run_warnings(run_log([row], subject="any", config={"device": "phone"}))
    assert refused.startswith("3 of 10 answers decline to answer")
    assert cut.startswith("1 of 10 answers were cut off")


def test_the_report_says_it_too() -> None:
    run = run_of([""] * 3)
    assert report_data([run], [])["warnings"] == ["any on l2: 3 of 3 answers are empty"]


@given(st.lists(st.text(max_size=30), max_size=20))
def test_whatever_a_model_answers_the_scores_stay_as_they_are(answers: list[str]) -> None:
    run = run_of(answers)
    before = [row.score for row in run.rows]
    run_warnings(run)
    assert [row.score for row in run.rows] == before
