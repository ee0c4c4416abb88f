import asyncio
import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.core.episode import Episode
from tapwright.errors import UnknownNameError, UsageError
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.rule_choice import rule_of_header, settle_rules
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import FILE, RunLog, read_run
from tapwright.evaluate.scoring import rescore
from tapwright.models.scripted import ScriptedModel


@pytest.fixture
def data(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "own")
    return tmp_path / "own"


def plan_keys(run: RunLog) -> dict[str, JsonValue]:
    plan = run.header.config["plan"]
    assert isinstance(plan, dict)
    return plan


def test_a_new_run_has_the_published_rule_and_one_continued_keeps_its_own(
    data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    benchmark = GroundingBenchmark(data)
    run = asyncio.run(evaluate(benchmark, ScriptedModel(["(1, 1)"]), out, RunPlan(limit=2)))
    rule = rule_of_header(run.header)
    assert rule is not None
    assert (rule.name, plan_keys(run)["rules"]) == ("mmbench-gui", "mmbench-gui")
    first, *rest = (out / FILE).read_text("utf-8").splitlines()
    old = json.loads(first)
    del old["config"]["config"]["plan"]["rules"]
    (out / FILE).write_text("\n".join([json.dumps(old), *rest]) + "\n", "utf-8")
    unnamed = rule_of_header(read_run(out).header)
    assert unnamed is not None
    assert unnamed.name == "tapwright"
    assert settle_rules(RunPlan(), "l2", out).rules == ""
    again = asyncio.run(evaluate(benchmark, ScriptedModel(["(1, 1)"]), out, RunPlan(limit=2)))
    assert "rules" not in plan_keys(again)


def test_a_run_is_scored_again_by_another_rule(data: Path, tmp_path: Path) -> None:
    benchmark = GroundingBenchmark(data)
    box = benchmark.samples()[0].box
    size = benchmark.samples()[0].size
    edge = f"({round(box.right * size.width)}, {round(box.bottom * size.height)})"
    plan = RunPlan(limit=1)
    run = asyncio.run(evaluate(benchmark, ScriptedModel([edge]), tmp_path / "run", plan))
    assert run.rows[0].score == 1
    own = rescore(run, plan.model_copy(update={"rules": "tapwright"}))
    assert own.rows[0].score == 0
    assert rescore(own, RunPlan(limit=1)).rows[0].score == 0


def test_an_unknown_rule_is_named_with_those_of_the_suite(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="rule of l2 is called 'mmbench'") as caught:
        settle_rules(RunPlan(rules="mmbench"), "l2", tmp_path)
    assert "mmbench-gui, mai-ui, gta1" in caught.value.hint
    with pytest.raises(UsageError, match="rules do not apply to l3"):
        settle_rules(RunPlan(rules="mmbench-gui"), "l3", tmp_path)
