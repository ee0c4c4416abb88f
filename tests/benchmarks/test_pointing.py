from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.osworld_g import OSWorldG
from tapwright.benchmarks.pointing import (
    AbsentTarget,
    PointingBenchmark,
    TargetBox,
    TargetOutline,
    bounding_box,
)
from tapwright.benchmarks.screenspot import ScreenSpot, ScreenSpotPro, ScreenSpotProChinese
from tapwright.benchmarks.static_benchmark import StaticBenchmark
from tapwright.benchmarks.ui_vision import UiVision
from tapwright.core.geometry import Box, Point, from_pixel
from tests.benchmarks.dataset_samples import (
    LAYOUTS,
    OSWORLD_ROW,
    POLYGON_ROW,
    PRO_ROW,
    REFUSAL_ROW,
    SCREENSPOT_ROW,
    SIZE,
    UI_VISION_ROW,
    osworld_g,
    screenspot,
    screenspot_pro,
    ui_vision,
)
from tests.strategies import POINTS

HUNDREDTHS = st.integers(0, 100).map(lambda part: part / 100)
GRID = st.builds(Point, HUNDREDTHS, HUNDREDTHS)
BOXES = st.tuples(GRID, GRID).map(lambda pair: bounding_box(pair))


def outline(*corners: Point) -> TargetOutline:
    labels: dict[str, str] = {}
    return TargetOutline(
        "one", "it", labels, Path("one.png"), SIZE, box=bounding_box(corners), corners=corners
    )


def corners_of(box: Box) -> tuple[Point, ...]:
    return (
        Point(box.left, box.top),
        Point(box.right, box.top),
        Point(box.right, box.bottom),
        Point(box.left, box.bottom),
    )


@given(BOXES, GRID | POINTS)
def test_an_outline_that_is_a_box_holds_what_the_box_holds(box: Box, point: Point) -> None:
    assert outline(*corners_of(box)).holds(point) == box.contains(point)


@given(st.lists(GRID, min_size=3, max_size=6), st.data())
def test_an_outline_holds_its_corners_and_nothing_beyond_its_bounds(
    corners: list[Point], data: st.DataObject
) -> None:
    drawn = outline(*corners)
    point = data.draw(POINTS)
    assert all(drawn.holds(corner) for corner in corners)
    assert drawn.box.contains(point) or not drawn.holds(point)


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_middle_of_the_box_is_a_hit_in_pixels_and_far_away_is_a_miss(
    name: str, tmp_path: Path
) -> None:
    write, row = LAYOUTS[name]
    loaded = benchmarks.get(name)(str(write(tmp_path, row)))
    assert isinstance(loaded, StaticBenchmark)
    sample = loaded.samples()[0]
    assert sample.truth == [0.1, 0.1, 0.4, 0.3]
    assert loaded.score(sample, "(25, 40)", space="pixel").value == 1
    assert loaded.score(sample, "(80, 40)", space="pixel").value == 0
    assert loaded.origin.startswith("https://")
    assert loaded.published is None


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bbox": [90, 20, 130, 60], "box_coordinates": [90, 20, 40, 40]}, "outside a 100x200"),
        ({"bbox": [10, 20, -30, -40], "box_coordinates": [10, 20, -30, -40]}, "bbox .*"),
        ({"bbox": [1, 2, 3], "box_coordinates": [1, 2, 3]}, "box"),
        ({"bbox": [1, 2, 3, float("nan")], "box_coordinates": [1, 2, 3, float("nan")]}, "finite"),
        ({"img_filename": "../../x.png", "image_path": "../../x.png"}, "leaves"),
        ({"img_filename": "two.png", "image_path": "two.png"}, "two.png"),
        ({"instruction": "", "prompt_to_evaluate": "", "instruction_cn": ""}, "instruction|prompt"),
    ],
)
def test_a_row_off_the_schema_is_named(
    name: str, change: dict[str, Any], says: str, tmp_path: Path
) -> None:
    write, row = LAYOUTS[name]
    changed = {key: change.get(key, value) for key, value in row.items()}
    with pytest.raises(BadBenchmarkError, match=rf"\.json, row 0: .*{says}"):
        benchmarks.get(name)(str(write(tmp_path, changed)))


def test_a_size_unlike_the_files_and_an_id_twice_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadBenchmarkError, match=r"image_size 99x200, but .* has 100x200 pixels"):
        ScreenSpotPro(screenspot_pro(tmp_path / "one", {**PRO_ROW, "img_size": [99, 200]}))
    twice = OSWorldG(osworld_g(tmp_path / "two", OSWORLD_ROW, OSWORLD_ROW))
    assert len(twice.samples()) == 1
    [said] = twice.left_out
    assert "row 1: index 'a-0' is that of row 0, too" in said


def test_an_edge_a_rounded_pixel_past_the_picture_is_the_pictures_edge(tmp_path: Path) -> None:
    row = {**SCREENSPOT_ROW, "bbox": [90, -1, 11, 41]}
    (sample, *_) = ScreenSpot(screenspot(tmp_path, row)).samples()
    assert sample.truth == [0.9, 0.0, 1.0, 0.2]


def test_a_bad_row_is_left_out_and_named_and_the_others_keep_their_ids(tmp_path: Path) -> None:
    """One row of OSWorld-G refined has an empty instruction; it must not cost the other 563."""
    empty = {**OSWORLD_ROW, "id": "a-7", "instruction": ""}
    loaded = OSWorldG(osworld_g(tmp_path / "g", OSWORLD_ROW, empty, REFUSAL_ROW))
    assert [sample.id for sample in loaded.samples()] == ["a-0", "a-2"]
    [said] = loaded.left_out
    assert "OSWorld-G.json, row 1: instruction: " in said
    gone = {**SCREENSPOT_ROW, "img_filename": "gone.png"}
    numbered = ScreenSpot(screenspot(tmp_path / "s", gone, SCREENSPOT_ROW))
    assert [sample.id for sample in numbered.samples()] == ["mobile-1", "desktop-1", "web-1"]
    assert len(numbered.left_out) == 3


def test_boxes_of_ui_vision_are_cut_to_the_picture(tmp_path: Path) -> None:
    over = {**UI_VISION_ROW, "bbox": [90.5, -3.2, 104.25, 40]}
    (sample, *_) = UiVision(ui_vision(tmp_path, over)).samples()
    assert sample.truth == [0.905, 0.0, 1.0, 0.2]


def test_links_that_the_user_laid_are_followed_and_names_that_lead_out_are_not(
    tmp_path: Path,
) -> None:
    """A hub's cache holds links to its blobs, and a folder may be one, too."""
    root = screenspot(tmp_path / "snapshot", SCREENSPOT_ROW)
    blobs = tmp_path / "blobs"
    blobs.mkdir()
    for number, file in enumerate(sorted(one for one in root.rglob("*") if one.is_file())):
        file.rename(blobs / str(number))
        file.symlink_to(blobs / str(number))
    (root / "screenspot_imgs").rename(tmp_path / "elsewhere")
    (root / "screenspot_imgs").symlink_to(tmp_path / "elsewhere")
    loaded = ScreenSpot(root)
    assert not loaded.left_out
    assert loaded.samples()[0].picture.name == "one.png"
    inner = {**SCREENSPOT_ROW, "img_filename": "a/../one.png"}
    assert ScreenSpot(screenspot(tmp_path / "inner", inner)).samples()
    (tmp_path / "out/one.png").parent.mkdir()
    (tmp_path / "out/one.png").write_bytes(b"secret")
    for name in ("../one.png", "a/../../one.png", "/etc/hostname"):
        outer = {**SCREENSPOT_ROW, "img_filename": name}
        with pytest.raises(BadBenchmarkError, match="leaves"):
            ScreenSpot(screenspot(tmp_path / "out", outer))


def test_outlines_absent_elements_and_boxes_called_polygons_are_told_apart(tmp_path: Path) -> None:
    called = {**POLYGON_ROW, "id": "a-3", "box_coordinates": [10, 20, 30, 40]}
    benchmark = OSWorldG(osworld_g(tmp_path, OSWORLD_ROW, POLYGON_ROW, REFUSAL_ROW, called))
    box, drawn, absent, boxed = benchmark.samples()
    assert [type(one) for one in benchmark.samples()] == [
        TargetBox,
        TargetOutline,
        AbsentTarget,
        TargetBox,
    ]
    assert boxed.truth == box.truth
    assert absent.truth is None
    assert drawn.truth == [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    inside, outside = (
        benchmark.score(drawn, said, space="pixel") for said in ("(10, 20)", "(90, 190)")
    )
    assert (inside.value, outside.value) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("said", "value", "status"),
    [
        ("(-1, -1)", 1.0, "ok"),
        ("x=-5, y=-0.5", 1.0, "ok"),
        ("[-1, 30]", 0.0, "out_of_range"),
        ("There is no such button.", 0.0, "none"),
        ("(10, 20)", 0.0, "ok"),
    ],
)
def test_osworld_g_refuses_by_two_coordinates_below_zero(
    said: str, value: float, status: str, tmp_path: Path
) -> None:
    benchmark = OSWorldG(osworld_g(tmp_path, REFUSAL_ROW))
    score = benchmark.score(benchmark.samples()[0], said, space="pixel")
    assert (score.value, score.status) == (value, status)


@pytest.mark.parametrize(
    ("said", "value", "status"),
    [
        ("(-1, -1)", 1.0, "ok"),
        ("There is no such button.", 1.0, "ok"),
        ('{"result": "negative"}', 1.0, "ok"),
        ("屏幕上不存在该元素", 1.0, "ok"),
        ("<think>I cannot find it</think>(10, 20)", 0.0, "ok"),
        ("(10, 20)", 0.0, "ok"),
        ("the upper left", 0.0, "none"),
        ("", 0.0, "none"),
    ],
)
def test_of_what_is_absent_only_a_refusal_is_right(
    said: str, value: float, status: str, tmp_path: Path
) -> None:
    benchmark = OSWorldG(osworld_g(tmp_path, REFUSAL_ROW)).under("tapwright")
    score = benchmark.score(benchmark.samples()[0], said, space="pixel")
    assert (score.value, score.status) == (value, status)


def test_a_refusal_of_what_is_there_is_wrong_and_said_to_be_one(tmp_path: Path) -> None:
    benchmark = OSWorldG(osworld_g(tmp_path, OSWORLD_ROW))
    score = benchmark.score(benchmark.samples()[0], "I cannot find it.", space="pixel")
    assert (score.value, score.status, score.detail["refused"]) == (0.0, "none", True)


def test_negative_rows_of_screenspot_pro_ask_every_sample_alike(tmp_path: Path) -> None:
    negative = {**PRO_ROW, "id": "word_1", "gt_type": "negative", "bbox": None}
    benchmark = ScreenSpotPro(screenspot_pro(tmp_path / "both", PRO_ROW, negative))
    there, absent = benchmark.samples()
    assert isinstance(absent, AbsentTarget)
    assert "(-1,-1)" not in benchmark.text(there)
    assert "output (-1,-1)" in benchmark.under("tapwright").text(there)
    plain = ScreenSpotPro(screenspot_pro(tmp_path / "one", PRO_ROW))
    assert "(-1,-1)" not in plain.text(plain.samples()[0])


def test_the_chinese_instruction_is_asked_where_it_is_wanted(tmp_path: Path) -> None:
    benchmark = ScreenSpotProChinese(screenspot_pro(tmp_path, PRO_ROW))
    assert benchmark.prompt(benchmark.samples()[0])[-1].text.endswith("加粗")


def test_distances_are_from_the_middle_of_the_box(tmp_path: Path) -> None:
    benchmark = ScreenSpot(screenspot(tmp_path, SCREENSPOT_ROW))
    sample = benchmark.samples()[0]
    detail = benchmark.score(sample, "(40, 40)", space="pixel").detail
    assert detail["distance"] == pytest.approx(Point(0.4, 0.2).distance(Point(0.25, 0.2)))
    assert detail["box_distance"] == pytest.approx(1)
    assert detail["seed"] == 1
    own = benchmark.under("tapwright").score(sample, "(40, 40)", space="pixel").detail
    middle = from_pixel(40, 40, SIZE)
    assert own["distance"] == pytest.approx(middle.distance(Point(0.25, 0.2)))
    assert own["box_distance"] == pytest.approx(0.155 / 0.15)


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize(
    ("said", "published", "own"),
    [
        ("(10, 20)", 1, 1),
        ("(40, 60)", 1, 0),
        ("(39.7, 59.7)", 1, 1),
        ("(40.1, 60)", 0, 0),
        ("(9.9, 20)", 0, 0),
    ],
)
def test_all_four_edges_are_in_a_box_as_papers_count_it(
    name: str, said: str, published: int, own: int, tmp_path: Path
) -> None:
    write, row = LAYOUTS[name]
    loaded = benchmarks.get(name)(str(write(tmp_path, row)))
    assert isinstance(loaded, PointingBenchmark)
    sample = loaded.samples()[0]
    assert loaded.score(sample, said, space="pixel").value == published
    assert loaded.under("tapwright").score(sample, said, space="pixel").value == own


def test_without_annotations_the_layout_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadBenchmarkError, match=r"no \.json file in annotations/"):
        ScreenSpotPro(tmp_path)
    with pytest.raises(BadBenchmarkError) as caught:
        ScreenSpot(tmp_path)
    assert caught.value.hint == (
        "give the directory that holds screenspot_mobile.json and screenspot_imgs/"
    )
