import json
from pathlib import Path

import pytest

from tapwright.benchmarks.grounding import Grounding
from tapwright.benchmarks.own import make_benchmarks
from tapwright.benchmarks.understanding import Understanding
from tapwright.episode import Episode
from tapwright.errors import NothingFoundError, UsageError


def read_all(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_the_same_episodes_and_seed_give_the_same_bytes(
    episodes: list[Episode], tmp_path: Path
) -> None:
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        make_benchmarks(episodes, tmp_path / name, seed=seed)
    assert read_all(tmp_path / "one") == read_all(tmp_path / "two")
    assert read_all(tmp_path / "one") != read_all(tmp_path / "other")


def test_what_is_made_loads_and_is_counted(episodes: list[Episode], tmp_path: Path) -> None:
    counts = make_benchmarks(episodes, tmp_path / "own")
    assert counts.screens == 6  # the editor's screen was recorded twice
    assert counts.questions == len(Understanding(tmp_path / "own").samples())
    assert counts.targets == len(Grounding(tmp_path / "own").samples()) > 30


@pytest.mark.parametrize("seed", range(8))
def test_exactly_one_option_is_right(seed: int, episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own", seed=seed)
    for question in Understanding(tmp_path / "own").samples():
        options = dict(question.options)
        assert 4 <= len(options) <= 6
        assert len({text.casefold() for text in options.values()}) == len(options)
        tree = question.observe().ui_tree
        assert tree is not None
        shown = "\n".join(node.text for node in tree.nodes)
        if "texts can be read" in question.instruction or "能看到" in question.instruction:
            assert [letter for letter, text in options.items() if text in shown] == [
                question.answer
            ]


def test_a_target_is_the_only_element_of_its_name(episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    for target in Grounding(tmp_path / "own").samples():
        tree = target.observe().ui_tree
        assert tree is not None
        node = tree.at(target.box.center)
        assert node is not None
        assert node.box == target.box


def test_both_languages_and_all_kinds_are_there(episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own", per_screen=9)
    targets = Grounding(tmp_path / "own").samples()
    words = " ".join(target.instruction for target in targets)
    assert '"Wi-Fi" switch' in words
    assert "“世界时钟”项目" in words
    assert {(t.labels["grounding_type"], t.labels["data_type"]) for t in targets} == {
        (one, other) for one in ("basic", "advanced") for other in ("icon", "text")
    }


def test_a_limit_takes_the_apps_in_turn(episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own", limit=4)
    apps = [sample.labels["app"] for sample in Grounding(tmp_path / "own").samples()]
    assert set(apps) == {"Clock", "Mail", "Notes", "Settings"}


def test_the_proof_stands_beside_the_answer(episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    rows = json.loads((tmp_path / "own" / "L1_annotations.json").read_text("utf-8"))
    assert all(group["explanation"] for row in rows for group in row["groups"])


def test_a_directory_that_exists_is_not_touched(episodes: list[Episode], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="exists already"):
        make_benchmarks(episodes, tmp_path)


def test_episodes_without_trees_give_nothing(tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError):
        make_benchmarks([], tmp_path / "own")
    assert not (tmp_path / "own").exists()
