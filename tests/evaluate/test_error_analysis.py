import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.benchmarks.pointing import TargetBox, score_aim
from tapwright.core.geometry import Box, Size
from tapwright.evaluate.error_analysis import (
    NO_LETTER,
    Diagnosis,
    count_confusions,
    diagnose,
    list_letters,
)
from tapwright.evaluate.run_log import SampleInfo, SampleRow

BOX, SIZE = [0.1, 0.5, 0.2, 0.55], (1080, 2400)


def aimed(answer: str) -> SampleRow:
    from pathlib import Path

    target = TargetBox("1", "it", {}, Path(), Size(*SIZE), box=Box(*BOX))
    score = score_aim(target, answer, space="pixel")
    return SampleRow(
        id="1",
        about=SampleInfo(labels={}, cluster="", truth=list(BOX), size=SIZE),
        answer=answer,
        status=score.status,
        score=score.value,
        parsed=score.parsed,
    )


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("(160, 1260)", None),
        ("(150, 525)", "scale error"),
        ("(0.15, 0.52)", "scale error"),
        ("(567, 360)", "swapped axes"),
        ("(160, 1400)", "near miss"),
        ("(1000, 100)", "elsewhere"),
        ("I see nothing", "no place"),
    ],
)
def test_a_miss_has_a_reason(answer: str, why: Diagnosis | None) -> None:
    assert diagnose(aimed(answer)) == why


@given(x=st.integers(0, 1079), y=st.integers(0, 2399))
def test_every_miss_has_a_reason_and_no_hit_has(x: int, y: int) -> None:
    row = aimed(f"({x}, {y})")
    assert (diagnose(row) is None) == (row.score == 1.0)


def test_letters_are_counted_against_what_is_right() -> None:
    rows = [
        SampleRow(
            id=str(number),
            about=SampleInfo(labels={}, cluster="", truth=right),
            status="ok",
            score=0.0 if right != said else 1.0,
            parsed=said,
        )
        for number, (right, said) in enumerate([("A", "A"), ("B", "A"), ("B", None), ("C", "F")])
    ]
    pairs = count_confusions(rows)
    assert pairs["B", "A"] == pairs["B", NO_LETTER] == 1
    assert list_letters(pairs) == ["A", "B", "C", "F", NO_LETTER]
