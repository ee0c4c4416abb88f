import json
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.actions import Wait
from tapwright.benchmarks.grounding import Grounding
from tapwright.benchmarks.own import make_benchmarks
from tapwright.benchmarks.understanding import Understanding
from tapwright.episode import Episode
from tapwright.errors import CorruptEpisodeError, NothingFoundError, UsageError
from tapwright.store import EpisodeStore
from tests.conftest import Row, episode, paint


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


def test_a_word_that_is_read_is_not_told_by_the_purpose_of_an_icon(tmp_path: Path) -> None:
    inbox = paint("mail", "收件箱", [Row("附件"), Row("星标"), Row("未读"), Row("全部")])
    make_benchmarks([episode("g", "看邮件", [(inbox, Wait())])], tmp_path / "own")
    told = [target.instruction for target in Grounding(tmp_path / "own").samples()]
    assert any("附件" in words for words in told)
    assert not any("附上一个文件" in words for words in told)


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


def test_nothing_is_left_behind_when_a_picture_cannot_be_read(
    episodes: list[Episode], tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path / "store")
    store.write(episodes[0])
    for frame in (tmp_path / "store").rglob("frames/*"):
        frame.unlink()
    with pytest.raises(CorruptEpisodeError):
        make_benchmarks(store, tmp_path / "own")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_a_name_with_half_an_emoji_is_kept(episodes: list[Episode], tmp_path: Path) -> None:
    half = [
        replace(
            episode,
            steps=tuple(
                replace(step, observation=replace(step.observation, app="app \ud83d"))
                for step in episode.steps
            ),
        )
        for episode in episodes
    ]
    make_benchmarks(half, tmp_path / "own")
    rows = json.loads((tmp_path / "own" / "L2_annotations.json").read_bytes())
    assert "App \ud83d" in {row["app_name"] for row in rows}
