import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.benchmark import Score, StaticSample
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.benchmarks.pointing import AbsentTarget, TargetBox, TargetOutline, bounding_box
from tapwright.benchmarks.static_benchmark import StaticBenchmark
from tapwright.benchmarks.stepwise import Stepwise
from tapwright.benchmarks.understanding import UnderstandingBenchmark
from tapwright.core.episode import Episode
from tapwright.core.geometry import Point, Size
from tapwright.errors import UnknownNameError, UsageError
from tapwright.evaluate.errors import HookError, RunLogError
from tapwright.evaluate.hooks import ReadingHooks
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import SampleRow, read_run, write_run
from tapwright.evaluate.scoring import judge_answer, rescore, sample_info, sample_of_row
from tapwright.models.scripted import ScriptedModel
from tapwright.store.store import EpisodeStore

S = TypeVar("S", bound=StaticSample)
GOLDEN = Path(__file__).parents[1] / "golden" / "mmbench_gui" / "answers.json"
SAID = [str(one["response"]) for one in json.loads(GOLDEN.read_text("utf-8"))["L1"]]


@pytest.fixture
def data(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "own")
    return tmp_path / "own"


def scores_alike(benchmark: StaticBenchmark[S], text: str) -> None:
    sample = benchmark.samples()[0]
    known = sample_of_row(
        SampleRow(id=sample.id, about=sample_info(sample, 1, benchmark), status="none")
    )
    assert known is not None
    expected = benchmark.score(sample, text, space="permille")
    assert judge_answer(known, text, space="permille", parser="robust") == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(text=st.sampled_from(SAID) | st.text(max_size=30))
def test_a_log_alone_scores_as_the_benchmark_does(data: Path, text: str) -> None:
    scores_alike(UnderstandingBenchmark(data), text)
    scores_alike(GroundingBenchmark(data), text)


def test_outlines_and_what_is_absent_are_recalled_from_their_rows(data: Path) -> None:
    benchmark = GroundingBenchmark(data)
    corners = (Point(0.1, 0.1), Point(0.5, 0.1), Point(0.1, 0.5))
    common = ("1", "the corner", {"app": "x"}, Path(), Size(10, 10))
    for sample in (
        TargetOutline(*common, box=bounding_box(corners), corners=corners),
        AbsentTarget(*common),
    ):
        row = SampleRow(id="1", about=sample_info(sample, 1, benchmark), status="none")
        assert sample_of_row(row) == sample


class NearEnough(GroundingBenchmark):
    """Elements as ours, of which a place left of the middle is half right."""

    def score(self, sample: TargetBox, answer: str, *, space: str) -> Score:
        return Score(0.5, "ok", [answer, space]) if answer else Score(0.0, "none")


def test_the_score_of_a_benchmark_that_has_its_own_wins(data: Path, tmp_path: Path) -> None:
    benchmark, plan = NearEnough(data), RunPlan(space="fraction")
    model = ScriptedModel(["(0.9, 0.9)"])
    run = asyncio.run(evaluate(benchmark, model, tmp_path / "run", plan))
    assert {row.score for row in run.rows} == {0.5}
    assert run.rows[0].parsed == ["(0.9, 0.9)", "fraction"]
    assert rescore(run, plan, benchmark).rows == run.rows
    with pytest.raises(UsageError, match="all that its score needs"):
        rescore(run, plan)
    seed = plan.model_copy(update={"parser": "seed"})
    with pytest.raises(UsageError, match="reads answers itself"):
        rescore(run, seed, benchmark)


def read_again(benchmark: StaticBenchmark[S], out: Path) -> None:
    answers = ["B", "(100, 100)", "no idea", "C or D", '{"x": 40, "y": 90}']
    plan = RunPlan(epochs=2, shuffle_options=True)
    run = asyncio.run(evaluate(benchmark, ScriptedModel(answers), out, plan))
    assert rescore(run, plan).rows == run.rows
    assert len({row.key for row in run.rows}) == 2 * len(benchmark.samples())


def test_reading_again_under_the_same_plan_changes_nothing(data: Path, tmp_path: Path) -> None:
    read_again(UnderstandingBenchmark(data), tmp_path / "l1")
    read_again(GroundingBenchmark(data), tmp_path / "l2")


def test_the_seeds_parser_reads_what_it_reads(data: Path, tmp_path: Path) -> None:
    plan = RunPlan(limit=1)
    model = ScriptedModel(["Based on the title, I choose option C"])
    run = asyncio.run(evaluate(UnderstandingBenchmark(data), model, tmp_path / "run", plan))
    (seed,) = rescore(run, plan.model_copy(update={"parser": "seed"})).rows
    assert (run.rows[0].parsed, seed.parsed) == ("C", "C")
    again = rescore(
        replace(run, rows=tuple(replace(row, answer="Based on it: (C)") for row in run.rows)),
        plan.model_copy(update={"parser": "seed"}),
    )
    assert again.rows[0].parsed == "B"  # the first letter of a line that begins with one


def test_another_unit_reads_the_same_numbers_elsewhere(data: Path, tmp_path: Path) -> None:
    plan = RunPlan(limit=1, space="permille")
    model = ScriptedModel(["(500, 250)"])
    run = asyncio.run(evaluate(GroundingBenchmark(data), model, tmp_path / "run", plan))
    assert run.rows[0].parsed == [0.5, 0.25]
    (row,) = rescore(run, plan.model_copy(update={"space": "pixel"})).rows
    assert row.status == "out_of_range"
    with pytest.raises(UnknownNameError):
        rescore(run, RunPlan(space="inches"))


def test_a_run_that_was_read_again_is_a_run(data: Path, tmp_path: Path) -> None:
    run = asyncio.run(
        evaluate(UnderstandingBenchmark(data), ScriptedModel(["A"]), tmp_path / "run")
    )
    again = rescore(run, RunPlan(parser="seed"))
    write_run(again, tmp_path / "again")
    found = read_run(tmp_path / "again")
    assert (found.rows, found.header) == (again.rows, again.header)
    with pytest.raises(RunLogError, match="there is a run already"):
        write_run(again, tmp_path / "again")


def test_half_an_emoji_survives_the_log(data: Path, tmp_path: Path) -> None:
    answer = "A \ud83d"
    plan = RunPlan(limit=1)
    asyncio.run(
        evaluate(UnderstandingBenchmark(data), ScriptedModel([answer]), tmp_path / "run", plan)
    )
    assert read_run(tmp_path / "run").rows[0].answer == answer


def test_a_function_of_ones_own_may_read_the_answers_again(data: Path, tmp_path: Path) -> None:
    plan = RunPlan(limit=1)
    model = ScriptedModel(["somewhere"])
    run = asyncio.run(evaluate(GroundingBenchmark(data), model, tmp_path / "run", plan))
    assert run.rows[0].status == "none"
    own = RunPlan(parse="tests.evaluate.own_hooks.parse_middle")
    hooks = ReadingHooks.load(own.postprocess, own.parse)
    (row,) = rescore(run, own, hooks=hooks).rows
    assert row.status == "ok"
    with pytest.raises(HookError, match="given is none"):
        rescore(run, own)
    with pytest.raises(HookError, match="given is tests"):
        rescore(run, plan, hooks=hooks)
    assert row.parsed == pytest.approx([0.5, 0.5], abs=0.01)


def test_a_parser_that_cannot_read_the_answers_is_refused_before_anything_is_asked(
    episodes: list[Episode], tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path / "store")
    for episode in episodes:
        store.write(episode)
    steps = benchmarks.get("steps-qwen")(str(store.root))
    assert isinstance(steps, Stepwise)
    model = ScriptedModel(["A"])
    with pytest.raises(UsageError, match="reads letters and places only"):
        asyncio.run(evaluate(steps, model, tmp_path / "run", RunPlan(parser="seed")))
    assert model.requests == []
    run = asyncio.run(evaluate(steps, model, tmp_path / "run", RunPlan(limit=2)))
    with pytest.raises(UsageError, match="does not hold all"):
        rescore(run, RunPlan())
    assert rescore(run, RunPlan(), steps).rows == run.rows
