"""`tapwright episodes copy`: stores are merged and split, and the count is told."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.store.episodes import episode


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    for store, steps in (("a", 1), ("a", 2), ("b", 3)):
        EpisodeStore(tmp_path / store).write(episode(steps, f"of-{steps}"))
    return tmp_path


def test_two_stores_are_merged_and_the_copies_can_be_taken_away(stores: Path) -> None:
    run = tapwright("episodes", "copy", "a", "b", "all", "--tag", "new", cwd=stores)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["copied"] == 3
    assert "copy: 3 episodes of 2 stores" in run.stderr
    assert EpisodeStore(stores / "all").ids() == ["of-1", "of-2", "of-3"]
    removed = tapwright("episodes", "rm", "all", "--where", 'tag("new")', cwd=stores)
    assert removed.returncode == 0
    assert EpisodeStore(stores / "all").ids() == []


def test_another_episode_of_the_same_id_is_named_and_the_others_come(stores: Path) -> None:
    EpisodeStore(stores / "b").write(replace(episode(4), id="of-1"))
    run = tapwright("episodes", "copy", "a", "b", cwd=stores)
    assert run.returncode == 1
    assert "a, of-1: b: has another episode 'of-1'" in run.stderr
    assert json.loads(run.stdout) | {"files_linked": 0} == {
        "copied": 1,
        "there": 0,
        "refused": 1,
        "unreadable": 0,
        "files_linked": 0,
        "files_copied": 2,
    }


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("a", "c", "--where", "steps > 9"), 5, "none of 2 episodes fits"),
        (("a", "c", "--where", "stps > 9"), 2, "did you mean 'steps'?"),
        (("a", "a"), 2, "into itself"),
        (("a", "c", "--tag", "two words"), 2, "is no tag"),
        (("nothing", "c"), 5, "no episodes"),
    ],
)
def test_what_cannot_be_done_makes_no_store(
    stores: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    run = tapwright("episodes", "copy", *words, cwd=stores)
    assert run.returncode == code
    assert says in run.stderr
    assert not (stores / "c").exists()
