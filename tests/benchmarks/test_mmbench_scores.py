import json
from itertools import permutations
from math import isclose
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.benchmarks.metrics import eqa, l1_scores, l2_scores
from tapwright.errors import UsageError

Row = dict[str, JsonValue]
GOLDEN = Path(__file__).parents[1] / "golden" / "mmbench_gui"
EQA = json.loads((GOLDEN / "eqa.json").read_text("utf-8"))["cases"]
RESULTS = st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=5)


@given(results=RESULTS)
def test_the_permutation_mean_is_the_mean_over_all_orders(results: list[tuple[bool, int]]) -> None:
    found = eqa(results, max_steps=9)
    orders = [eqa(order, max_steps=9) for order in permutations(results)]
    assert found is not None
    assert isclose(found.permutation_mean, fmean(one.exact for one in orders if one is not None))


@given(results=RESULTS)
def test_sampling_errs_by_no_more_than_one_sample(results: list[tuple[bool, int]]) -> None:
    found = eqa(results, max_steps=9)
    assert found is not None
    assert abs(found.sampled - found.exact) <= 1 / 101 + 1e-12


@pytest.mark.parametrize("case", EQA, ids=lambda case: case["name"])
def test_eqa_is_that_of_the_recorded_cases(case: Any) -> None:
    results = [(task["success"], task["steps"]) for task in case["tasks"]]
    found = eqa(results, max_steps=case["t_max"])
    assert found is not None
    assert isclose(found.exact, case["EQA_exact"])
    assert isclose(found.sampled, case["EQA_101"])
    assert isclose(found.per_task, case["per_task_step_variant"])


def test_no_task_has_no_eqa_and_more_steps_than_allowed_are_refused() -> None:
    assert eqa([], max_steps=15) is None
    with pytest.raises(UsageError, match="task 0 took 16 steps; expected 0 to 15"):
        eqa([(True, 16)], max_steps=15)


def test_l1_is_scored_as_the_original_scores_it() -> None:
    golden = json.loads((GOLDEN / "l1_metrics.json").read_text("utf-8"))
    found = l1_scores(golden["rows"])
    assert _close(found.normal, golden["scores_normal"])
    assert _close(found.weighted, golden["scores_weighted"])


def test_an_l1_row_that_failed_is_in_no_score_and_one_that_cannot_be_read_is_wrong() -> None:
    row: Row = {"platform": "os_web", "difficulty": "easy", "options_num": 4, "answer": "A"}
    rows: list[Row] = [row | {"parsed": "A"}, row | {"parsed": None}, row | {"status": "failed"}]
    found = l1_scores(rows)
    assert (found.micro, found.format_errors, found.failures) == (0.5, 1, 1)


def test_l2_counts_every_row_of_a_platform_and_leaves_empty_cells_empty() -> None:
    row: Row = {"platform": "os_web", "grounding_type": "basic", "data_type": "icon"}
    rows = [{**row, "hit": 1}, {**row, "hit": 0}, {**row, "hit": -1}, {**row, "status": "failed"}]
    found = l2_scores(rows)
    expected = {
        "os_web": {
            "Total num": 3,
            "Icon num": 3,
            "Text num": 0,
            "Total accuracy": 100 / 3,
            "Icon accuracy": 100 / 3,
            "Text accuracy": None,
            "Correct num": 1,
            "Wrong num": 1,
            "Error format num": 1,
        },
        "accuracy": 100 / 3,
        "num": 3,
    }
    assert _close(found.table["basic"], expected)
    assert (found.format_errors, found.failures) == (1, 1)


def test_nothing_has_no_score() -> None:
    assert l1_scores([]).micro is None
    assert l2_scores([]).average is None


def _close(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        same = found.keys() == wanted.keys()
        return same and all(_close(found[key], wanted[key]) for key in wanted)
    if found is None or wanted is None:
        return found is wanted
    return isclose(found, wanted)


def test_a_row_without_its_number_of_options_has_no_weight() -> None:
    row: dict[str, JsonValue] = {"platform": "android", "difficulty": "easy", "hit": 1}
    scores = l1_scores([row])
    assert (scores.micro, scores.weighted["total_sample_num"]) == (1, 1)
