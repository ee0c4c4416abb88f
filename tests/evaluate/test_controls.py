"""What a score measures: the same questions with other pictures, or answered by words alone."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.benchmarks.understanding import UnderstandingBenchmark
from tapwright.core.episode import Episode
from tapwright.core.messages import Message, Picture
from tapwright.errors import UsageError
from tapwright.evaluate.combination import RunCombination
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.report_data import report_data
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import RunLog
from tapwright.models.scripted import ScriptedModel
from tapwright.models.words import WordsModel
from tapwright.workflows.evaluate import run_benchmark
from tapwright.workflows.host import HostConfig


@pytest.fixture
def bench(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "bench", by_heart=1, per_screen=20)
    return tmp_path / "bench"


def sent(model: ScriptedModel) -> list[str]:
    """The hash of the picture of each request."""
    return [hash_of(messages) for messages in model.requests]


def hash_of(messages: tuple[Message, ...]) -> str:
    (picture,) = (part for one in messages for part in one.parts if isinstance(part, Picture))
    return picture.screenshot.sha256


def run(bench: Path, out: Path, control: str) -> tuple[RunLog, ScriptedModel]:
    model = ScriptedModel(["(1,1)"])
    plan = RunPlan.model_validate({"control": control})
    benchmark = GroundingBenchmark(bench)
    return asyncio.run(evaluate(benchmark, model, out, plan, concurrency=1)), model


def test_a_control_sends_other_pictures_and_says_so_beside_the_score(
    bench: Path, tmp_path: Path
) -> None:
    own, model = run(bench, tmp_path / "own", "")
    blank, blanks = run(bench, tmp_path / "blank", "blank")
    swapped, others = run(bench, tmp_path / "swapped", "swapped")
    assert len(set(sent(model))) > 1
    assert len(set(sent(blanks))) == 1
    assert set(sent(others)) == set(sent(model))
    assert all(one != other for one, other in zip(sent(model), sent(others), strict=True))
    assert [row.about.instruction for row in own.rows] == [
        row.about.instruction for row in swapped.rows
    ]
    subjects = ["", " with blank pictures", " with other samples' pictures"]
    for log, words in zip((own, blank, swapped), subjects, strict=True):
        assert log.header.subject == f"scripted{words}"
    told = json.dumps(report_data([own, blank, swapped], []))
    assert all(f'"subject": "scripted{words}"' in told for words in subjects)


def test_a_control_continues_as_the_run_that_it_is(bench: Path, tmp_path: Path) -> None:
    run(bench, tmp_path / "run", "swapped")
    again, model = run(bench, tmp_path / "run", "swapped")
    assert again.complete
    assert not model.requests


def test_a_picture_without_another_of_its_size_cannot_be_swapped(bench: Path) -> None:
    benchmark = GroundingBenchmark(bench)
    benchmark._samples = [one for one in benchmark.samples() if one.picture.name[0] < "1"] or [
        benchmark.samples()[0]
    ]
    with pytest.raises(BadBenchmarkError, match="no other picture"):
        benchmark.under_control("swapped")


def test_an_agent_is_shown_no_control(bench: Path, tmp_path: Path) -> None:
    plan = RunPlan(control="blank")
    combination = RunCombination("l2", "tree", plan, str(bench))
    with pytest.raises(UsageError, match="control has no effect"):
        asyncio.run(run_benchmark(combination, tmp_path / "run", HostConfig()))


def test_words_alone_answer_what_training_has(bench: Path, tmp_path: Path) -> None:
    model = WordsModel(str(bench))
    pointed = asyncio.run(evaluate(GroundingBenchmark(bench), model, tmp_path / "l2"))
    chosen = asyncio.run(evaluate(UnderstandingBenchmark(bench), model, tmp_path / "l1"))
    for done in (pointed, chosen):
        scores = [row.score or 0 for row in done.rows]
        assert sum(scores) > 0.5 * len(scores)


def test_words_that_training_does_not_have_are_answered_by_the_nearest(bench: Path) -> None:
    model = WordsModel(str(bench))
    aim = GroundingBenchmark(bench).samples()[0]
    prompt = GroundingBenchmark(bench).prompt(replace(aim, instruction=f"now {aim.instruction}!"))
    exact = GroundingBenchmark(bench).prompt(aim)
    assert asyncio.run(model.complete(prompt)).text == asyncio.run(model.complete(exact)).text


def test_words_need_a_training_to_look_into(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no annotations"):
        WordsModel(str(tmp_path))
    (tmp_path / "L2_annotations.json").write_text("[{}]")
    with pytest.raises(UsageError, match=r"L2_annotations\.json"):
        WordsModel(str(tmp_path))
