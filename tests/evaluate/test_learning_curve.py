"""Which runs are points of one learning curve, and in which order."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.evaluate.learning_curve import learning_curves
from tapwright.evaluate.report import write_report
from tapwright.evaluate.run_log import RunHeader, RunLog, SampleInfo, SampleRow


def run_of(
    subject: str, right: int = 1, *, samples: int = 4, data: str = "d", created: str = "1"
) -> RunLog:
    """A run on `samples` samples, of which `right` are right."""
    rows = [
        SampleRow(
            id=str(number),
            about=SampleInfo({"app": "Clock"}, str(number)),
            status="ok",
            score=float(number < right),
        )
        for number in range(samples)
    ]
    header = RunHeader(
        tapwright="0", benchmark="l2", source="", data_sha256=data, subject=subject,
        prompt_sha256="", samples=samples, config={},
    )  # fmt: skip
    return RunLog(Path("run"), header, created, rows)


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


def test_a_checkpoint_without_a_single_answer_is_a_gap_in_the_drawing(tmp_path: Path) -> None:
    runs = [run_of("out/checkpoint-10"), run_of("out/checkpoint-20", 3)]
    runs.append(replace(run_of("out/checkpoint-30"), rows=[]))
    write_report(runs, tmp_path / "report.html")
