"""A model is asked as it was trained, and its answers are read so: here and from the log alone."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.agents.grounder import gives_places
from tapwright.benchmarks.convention_answers import parse_point_in
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.benchmarks.osworld_g import OSWorldG
from tapwright.benchmarks.stepwise import Stepwise
from tapwright.conventions import conventions
from tapwright.conventions.convention import GroundingConvention, from_point
from tapwright.conventions.grounders import MMBENCH_GUI
from tapwright.conventions.grounding import grounding_messages
from tapwright.conventions.qwen_vl import QWEN2_5_VL
from tapwright.conventions.ui_tars import UI_TARS_1_0
from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Decision, Episode
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Picture
from tapwright.errors import UnknownNameError, UsageError
from tapwright.evaluate.pipeline import ModelQueries
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import read_run
from tapwright.evaluate.scoring import plan_of, rescore
from tapwright.models.scripted import ScriptedModel
from tests.benchmarks.dataset_samples import OSWORLD_ROW, REFUSAL_ROW, write

PLACING = [
    name
    for name in conventions.names()
    if gives_places(conventions.get(name))
    and not isinstance(conventions.get(name), GroundingConvention)
]


class Halving:
    """A convention whose client sends pictures in half their size, and reads their pixels."""

    name = "halving"
    source = "tapwright"
    space = UI_TARS_1_0.space
    prompt = UI_TARS_1_0.prompt

    def sent_size(self, size: Size) -> Size:
        return Size(size.width // 2, size.height // 2)

    def model_size(self, size: Size) -> Size:
        return self.sent_size(size)

    def render(self, decision: Decision, size: Size) -> str:
        assert isinstance(decision.action, Tap)
        x, y = from_point(decision.action.at, self.sent_size(size), "pixel")
        return f"{x};{y}"

    def parse(self, text: str, size: Size) -> Decision:
        x, y = (float(number) for number in text.split(";"))
        seen = self.sent_size(size)
        return Decision(Tap.model_validate({"at": {"x": x / seen.width, "y": y / seen.height}}))


HALVING = Halving()


@pytest.fixture
def data(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "own")
    return tmp_path / "own"


def answer_in(name: str, benchmark: GroundingBenchmark) -> ScriptedModel:
    """A model of the convention that finds every target."""
    convention = conventions.get(name)
    by_text = {one.instruction: one for one in benchmark.samples()}

    def answer(messages: Sequence[Message]) -> str:
        text = "\n".join(message.text for message in messages)
        named = max((one for one in by_text if one in text), key=len)
        sample = by_text[named]
        return convention.render(Decision(Tap(at=sample.box.center), target=named), sample.size)

    return ScriptedModel(answer)


@pytest.mark.parametrize("name", PLACING)
def test_every_convention_gives_prompt_unit_and_parser_at_once(
    name: str, data: Path, tmp_path: Path
) -> None:
    benchmark = GroundingBenchmark(data)
    plan = RunPlan(convention=name, limit=3)
    run = asyncio.run(evaluate(benchmark, answer_in(name, benchmark), tmp_path / "run", plan))
    assert {row.score for row in run.rows} == {1.0}
    assert run.header.subject.endswith(f" {name}")
    again = rescore(read_run(tmp_path / "run"), plan_of(run))
    assert [row.score for row in again.rows] == [1.0] * 3


def test_a_model_receives_the_words_of_its_convention(data: Path) -> None:
    benchmark = GroundingBenchmark(data)
    sample = benchmark.samples()[0]
    queries = ModelQueries(benchmark, ScriptedModel([""]), RunPlan(convention="qwen2.5-vl"))
    expected = grounding_messages(QWEN2_5_VL, sample.instruction, sample.observe())
    assert queries.prompt(sample) == expected
    assert benchmark.prompt(sample)[0].role == "system"


def test_a_picture_is_sent_in_the_size_of_the_convention_and_read_on_the_whole(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conventions, "_admitted", {})  # nor is it there for another test
    name = f"{__name__}:HALVING"
    conventions.admit(name)
    benchmark = GroundingBenchmark(data)
    model = answer_in(name, benchmark)
    plan = RunPlan(convention=name, limit=2)
    run = asyncio.run(evaluate(benchmark, model, tmp_path / "run", plan))
    sample = benchmark.samples()[0]
    half = (sample.size.width // 2, sample.size.height // 2)
    assert {row.sent for row in run.rows} == {half}
    pictures = [
        part.screenshot.size
        for request in model.requests
        for message in request
        for part in message.parts
        if isinstance(part, Picture)
    ]
    assert {(one.width, one.height) for one in pictures} == {half}
    assert {row.score for row in rescore(run, plan).rows} == {1.0}


def test_only_the_grammar_of_the_convention_is_read(data: Path, tmp_path: Path) -> None:
    benchmark = GroundingBenchmark(data)
    model = ScriptedModel(["it is at x=3, y=4", "Action: click(start_box='(4000,10)')"])
    plan = RunPlan(convention="ui-tars-1.0", limit=2)
    run = asyncio.run(evaluate(benchmark, model, tmp_path / "run", plan, concurrency=1))
    first, second = run.rows
    assert (first.score, first.status, first.detail["seed"]) == (0.0, "none", -1)
    assert (second.score, second.status) == (0.0, "out_of_range")


def test_an_absent_target_is_refused_in_the_words_of_the_convention(tmp_path: Path) -> None:
    root = write(
        tmp_path / "g", ("images/one.png",), {"OSWorld-G.json": [OSWORLD_ROW, REFUSAL_ROW]}
    )
    infeasible = conventions.get("json").render(
        Decision(Finish(outcome="infeasible")), Size(100, 200)
    )
    model = ScriptedModel([infeasible, infeasible])
    plan = RunPlan(convention="json")
    run = asyncio.run(evaluate(OSWorldG(root), model, tmp_path / "run", plan))
    rows = {row.id: row for row in run.rows}
    assert {id_: row.score for id_, row in rows.items()} == {"a-0": 0.0, "a-2": 1.0}
    assert all(row.detail["refused"] for row in rows.values())


def test_steps_are_asked_and_read_in_the_convention_of_the_plan(
    episodes: list[Episode], tmp_path: Path
) -> None:
    benchmark = Stepwise(episodes, rules="qwen")
    last = max(benchmark.samples(), key=lambda one: len(one.history))
    queries = ModelQueries(benchmark, ScriptedModel([""]), RunPlan(convention="ui-tars-1.0"))
    expected = UI_TARS_1_0.prompt(last.instruction, last.history, last.observe())
    assert queries.prompt(last) == expected
    answers = [UI_TARS_1_0.render(one.step.decision, one.size) for one in benchmark.samples()]
    plan = RunPlan(convention="ui-tars-1.0")
    run = asyncio.run(
        evaluate(benchmark, ScriptedModel(answers), tmp_path / "run", plan, concurrency=1)
    )
    assert all(row.status == "ok" for row in run.rows)
    assert rescore(run, plan, benchmark).rows == run.rows
    assert benchmark.convention.name == "json"


def test_a_convention_without_places_cannot_ground(data: Path) -> None:
    with pytest.raises(UsageError, match="names what is tapped and not where"):
        ModelQueries(
            GroundingBenchmark(data), ScriptedModel([""]), RunPlan(convention="mobimind-decider")
        )


def test_an_unknown_convention_is_named_before_anything_is_asked(data: Path) -> None:
    with pytest.raises(UnknownNameError, match="no convention is called 'qwen2'"):
        ModelQueries(GroundingBenchmark(data), ScriptedModel([""]), RunPlan(convention="qwen2"))


def test_the_header_of_a_plan_without_a_convention_is_as_before() -> None:
    assert "convention" not in RunPlan().model_dump(mode="json")
    assert RunPlan(convention="json").model_dump(mode="json")["convention"] == "json"


@given(width=st.integers(2, 4096), data=st.data())
def test_a_pixel_of_an_answer_is_counted_as_the_published_rules_count_it(
    width: int, data: st.DataObject
) -> None:
    """`x / width`, to the last digit: on the very edge of a box it is still on the box."""
    size, x = Size(width, 50), data.draw(st.integers(0, width - 1))
    found = parse_point_in(MMBENCH_GUI, f"({x},7)", size)
    assert found.exact == (x / width, 7 / 50)
