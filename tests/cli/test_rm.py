"""`tapwright episodes rm` and `restore`: told before, and undone after."""

import json
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.store.episodes import episode


@pytest.fixture
def store(tmp_path: Path) -> Path:
    opened = EpisodeStore(tmp_path / "store")
    for steps in (1, 2, 3):
        opened.write(episode(steps, f"of-{steps}"))
    return opened.root


def test_a_filter_removes_and_the_removal_comes_back(store: Path) -> None:
    run = tapwright("episodes", "rm", str(store), "--where", "steps > 1", "--format", "quiet")
    assert run.returncode == 0, run.stderr
    assert "rm: 2 of 3 episodes" in run.stderr
    assert run.stdout.split() == ["of-2", "of-3"]
    assert EpisodeStore(store).ids() == ["of-1"]
    rows = json.loads(tapwright("episodes", "restore", str(store)).stdout)
    assert [(row["episode"], row["reason"]) for row in rows] == [
        ("of-2", "steps > 1"),
        ("of-3", "steps > 1"),
    ]
    undone = tapwright("episodes", "restore", str(store), "--removal", rows[0]["removal"])
    assert "2 put back" in undone.stderr
    assert sorted(EpisodeStore(store).ids()) == ["of-1", "of-2", "of-3"]


def test_one_whose_id_was_recorded_again_is_named_and_the_others_come_back(store: Path) -> None:
    tapwright("episodes", "rm", str(store), "of-1", "of-2")
    EpisodeStore(store).write(episode(4, "of-1"))
    run = tapwright("episodes", "restore", str(store), "of-1", "of-2")
    assert run.returncode == 1
    assert "has an episode 'of-1' by now" in run.stderr
    assert "1 put back, 1 left in the trash" in run.stderr
    assert len(EpisodeStore(store).read("of-1").steps) == 4


def test_the_trash_is_emptied_with_a_yes_alone(store: Path) -> None:
    tapwright("episodes", "rm", str(store), "of-1")
    refused = tapwright("episodes", "restore", str(store), "--empty")
    assert refused.returncode == 2
    assert "repeat it with --yes" in refused.stderr
    assert tapwright("episodes", "restore", str(store), "--empty", "--yes").returncode == 0
    empty = tapwright("episodes", "restore", str(store))
    assert empty.returncode == 5
    assert not (store / ".trash").exists()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("rm",), 2, "which episodes?"),
        (("rm", "of-1", "missing"), 5, "no episode 'missing'"),
        (("rm", "--where", "steps > 9"), 5, "none of 3 episodes fits"),
        (("restore",), 5, "nothing is in its trash"),
        (("restore", "of-1", "--removal", "x"), 2, "both an ID and --removal"),
    ],
)
def test_what_cannot_be_done_changes_nothing(
    store: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    name, *others = words
    run = tapwright("episodes", name, str(store), *others)
    assert run.returncode == code
    assert says in run.stderr
    assert len(EpisodeStore(store).ids()) == 3


@pytest.mark.slow
def test_everything_of_a_large_store_wants_a_yes(tmp_path: Path) -> None:
    opened = EpisodeStore(tmp_path / "store")
    for number in range(101):
        opened.write(episode(0, f"e-{number}"))
    words = ("episodes", "rm", str(opened.root), "--where", "steps >= 0")
    refused = tapwright(*words)
    assert refused.returncode == 2
    assert "repeat it with --yes" in refused.stderr
    assert len(opened.ids()) == 101
    assert tapwright(*words, "--yes").returncode == 0
    assert opened.ids() == []


@pytest.mark.parametrize("words", [("rm", "of-1"), ("restore",), ("dedupe", "--remove")])
def test_a_store_at_a_url_is_refused(store: Path, words: tuple[str, ...]) -> None:
    name, *others = words
    run = tapwright("episodes", name, store.as_uri(), *others)
    assert run.returncode == 2
    assert "not at a URL" in run.stderr
    assert len(EpisodeStore(store).ids()) == 3
