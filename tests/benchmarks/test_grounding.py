import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.conventions.qwen_vl import QWEN2_5_VL
from tapwright.core.geometry import Box, Size
from tapwright.core.messages import Text
from tapwright.devices.fake import painted_scene

GOLDEN = Path(__file__).parents[1] / "golden" / "mmbench_gui"
ROW = {
    "index": 0,
    "image_path": "one.png",
    "image_size": [108, 240],
    "platform": "os_android",
    "app_name": "Notes",
    "instruction": "press {Enter}",
    "bbox": [0.1, 0.1, 0.2, 0.2],
    "data_type": "icon",
    "grounding_type": "basic",
}


def load(root: Path, *rows: dict[str, Any]) -> GroundingBenchmark:
    folder = root / "offline_images" / "os_android"
    folder.mkdir(parents=True)
    (folder / "one.png").write_bytes(painted_scene(1, Size(108, 240)).picture)
    (root / "L2_annotations.json").write_text(json.dumps(rows), "utf-8")
    return GroundingBenchmark(root)


def test_the_prompt_is_the_published_one_byte_for_byte(tmp_path: Path) -> None:
    case = next(
        case
        for case in json.loads((GOLDEN / "prompts.json").read_text("utf-8"))
        if case["case"] == "instruction with braces"
    )
    benchmark = load(tmp_path, ROW)
    system, user = benchmark.prompt(benchmark.samples()[0])
    published = case["result"]["value"]
    assert system.text == published[0]["value"]
    assert user.parts[1] == Text(published[2]["value"])


def published_hits() -> list[Any]:
    """Cases in fractions on the screen, whose rule we keep: all four edges are inside."""
    return [
        case
        for case in json.loads((GOLDEN / "l2_rules.json").read_text("utf-8"))
        if case["click"]
        and len(case["click"]) == 2
        and all(0 <= part <= 1 for part in case["click"])
        and min(case["bbox"]) >= 0
    ]


@pytest.mark.parametrize("case", published_hits(), ids=lambda case: str(case["case"]))
def test_a_point_hits_as_published(case: Any, tmp_path: Path) -> None:
    edges = case["bbox"]
    scale = 10 if max(edges) > 1 else 1  # those pixels are of a screen ten times as large
    benchmark = load(tmp_path, {**ROW, "bbox": [edge / scale for edge in edges]})
    x, y = case["click"]
    score = benchmark.score(benchmark.samples()[0], f"({x}, {y})", space="fraction")
    assert score.value == case["match"]


@pytest.mark.parametrize(
    "case", json.loads((GOLDEN / "l2_rules.json").read_text("utf-8")), ids=lambda case: case["case"]
)
def test_under_the_seeds_parser_every_recorded_case_is_as_published(
    case: Any, tmp_path: Path
) -> None:
    benchmark = load(tmp_path, ROW)
    box = Box(*case["bbox_normalised"])
    sample = replace(benchmark.samples()[0], size=Size(*case["image_size"]), box=box)
    said = "none" if case["click"] is None else f"({', '.join(map(str, case['click']))})"
    detail = benchmark.score(sample, said, space="pixel").detail
    assert detail["seed"] == (-1 if case["wrong_format"] else case["match"])


def test_the_unit_is_declared_and_not_guessed(tmp_path: Path) -> None:
    benchmark = load(tmp_path, ROW)
    sample = benchmark.samples()[0]
    assert benchmark.score(sample, "(150, 150)", space="permille").value == 1
    assert benchmark.score(sample, "(150, 150)", space="pixel").status == "out_of_range"
    assert benchmark.score(sample, "(16, 36)", space="pixel").value == 1


def test_a_conventions_name_says_the_unit_and_the_size_of_the_picture_as_seen(
    tmp_path: Path,
) -> None:
    benchmark = load(tmp_path, ROW)
    seen = QWEN2_5_VL.model_size(Size(108, 240))
    assert seen != Size(108, 240)
    said = f"({int(0.19 * seen.width)}, {int(0.15 * seen.height)})"
    assert benchmark.score(benchmark.samples()[0], said, space="qwen2.5-vl").value == 1
    assert benchmark.score(benchmark.samples()[0], "(150, 150)", space="qwen3-vl").value == 1


def test_data_of_ones_own_is_not_the_published_one(tmp_path: Path) -> None:
    assert load(tmp_path, ROW).published is False


def test_an_edge_that_was_rounded_a_hair_past_the_screen_is_its_edge(tmp_path: Path) -> None:
    (sample,) = load(tmp_path, {**ROW, "bbox": [0.9, 0.1, 1.0005, 0.2]}).samples()
    assert sample.truth == [0.9, 0.1, 1.0, 0.2]


def test_a_box_of_two_pixels_or_more_is_in_pixels(tmp_path: Path) -> None:
    (sample,) = load(tmp_path, {**ROW, "bbox": [0, 0, 2, 2]}).samples()
    assert sample.truth == [0, 0, 2 / 108, 2 / 240]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bbox": [0.3, 0.1, 0.2, 0.2]}, "swapped edges"),
        ({"bbox": [-0.1, 0.1, 0.2, 0.2]}, "outside"),
        ({"bbox": [10, 10, 109, 20]}, "outside"),
        ({"bbox": [0.1, 0.1, 1.002, 0.2]}, "row 0: bbox .* neither in fractions"),
        ({"bbox": [0.1, 0.1, 1.999, 0.2]}, "row 0: bbox .* neither in fractions"),
        ({"data_type": "sound"}, "row 0: data_type"),
        ({"instruction": ""}, "row 0: instruction"),
    ],
)
def test_a_row_off_the_schema_is_named(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(BadBenchmarkError, match=says):
        load(tmp_path, {**ROW, **change})


@pytest.mark.parametrize(
    ("edges", "truth", "said", "value"),
    [
        ([-1, -1, -1, -1], [0, 0, 0, 0], "(10, 20)", 0),
        ([-1, 24, 54, 120], [0, 0.1, 0.5, 0.5], "(0, 24)", 1),
        ([54, 24, -1, 120], [0, 0, 0, 0], "(54, 24)", 0),
    ],
)
def test_an_edge_of_minus_one_is_zero_as_published(
    edges: list[float], truth: list[float], said: str, value: float, tmp_path: Path
) -> None:
    benchmark = load(tmp_path, {**ROW, "bbox": edges})
    (sample,) = benchmark.samples()
    assert sample.truth == truth
    assert benchmark.score(sample, said, space="pixel").value == value
