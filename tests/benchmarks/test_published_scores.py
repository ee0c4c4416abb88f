import json
from pathlib import Path
from typing import Any

import pytest

from tapwright.benchmarks.pointing import AbsentTarget, TargetBox, score_aim
from tapwright.benchmarks.score_rules import SUITES, PointRule, StepSuiteRule, point_rule
from tapwright.benchmarks.step_rules import RULES, StepReference, get_rule
from tapwright.conventions.arguments import KINDS
from tapwright.core.actions import ActionAdapter
from tapwright.core.geometry import Box, Size

GOLDEN = Path(__file__).parents[1] / "golden" / "scores"
STEPS = ("qwen", "agentcpm-gui", "odyssey", "agentnet", "os-atlas", "os-atlas-odyssey")


def golden(name: str) -> list[Any]:
    rows: list[Any] = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    return rows


@pytest.mark.parametrize("name", STEPS)
def test_a_step_rule_scores_as_the_published_code_does(name: str) -> None:
    wrong = []
    for case in golden(name):
        recorded = ActionAdapter.validate_python(case["recorded"])
        target = Box(*case["target"]) if case.get("target") else None
        bounds = [tuple(edges) for edges in case.get("bounds", ())]
        reference = StepReference(recorded, Size(1000, 1000), (), target, bounds)
        verdict = get_rule(name)(ActionAdapter.validate_python(case["predicted"]), reference)
        right_type = case.get("type_match", verdict.type_match)
        if verdict.value != pytest.approx(case["value"]) or verdict.type_match != right_type:
            wrong.append((case, verdict))
    assert not wrong


@pytest.mark.parametrize("suite", ["screenspot-pro", "ui-vision", "osworld-g"])
def test_a_box_holds_what_it_holds_in_the_published_code(suite: str) -> None:
    for case in golden("boxes"):
        size = Size(*case["size"])
        left, top, right, bottom = case["box"]
        box = Box(left / size.width, top / size.height, right / size.width, bottom / size.height)
        target = TargetBox("a", "", {}, Path(), size, box=box)
        score = score_aim(target, case["answer"], space="pixel", rule=point_rule(suite))
        assert score.value == case[suite], case


@pytest.mark.parametrize("case", golden("refusals"), ids=lambda case: str(case["answer"]))
def test_osworld_g_takes_the_refusals_that_its_rule_takes(case: Any) -> None:
    absent = AbsentTarget("a", "", {}, Path(), Size(100, 200))
    score = score_aim(absent, case["answer"], space="pixel", rule=point_rule("osworld-g"))
    assert score.value == case["value"]


@pytest.mark.parametrize("suite", SUITES)
def test_every_rule_of_a_suite_has_its_source_and_scores(suite: str) -> None:
    rules = SUITES[suite]
    assert rules.unnamed in rules.by_name
    assert rules.default.source != "tapwright"
    for rule in rules.rules:
        assert rule.source == "tapwright" or "@" in rule.source
        assert isinstance(rule, PointRule | StepSuiteRule) == (suite != "l1")
        if isinstance(rule, StepSuiteRule):
            assert rule.name in RULES
            assert rule.leaves_out in ("", *KINDS)
    assert set(rules.rules) == set(rules.by_name.values())
