"""Published answers, judged again, have their published verdicts under their family's own rule."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.benchmarks.pointing import AbsentTarget, TargetBox, score_aim
from tapwright.benchmarks.published_readers import READERS
from tapwright.benchmarks.score_rules import SUITES, PointRule, find_rule
from tapwright.conventions import conventions
from tapwright.core.geometry import Box, Size
from tapwright.evaluate.replay import find_point_rule, picture_sizes, replay
from tests.cli.running import tapwright

GOLDEN = Path(__file__).parents[1] / "golden/replay/mai_ui.jsonl"
MAI_UI = conventions.get("mai-ui")
READ = Path(__file__).parents[1] / "golden" / "published_readers" / "answers.jsonl"
ON = Size(1036, 756)
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


def test_the_place_that_was_read_there_tells_the_verdict() -> None:
    log, gui_r1 = GOLDEN.with_name("gui_r1.jsonl"), conventions.get("gui-r1")
    found = replay(log, gui_r1, find_point_rule("gui-r1"))
    assert (found.rows, found.equal) == (28, 28)
    assert replay(log, gui_r1, find_point_rule("screenspot-pro")).equal == 19


def test_an_answer_may_be_the_one_of_a_batch() -> None:
    log, venus = GOLDEN.with_name("ui_venus.jsonl"), conventions.get("ui-venus-ground")
    found = replay(log, venus, find_point_rule("ui-venus-ground"))
    assert (found.rows, found.equal) == (10, 10)


@pytest.mark.parametrize(
    "odd",
    [
        {"scale": [0.5, 0.5]}, {"scale": 2, "gt_bbox": None}, {"pred_coord": [float("inf"), 1]},
        {"pred_coord": [1]}, {"gt_bbox": [0, 0, 10, float("nan")]}, {"gt_bbox": [0, 0, 10**400, 1]},
        {"pred_coord": "12"}, {"gt_bbox": [10, 0, 0, 0]}, {"pred": 7}, {"image_size": [0, 1]},
    ],
)  # fmt: skip
def test_an_odd_row_of_places_is_left_out(tmp_path: Path, odd: dict[str, Any]) -> None:
    row = {
        "pred": "<answer>[{'point': [5, 5]}]</answer>", "pred_coord": [5, 5], "scale": [],
        "gt_bbox": [0, 0, 10, 10], "image_size": [100, 100],
    }  # fmt: skip
    log = write(tmp_path / "log.jsonl", row, {**row, **odd})
    found = replay(log, conventions.get("gui-r1"), find_point_rule("gui-r1"))
    assert (found.equal, found.left_out.total()) == (1, 1)


def test_annotations_tell_the_sizes_that_rows_lack(tmp_path: Path) -> None:
    sized = {"img_filename": "word/a.png", "img_size": [100, 100]}
    row = {**ROW, "correctness": "correct", "img_path": "x/images/word/a.png"}
    log = write(tmp_path / "log.jsonl", {**row, "img_size": None, "raw_response": "[50,50]"})
    assert replay(log, MAI_UI, find_point_rule("mai-ui")).left_out.total() == 1
    nameless = write(tmp_path / "nameless.jsonl", {"img_size": [100, 100]})
    assert picture_sizes(nameless) == {}
    for annotations in (tmp_path, write(tmp_path / "word.json", sized)):
        sizes = picture_sizes(annotations)
        assert replay(log, MAI_UI, find_point_rule("mai-ui"), sizes).equal == 1
    run = tapwright(
        "eval", "replay", str(log), "--convention", "mai-ui", "--annotations", str(tmp_path)
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("<answer>[{'point': [5, 5]}]</answer>", True),
        ("<answer>[{'point': [10, 5]}]</answer>", False),
        ("[{'point': [5, 5]}]", False),
        ("<answer>[{'point': [99, 99], 'then': [5, 5]}]</answer>", True),
        ("<answer>[5, 5]</answer>", False),
    ],
)
def test_gui_r1_counts_no_edge_and_no_answer_without_its_tags(answer: str, right: bool) -> None:
    target = TargetBox("1", "x", {}, Path(), ON, box=Box.from_pixels(0, 0, 10, 10, ON))
    score = score_aim(target, answer, space="pixel", rule=find_point_rule("gui-r1"))
    assert score.value == right


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ('<tool_call>\n{"name": "tap", "arguments": {"coordinate": [5, 5]}}\n</tool_call>', True),
        ('<tool_call>\n{"arguments": {"coordinate": [0, 0, 8, 8]}}\n</tool_call>', True),
        ('<tool_call>{"arguments": {"coordinate": [5, 5]}}</tool_call>', False),
        ('<tool_call>\n{"arguments": {"coordinate": ["5", 5]}}\n</tool_call>', False),
    ],
)
def test_qwens_coordinate_counts_whatever_it_calls(answer: str, right: bool) -> None:
    size = Size(1120, 1120)
    target = TargetBox("1", "x", {}, Path(), size, box=Box.from_pixels(0, 0, 10, 10, size))
    rule = find_point_rule("qwen2.5-vl-computer")
    assert score_aim(target, answer, space="pixel", rule=rule).value == right


def test_no_points_in_json_refuse_with_infigui_g1() -> None:
    absent = AbsentTarget("1", "x", {}, Path(), ON)
    rule = find_rule("osworld-g", "infigui-g1")
    assert isinstance(rule, PointRule)
    for answer in ("<think>[1]</think>[]", "There is none."):
        assert score_aim(absent, answer, space="pixel", rule=rule).value == 1
    assert score_aim(absent, '[{"point_2d": [1, 1]}]', space="pixel", rule=rule).value == 0


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
    read = READERS["mai-ui"](answer, Size(1000, 1000)).point
    assert (read and (read.x, read.y)) == point


@given(st.text())
def test_a_reader_never_fails(answer: str) -> None:
    for reader in READERS.values():
        reader(answer, Size(1000, 500))


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
        {**ROW, "correctness": "wrong", "raw_response": ["a", "b"]},
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


def test_each_kind_of_rule_has_a_line_with_its_score() -> None:
    run = tapwright("eval", "replay", str(GOLDEN), "--convention", "mai-ui", "--rules", "each")
    assert run.returncode == 0, run.stderr
    lines = {row["rules"]: row for row in json.loads(run.stdout)}
    assert lines["mai-ui"]["score"] == lines["mai-ui"]["published"] == 85.71
    assert lines["tapwright"]["score"] < lines["mai-ui"]["score"]
    assert "gta1" not in lines


@pytest.mark.parametrize("name", ["gta1", "ui-venus-1.5", "ui-venus-ground"])
def test_an_answer_is_read_as_the_published_evaluator_read_it(name: str) -> None:
    for line in READ.read_text("utf-8").splitlines():
        row = json.loads(line)
        found, place = READERS[name](row["answer"], ON), row[name]
        if name == "gta1":
            place = [place[0] / ON.width, place[1] / ON.height]
        if place is None or not all(0 <= one <= 1 for one in place):
            assert found.point is None, row
            assert (found.kind == "refusal") == (name == "ui-venus-1.5" and place == [-1, -1])
        else:
            assert found.point is not None, row
            assert (found.point.x, found.point.y) == pytest.approx(place)


@pytest.mark.parametrize("name", ["gui-r1", "ui-r1", "infigui-g1", "qwen2.5-vl-computer"])
def test_numbers_are_those_that_the_published_evaluator_read(name: str) -> None:
    whole = Size(1120, 1120)
    for line in READ.with_name("more_answers.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        found, place = READERS[name](row["answer"], whole), row[name]
        if isinstance(place, list):
            assert found.point is not None, row
            shares = [one / whole.width for one in place]
            assert [found.point.x, found.point.y] == pytest.approx(shares), row
        else:
            assert found.point is None, row
            assert (found.kind == "refusal") == (place == "refusal")


def test_what_gta1_cannot_read_is_the_corner() -> None:
    corner = TargetBox("1", "x", {}, Path(), ON, box=Box(0.0, 0.0, 0.1, 0.1))
    score = score_aim(corner, "I see nothing", space="pixel", rule=find_point_rule("gta1"))
    assert (score.value, score.status) == (1.0, "none")
