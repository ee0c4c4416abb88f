"""Which runs are points of one learning curve, and in which order."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.evaluate.learning_curve import learning_curves
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.report import write_report
from tapwright.evaluate.run_log import RunLog, SampleInfo, SampleRow
from tapwright.models.pricing import Price
from tests.run_logs import run_log


def run_of(
    subject: str,
    right: int = 1,
    *,
    samples: int = 4,
    data: str = "d",
    prompt: str = "p",
    plan: RunPlan | None = None,
    model: dict[str, JsonValue] | None = None,
    created: str = "1",
) -> RunLog:
    """A run on `samples` samples, of which `right` are right, with a header as `evaluate` has."""
    rows = [
        SampleRow(
            id=str(number),
            about=SampleInfo({"app": "Clock"}, str(number)),
            status="ok",
            score=float(number < right),
        )
        for number in range(samples)
    ]
    return run_log(
        rows, created=created, data_sha256=data, subject=subject, prompt_sha256=prompt,
        config={
            "spec": subject,
            "plan": (plan or RunPlan()).model_dump(mode="json"),
            "model": {"base_url": subject, "temperature": 0.0, **(model or {})},
        },
    )  # fmt: skip


@given(steps=st.lists(st.integers(0, 10**6), unique=True, min_size=2), chance=st.randoms())
def test_a_curve_goes_by_the_number_of_steps_in_whatever_order_runs_are_given(
    steps: list[int], chance: random.Random
) -> None:
    runs = [run_of(f"transformers/out/checkpoint-{one}") for one in steps]
    chance.shuffle(runs)
    (curve,) = learning_curves(runs)
    assert curve.model == "transformers/out"
    assert [at for at, _ in curve.points] == sorted(steps)


def test_points_of_a_curve_are_measured_alike() -> None:
    model = "transformers/out/checkpoint-"
    runs = [run_of(f"{model}{steps}") for steps in (10, 20)]
    others = [
        run_of(f"{model}30", samples=8),
        run_of(f"{model}30", data="other"),
        run_of(f"{model}30 with blank pictures"),
        run_of("transformers/else/checkpoint-30"),
        run_of("transformers/out"),
    ]
    (curve,) = learning_curves([*runs, *others])
    assert [at for at, _ in curve.points] == [10, 20]
    blank = run_of(f"{model}10 with blank pictures")
    models = [one.model for one in learning_curves([*runs, *others, blank])]
    assert models == ["transformers/out", "transformers/out with blank pictures"]


@pytest.mark.parametrize(
    "other",
    [
        {"prompt": "other words"},
        {"plan": RunPlan(max_pixels=57_000)},
        {"plan": RunPlan(max_side=1000)},
        {"plan": RunPlan(space="permille")},
        {"plan": RunPlan(sample=4, seed=1)},
        {"plan": RunPlan(control="blank")},
        {"plan": RunPlan(system="model_default")},
        {"model": {"temperature": 1.0}},
    ],
    ids=str,
)
def test_runs_that_asked_in_different_ways_are_of_two_curves(other: dict[str, Any]) -> None:
    here, there = ([run_of(f"out/checkpoint-{at}", **how) for at in (1, 2)] for how in ({}, other))
    assert learning_curves([here[0], there[1]]) == []
    curves = learning_curves([*here, *there])
    assert [[at for at, _ in curve.points] for curve in curves] == [[1, 2], [1, 2]]


def test_a_price_and_where_a_model_ran_make_no_curve_of_their_own() -> None:
    paid = RunPlan(price=Price(input=1, output=2))
    server: dict[str, JsonValue] = {"batch": 8, "device": "cuda", "torch": "2.13.0"}
    runs = [run_of("out/checkpoint-1"), run_of("out/checkpoint-2", plan=paid, model=server)]
    assert [[at for at, _ in curve.points] for curve in learning_curves(runs)] == [[1, 2]]


def test_a_run_that_is_not_complete_is_no_point_and_replaces_none() -> None:
    runs = [run_of(f"out/checkpoint-{at}") for at in (10, 20, 30)]
    runs[2] = replace(runs[2], rows=runs[2].rows[:-1])
    again = run_of("out/checkpoint-20", 3, created="2")
    again = replace(again, rows=[replace(again.rows[0], status="failed"), *again.rows[1:]])
    (curve,) = learning_curves([*runs, again])
    assert [(at, one.value) for at, one in curve.points] == [(10, 0.25), (20, 0.25)]


def test_of_two_runs_of_a_checkpoint_the_later_one_counts() -> None:
    first, again = (
        run_of("out/checkpoint-10", right, created=created)
        for right, created in ((1, "2026-01-01"), (3, "2026-01-02"))
    )
    (curve,) = learning_curves([again, first, run_of("out/checkpoint-20")])
    assert curve.points[0][1].value == pytest.approx(0.75)


def test_one_checkpoint_is_no_curve_and_a_report_draws_two(tmp_path: Path) -> None:
    one, two = run_of("out/checkpoint-10"), run_of("out/checkpoint-20", 3)
    write_report([one], tmp_path / "one.html")
    assert "Learning curve" not in (tmp_path / "one.html").read_text("utf-8")
    figures = json.loads(write_report([two, one], tmp_path / "two.html").read_text("utf-8"))
    (curve,) = figures["levels"][0]["learning"]
    assert [(point["steps"], point["value"]) for point in curve["points"]] == [
        (10, 0.25),
        (20, 0.75),
    ]
    assert "Learning curve" in (tmp_path / "two.html").read_text("utf-8")


def test_a_checkpoint_without_a_single_score_is_a_gap_in_the_drawing(tmp_path: Path) -> None:
    runs = [run_of("out/checkpoint-10"), run_of("out/checkpoint-20", 3)]
    last = run_of("out/checkpoint-30")
    runs.append(replace(last, rows=[replace(row, score=None) for row in last.rows]))
    write_report(runs, tmp_path / "report.html")
