from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.benchmarks.answers import Parser
from tapwright.benchmarks.metrics import (
    cell,
    cluster_bootstrap,
    distances,
    l1_rows,
    l1_scores,
    l2_rows,
    l2_scores,
    label,
    macro,
    seed_cell,
    step_counts,
    table,
    wilson,
)
from tapwright.models.query_endings import QueryEnding, query_ending

PARSERS: tuple[Parser, ...] = ("robust", "seed")


@dataclass(frozen=True)
class Result:
    score: float | None
    status: str = "ok"
    cluster: str = "one"
    labels: Mapping[str, str] = field(default_factory=dict)
    detail: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def ending(self) -> QueryEnding:
        if self.status == "failed":
            return "failed"
        declines = self.detail.get("refused") is True
        return query_ending("so", "", is_read=self.status == "ok", declines=declines)


@given(st.data(), st.integers(1, 500))
def test_wilsons_interval_holds_the_share_and_stays_in_range(data: st.DataObject, n: int) -> None:
    hits = data.draw(st.integers(0, n))
    found = wilson(hits, n)
    assert found is not None
    assert 0 <= found.low <= hits / n + 1e-12
    assert hits / n - 1e-12 <= found.high <= 1
    assert (found.low == 0, found.high == 1) == (hits == 0, hits == n)


@given(st.lists(st.sampled_from([None, 0.0, 1.0])))
def test_no_number_is_ever_nan(scores: list[float | None]) -> None:
    rows = [Result(score, cluster=str(number % 3)) for number, score in enumerate(scores)]
    entry, interval = cell(rows), cluster_bootstrap(rows, resamples=20)
    for value in (entry.value, interval.low if interval else None):
        assert value is None or isfinite(value)


def test_wilsons_interval_is_the_published_one() -> None:
    # Newcombe 1998, Statistics in Medicine 17, table I: 81 of 263 and 0 of 20.
    found, empty = wilson(81, 263), wilson(0, 20)
    assert found is not None
    assert empty is not None
    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert (empty.low, empty.high) == pytest.approx((0.0, 0.1611), abs=5e-5)


def test_failures_are_left_out_and_format_errors_are_wrong() -> None:
    rows = [Result(1.0), Result(0.0, "none"), Result(None, "failed"), Result(0.0)]
    entry = cell(rows)
    assert (entry.n, entry.value, entry.format_errors, entry.failures) == (3, 1 / 3, 1, 1)


def test_an_empty_cell_has_no_value() -> None:
    assert cell([]).value is None
    assert cell([]).interval is None
    assert macro({}) is None
    assert cluster_bootstrap([Result(None, "failed")]) is None
    assert step_counts([]).mean is None


def test_one_cluster_alone_has_no_interval_by_clusters() -> None:
    assert cluster_bootstrap([Result(1.0, cluster="a"), Result(0.0, cluster="a")]) is None


def test_micro_and_macro_differ_where_groups_do() -> None:
    rows = [Result(1.0, labels={"app": "a"})] * 9 + [Result(0.0, labels={"app": "b"})]
    cells = table(rows, label("app"))
    assert cell(rows).value == 0.9
    assert macro(cells) == 0.5


def test_dependent_rows_widen_the_interval() -> None:
    together = [Result(float(n // 10 % 2), cluster=str(n // 10)) for n in range(100)]
    apart = [Result(float(n % 2), cluster=str(n)) for n in range(100)]
    wide, narrow = cluster_bootstrap(together), cluster_bootstrap(apart)
    assert wide is not None
    assert narrow is not None
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
    assert cluster_bootstrap(apart) == narrow


def test_refusals_are_wrong_and_counted_apart_from_format_errors() -> None:
    rows = [Result(0.0, "none", detail={"refused": True}), Result(0.0, "none"), Result(1.0)]
    entry = cell(rows)
    assert (entry.n, entry.value, entry.format_errors, entry.refusals) == (3, 1 / 3, 1, 1)


def test_the_seeds_reading_stands_beside_ours() -> None:
    hits = [1, 0, -1]
    rows = [
        *(Result(1.0, detail={"seed": hit}) for hit in hits),
        Result(1.0),
        Result(None, "failed"),
    ]
    ours, seeds = cell(rows), seed_cell(rows)
    assert (ours.n, ours.value) == (4, 1.0)
    assert (seeds.n, seeds.value, seeds.format_errors, seeds.failures) == (3, 1 / 3, 1, 1)
    assert seed_cell([]).value is None


def test_distances_are_of_the_rows_that_have_one() -> None:
    rows = [
        Result(1.0, detail={"distance": 0.1, "box_distance": 0.5}),
        Result(0.0, detail={"distance": 0.4}),
        Result(0.0, "none"),
    ]
    found = distances(rows)
    assert (found.n, found.median, found.box_median) == (2, 0.25, 0.5)
    assert distances([]).mean is None


def test_the_rows_of_a_run_are_scored_as_published_by_either_parser() -> None:
    about = {"platform": "os_web", "difficulty": "easy"}
    rows = [
        Result(1.0, labels=about, detail={"seed": 0, "options_num": 4}),
        Result(0.0, "none", labels=about, detail={"seed": -1, "options_num": 4}),
        Result(None, "failed", labels=about),
    ]
    ours, seeds = (l1_scores(l1_rows(rows, parser=name)) for name in PARSERS)
    assert (ours.micro, ours.format_errors, ours.failures) == (0.5, 1, 1)
    assert (seeds.micro, seeds.format_errors, seeds.failures) == (0.0, 1, 1)


def test_the_rows_of_a_run_on_l2_are_scored_as_published_by_either_parser() -> None:
    about = {"platform": "os_web", "grounding_type": "basic", "data_type": "icon"}
    rows = [Result(1.0, labels=about, detail={"seed": -1}), Result(0.0, "none", labels=about)]
    ours, seeds = (l2_scores(l2_rows(rows, parser=name)) for name in PARSERS)
    assert (ours.micro, ours.format_errors) == (50.0, 1)
    assert (seeds.micro, seeds.format_errors) == (0.0, 2)


def test_a_point_off_the_picture_is_wrong_on_l2_and_no_format_error() -> None:
    about = {"platform": "os_web", "grounding_type": "basic", "data_type": "icon"}
    rows = [
        Result(1.0, labels=about),
        Result(0.0, "none", labels=about),
        Result(0.0, "out_of_range", labels=about),
        Result(0.0, labels=about),
    ]
    found = l2_scores(l2_rows(rows))
    assert (found.micro, found.format_errors) == (25.0, 1)
