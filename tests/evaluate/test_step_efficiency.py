from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.evaluate.run_log import RunLog, SampleInfo, SampleRow
from tapwright.evaluate.step_efficiency import measure_step_efficiency
from tests.run_logs import run_log

RESULTS = st.lists(st.tuples(st.booleans(), st.integers(1, 15)), min_size=1, max_size=30)


def row(place: int, success: bool, steps: int, script: int | None = 4) -> SampleRow:
    return SampleRow(
        id=f"t{place}",
        about=SampleInfo({}, f"t{place}"),
        status="ok",
        score=float(success),
        detail={
            "outcome": "success" if success else "failure",
            "steps": steps,
            "max_steps": 15,
            "solution_steps": script,
            "place": place,
        },
    )


def run(rows: list[SampleRow]) -> RunLog:
    return run_log(rows, benchmark="l3")


@given(RESULTS)
def test_the_area_below_the_curve_is_the_exact_eqa(results: list[tuple[bool, int]]) -> None:
    found = measure_step_efficiency(
        run([row(place, *result) for place, result in enumerate(results)])
    )
    assert found is not None
    corners = [*found.curve, (1.0, found.curve[-1][1])]
    area = sum((right - left) * share for (left, share), (right, _) in pairwise(corners))
    assert area == pytest.approx(found.eqa.exact)
    assert corners[-2][0] <= found.used <= 1


@given(RESULTS, st.randoms())
def test_the_order_in_which_attempts_ended_does_not_count(
    results: list[tuple[bool, int]], chance: Random
) -> None:
    rows = [row(place, *result) for place, result in enumerate(results)]
    mixed = list(rows)
    chance.shuffle(mixed)
    assert measure_step_efficiency(run(mixed)) == measure_step_efficiency(run(rows))


def test_the_papers_example_comes_out_of_a_run() -> None:
    results = [(True, 4), (False, 15), (True, 9), (False, 7), (True, 12)]
    found = measure_step_efficiency(
        run([row(place, *result) for place, result in enumerate(results)])
    )
    assert found is not None
    assert found.eqa.exact == pytest.approx(146 / 375)
    assert found.ratio == pytest.approx((4 + 9 + 12) / 12)


def test_tasks_without_a_script_are_not_compared() -> None:
    found = measure_step_efficiency(run([row(0, True, 8), row(1, True, 8, script=None)]))
    assert found is not None
    assert (found.ratio, found.compared) == (2.0, 1)


def test_a_run_without_played_tasks_has_none() -> None:
    assert measure_step_efficiency(run([])) is None
    assert (
        measure_step_efficiency(
            run([SampleRow(id="q", about=SampleInfo({}, "q"), status="ok", score=1.0)])
        )
        is None
    )
