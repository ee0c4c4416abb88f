import json
from pathlib import Path
from typing import Any

import pytest

from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.understanding import UnderstandingBenchmark, question_text
from tapwright.core.geometry import Size
from tapwright.core.messages import Picture, Text
from tapwright.devices.fake import painted_scene

GOLDEN = Path(__file__).parents[1] / "golden" / "mmbench_gui" / "prompts.json"
GROUP = {
    "difficulty": "easy",
    "question": "Which?",
    "options": {"A": "one", "B": "two", "C": "three", "D": "four"},
    "answer": "B",
    "explanation": "",
}
ROW = {
    "index": 0,
    "image_path": "one.png",
    "image_size": [90, 160],
    "platform": "os_android",
    "app_name": "Notes",
    "groups": [GROUP],
}


def write(root: Path, *rows: dict[str, Any]) -> Path:
    folder = root / "offline_images" / "os_android"
    folder.mkdir(parents=True)
    (folder / "one.png").write_bytes(painted_scene(1, Size(90, 160)).picture)
    (root / "L1_annotations.json").write_text(json.dumps(rows), "utf-8")
    return root


def golden_cases() -> list[Any]:
    """The published prompts for one picture; options that no row may have are left out."""
    return [
        case
        for case in json.loads(GOLDEN.read_text("utf-8"))
        if case["level"] == "L1"
        and isinstance(case["line"], dict)
        and case["line"].get("answer") in case["line"]["options"]
        and isinstance(case["line"]["image_path"], str)
        and case["case"] != "missing image file is not detected"
        and not case["kwargs"]
    ]


@pytest.mark.parametrize("case", golden_cases(), ids=lambda case: str(case["case"]))
def test_the_prompt_is_the_published_one_byte_for_byte(case: Any, tmp_path: Path) -> None:
    line = case["line"]
    write(tmp_path, {**ROW, "groups": [{**GROUP, **{k: line[k] for k in line if k != "index"}}]})
    benchmark = UnderstandingBenchmark(tmp_path)
    system, user = benchmark.prompt(benchmark.samples()[0])
    published = case["result"]["value"]
    assert [system.role, system.text] == [published[0]["role"], published[0]["value"]]
    assert user.parts[1] == Text(published[2]["value"])
    assert isinstance(user.parts[0], Picture)


def test_the_picture_is_sent_with_its_own_bytes(tmp_path: Path) -> None:
    benchmark = UnderstandingBenchmark(write(tmp_path, ROW))
    picture = benchmark.prompt(benchmark.samples()[0])[1].parts[0]
    assert isinstance(picture, Picture)
    assert picture.screenshot.data == painted_scene(1, Size(90, 160)).picture


def test_an_answer_is_scored_and_a_bad_one_counted_apart(tmp_path: Path) -> None:
    benchmark = UnderstandingBenchmark(write(tmp_path, ROW))
    sample = benchmark.samples()[0]
    right, wrong, bad = (
        benchmark.score(sample, answer, space="pixel") for answer in ("B", "(A)", "I cannot tell.")
    )
    assert (right.value, right.status, right.parsed) == (1.0, "ok", "B")
    assert (wrong.value, wrong.status) == (0.0, "ok")
    assert (bad.value, bad.status, bad.parsed) == (0.0, "none", None)


def test_a_missing_option_is_left_out_and_the_rest_keep_their_letters(tmp_path: Path) -> None:
    group = {**GROUP, "options": {"D": "d", "A": "a", "B": "b", "C": None}}
    benchmark = UnderstandingBenchmark(write(tmp_path, {**ROW, "groups": [group]}))
    assert "Options:\nA. a\nB. b\nD. d\n" in question_text(benchmark.samples()[0])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{**ROW, "groups": [{**GROUP, "answer": "E"}]}], "answer 'E' is not among the options"),
        ([{**ROW, "groups": [GROUP, GROUP]}], "two groups of one difficulty"),
        ([{**ROW, "image_size": [160, 90]}], "image_size 160x90, but"),
        ([{**ROW, "image_path": "../../../secret.png"}], "leaves"),
        ([{**ROW, "image_path": "/etc/hostname"}], "leaves"),
        ([{**ROW, "image_path": "none.png"}], "row 0: .*none.png"),
        ([{**ROW, "image_path": "a\0b.png"}], "row 0: the picture 'os_android/a.x00b.png'"),
        ([{**ROW, "image_path": "a\ud83d.png"}], "row 0: image_path"),
        ([{**ROW, "image_path": "a" * 5000}], "row 0: "),
        ([{**ROW, "platform": "../x"}], "row 0: platform"),
        ([{**ROW, "groups": []}], "row 0: groups"),
        ([{"index": 3}], "row 0: image_path: Field required"),
    ],
)
def test_a_row_off_the_schema_is_named(
    rows: list[dict[str, Any]], says: str, tmp_path: Path
) -> None:
    with pytest.raises(BadBenchmarkError, match=says):
        UnderstandingBenchmark(write(tmp_path, *rows))


def test_a_bad_row_is_left_out_with_all_its_questions_and_named(tmp_path: Path) -> None:
    bad = {**ROW, "index": 1, "groups": [GROUP, {**GROUP, "difficulty": "hard", "answer": "E"}]}
    loaded = UnderstandingBenchmark(write(tmp_path, ROW, bad, ROW))
    assert {sample.id.partition("-")[0] for sample in loaded.samples()} == {"0"}
    answer, twice = loaded.left_out
    assert "row 1, hard: the answer 'E' is not among" in answer
    assert "row 2: index 0 is that of row 0, too" in twice


def test_rows_nested_too_deep_to_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "L1_annotations.json").write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(BadBenchmarkError, match=r"L1_annotations\.json: nested too deep"):
        UnderstandingBenchmark(tmp_path)


def test_a_tree_that_is_not_utf_8_is_named_with_its_row(tmp_path: Path) -> None:
    write(tmp_path, ROW)
    (tmp_path / "offline_images/os_android/one.xml").write_bytes(b'<node text="\xff"/>')
    with pytest.raises(BadBenchmarkError, match=r"row 0: .*one\.xml: not UTF-8: byte 12"):
        UnderstandingBenchmark(tmp_path)


def test_a_tree_that_was_changed_since_is_refused_when_it_is_read(tmp_path: Path) -> None:
    tree = write(tmp_path, ROW) / "offline_images/os_android/one.xml"
    tree.write_bytes(b"<node/>")
    (sample,) = UnderstandingBenchmark(tmp_path).samples()
    tree.write_bytes(b"\xff")
    seen = sample.observe().ui_tree
    assert seen is not None
    with pytest.raises(BadBenchmarkError, match=r"one\.xml: not UTF-8"):
        _ = seen.nodes


def test_a_tree_is_read_as_it_was_written(tmp_path: Path) -> None:
    xml = '<hierarchy>\r\n<node text="cut \ud83d"/>\r</hierarchy>'
    write(tmp_path, ROW)
    tree = tmp_path / "offline_images/os_android/one.xml"
    tree.write_bytes(xml.encode("utf-8", "surrogatepass"))
    (sample,) = UnderstandingBenchmark(tmp_path).samples()
    seen = sample.observe().ui_tree
    assert seen is not None
    assert seen.xml == xml


def test_the_data_hash_follows_the_data_and_not_the_place(tmp_path: Path) -> None:
    one = UnderstandingBenchmark(write(tmp_path / "one", ROW))
    two = UnderstandingBenchmark(write(tmp_path / "two", ROW))
    other = UnderstandingBenchmark(write(tmp_path / "other", {**ROW, "app_name": "Mail"}))
    assert one.data_sha256 == two.data_sha256 != other.data_sha256
