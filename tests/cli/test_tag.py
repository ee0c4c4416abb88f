"""`tapwright episodes tag`: by id or filter, told before it is done, and repeatable."""

from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.episode import Episode
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright


@pytest.fixture
def store(tmp_path: Path, episodes: list[Episode]) -> Path:
    opened = EpisodeStore(tmp_path / "store")
    for one in episodes:
        opened.write(one)
    return opened.root


def listed(store: Path, where: str) -> list[str]:
    run = tapwright("episodes", "ls", str(store), "--where", where, "--format", "quiet")
    return sorted(run.stdout.split())


def test_a_filter_tags_what_it_lists_and_nothing_else(store: Path) -> None:
    wanted = listed(store, "steps > 1")
    assert wanted
    run = tapwright("episodes", "tag", str(store), "--where", "steps > 1", "--add", "long")
    assert run.returncode == 0, run.stderr
    assert f"tag: {len(wanted)} of 5 episodes" in run.stderr
    assert listed(store, 'tag("long")') == wanted
    again = tapwright("episodes", "tag", str(store), "--where", "steps > 1", "--add", "long")
    assert f"0 changed, {len(wanted)} were so already" in again.stderr


def test_tags_of_named_episodes_are_removed_again(store: Path) -> None:
    assert tapwright("episodes", "tag", str(store), "a", "b", "--add", "bad").returncode == 0
    assert tapwright("episodes", "tag", str(store), "a", "--remove", "bad").returncode == 0
    assert listed(store, 'tag("bad")') == ["b"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("a",), "neither --add nor --remove"),
        (("a", "--add", "two words"), "is no tag"),
        (("a", "--where", "steps > 1", "--add", "x"), "named or selected"),
        (("--where", "steps > 99", "--add", "x"), "none of 5 episodes fits"),
        (("--where", "stps > 9", "--add", "x"), "did you mean 'steps'?"),
        (("missing", "--add", "x"), "no episode 'missing'"),
    ],
)
def test_what_cannot_be_done_changes_nothing(
    store: Path, words: tuple[str, ...], says: str
) -> None:
    run = tapwright("episodes", "tag", str(store), *words)
    assert run.returncode != 0
    assert says in run.stderr
    assert not list(store.glob("*/tags.jsonl"))


@pytest.mark.slow
def test_more_than_a_hundred_want_a_yes(tmp_path: Path, episodes: list[Episode]) -> None:
    opened = EpisodeStore(tmp_path / "store")
    for number in range(101):
        opened.write(replace(episodes[0], id=f"copy-{number}"))
    words = ("episodes", "tag", str(opened.root), "--where", "steps > 0", "--add", "x")
    refused = tapwright(*words)
    assert refused.returncode != 0
    assert "repeat it with --yes" in refused.stderr
    assert listed(opened.root, 'not tag("x")') == sorted(opened.ids())
    assert tapwright(*words, "--yes").returncode == 0
    assert len(listed(opened.root, 'tag("x")')) == 101
