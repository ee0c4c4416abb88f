"""Published answers, judged again, have their published verdicts under their family's own rule."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.benchmarks.published_readers import READERS
from tapwright.benchmarks.score_rules import SUITES, PointRule, find_rule
from tapwright.conventions import conventions
from tapwright.evaluate.replay import find_point_rule, replay
from tests.cli.running import tapwright

GOLDEN = Path(__file__).parents[1] / "golden/replay/mai_ui.jsonl"
MAI_UI = conventions.get("mai-ui")
ROW = {"id": "a", "bbox": [0, 0, 10, 10], "img_size": [100, 100], "raw_response": "[500,500]"}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_every_published_verdict_is_ours_under_the_familys_rule() -> None:
    found = replay(GOLDEN, MAI_UI, find_point_rule("mai-ui"))
    assert (found.rows, found.equal, found.different) == (30, 28, [])
    assert found.left_out.total() == 2


def test_what_the_agent_would_click_is_judged_otherwise_17_times() -> None:
    found = replay(GOLDEN, MAI_UI, find_point_rule("screenspot-pro"))
    assert (found.rows, found.equal, len(found.different)) == (30, 11, 17)


@pytest.mark.parametrize(
    ("answer", "point"),
    [
        ("[0,0]", (0, 0)),
        ("[1000,1000]", (1, 1)),
        ('I first thought of [100,200]. <answer>{"coordinate":[300,400]}</answer>', (0.1, 0.2)),
        ("[1001,0]", None),
        ("[100, 200]", None),
        ("[-1,5]", None),
        ("[1.5,2]", None),
        ("", None),
        ("[" * 100_000, None),
        (f"[{'9' * 5000},1]", None),
        (f"[{'9' * 4000},1]", None),
    ],
)
def test_the_first_pair_counts_as_the_evaluator_reads_it(
    answer: str, point: tuple[float, float] | None
) -> None:
    read = READERS["mai-ui"](answer).point
    assert (read and (read.x, read.y)) == point


@given(st.text())
def test_a_reader_never_fails(answer: str) -> None:
    for reader in READERS.values():
        reader(answer)


def test_each_reader_is_a_rules_and_a_convention_has_its_rule_by_default() -> None:
    own = {
        rule.name
        for suite in SUITES.values()
        for rule in suite.rules
        if isinstance(rule, PointRule) and rule.own_reader
    }
    assert own == set(READERS)
    assert find_rule("screenspot-pro", convention="mai-ui").name == "mai-ui"
    assert find_rule("screenspot-pro", "screenspot-pro", convention="mai-ui").name != "mai-ui"
    assert find_rule("screenspot-pro", convention="qwen3-vl").name == "screenspot-pro"


def test_what_is_left_out_is_counted_with_its_reason(tmp_path: Path) -> None:
    path = write(
        tmp_path / "log.jsonl",
        {**ROW, "correctness": "wrong"},
        {**ROW, "correct": False},
        {**ROW, "correctness": "perhaps"},
        {**ROW, "correctness": "wrong", "img_size": None},
        {**ROW, "correctness": "wrong", "raw_response": ["a"]},
        {**ROW, "correctness": "wrong", "bbox": [10, 0, 0, 0]},
        {**ROW, "correctness": "wrong", "bbox": [0, 0, 1000, 0]},
        {**ROW, "correctness": "wrong", "bbox": "x"},
        {**ROW, "correctness": "correct", "gt_type": "negative"},
        7,
    )
    found = replay(path, MAI_UI, find_point_rule("mai-ui"))
    assert found.rows == 10 == found.equal + len(found.different) + found.left_out.total()
    assert (found.equal, len(found.different)) == (2, 1)
    assert len(found.left_out) == 7


@pytest.mark.parametrize("text", ["", "x", '{"a": 1', "[1, 2", '{"rows": []}'])
def test_a_file_of_no_rows_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(text)
    run = tapwright("eval", "replay", str(path), "--convention", "mai-ui")
    assert run.returncode == 1, run.stderr
    assert "Traceback" not in run.stderr


def test_the_command_says_what_differs_and_ends_with_1(tmp_path: Path) -> None:
    same = tapwright("eval", "replay", str(GOLDEN), "--convention", "mai-ui")
    assert same.returncode == 0, same.stderr
    (row,) = json.loads(same.stdout)
    assert {key: row[key] for key in ("rules", "rows", "equal", "different", "left_out")} == {
        "rules": "mai-ui", "rows": 30, "equal": 28, "different": 0, "left_out": 2,
    }  # fmt: skip
    assert "2 rows left out: its outline" in same.stderr
    rows = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
    listed = write(tmp_path / "list.json", {"details": rows})
    other = tapwright(
        "eval", "replay", str(listed), "--convention", "mai-ui", "--rules", "screenspot-pro"
    )
    assert other.returncode == 1
    assert "published right, ours wrong" in other.stderr
    assert "12 more differ" in other.stderr
    unknown = tapwright("eval", "replay", str(GOLDEN), "--convention", "mai-ui", "--rules", "x")
    assert unknown.returncode == 2
