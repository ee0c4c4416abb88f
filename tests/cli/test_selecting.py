"""`--where` and its fellows: the same choice, count, exit code and error in every command."""

import json
from pathlib import Path

import pytest

from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.store.episodes import episode

COMMANDS = {
    "ls": ("episodes", "ls"),
    "stats": ("episodes", "stats"),
    "check": ("episodes", "check"),
    "frames": ("episodes", "frames", "-o", "out"),
    "sheet": ("episodes", "sheet", "-o", "out.jpg"),
    "bundle": ("episodes", "bundle", "-o", "out"),
    "export": ("episodes", "export", "--to", "mobile-env", "-o", "out"),
    "pack": ("episodes", "pack", "-o", "out"),
    "tag": ("episodes", "tag", "--add", "x"),
    "annotate": ("annotate", "run"),
    "eval": ("eval", "make", "-o", "out"),
    "sft": ("sft", "export", "--to", "trl", "--convention", "json", "-o", "out"),
}
EVERY = pytest.mark.parametrize("name", COMMANDS)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    opened = EpisodeStore(tmp_path / "store")
    for steps in (1, 2, 3, 4):
        opened.write(episode(steps, f"of-{steps}"))
    return opened.root


@EVERY
def test_a_filter_that_nothing_meets_ends_with_5_and_writes_nothing(store: Path, name: str) -> None:
    run = tapwright(*COMMANDS[name], str(store), "--where", "steps > 99", cwd=store.parent)
    assert run.returncode == 5, run.stderr
    assert "fit" in run.stderr
    assert "TW103" in run.stderr
    assert [path.name for path in store.parent.iterdir()] == ["store"]


@EVERY
def test_an_unknown_column_is_named_with_the_one_that_was_meant(store: Path, name: str) -> None:
    for words in (("--where", "stepz > 1"), ("--sort", "-stepz")):
        run = tapwright(*COMMANDS[name], str(store), *words, cwd=store.parent)
        assert run.returncode == 2
        assert "no column 'stepz'" in run.stderr
        assert "did you mean 'steps'?" in run.stderr


@pytest.mark.parametrize("name", ["check", "frames", "sheet", "bundle", "export", "pack", "stats"])
def test_how_many_fit_is_told(store: Path, name: str) -> None:
    words = (*COMMANDS[name], str(store), "--where", "steps > 2")
    run = tapwright(*words, cwd=store.parent)
    assert "2 of 4 episodes" in run.stderr, run.stderr


def test_an_order_and_a_limit_pick_the_longest(store: Path) -> None:
    words = ("--sort", "-steps", "--limit", "1")
    run = tapwright("episodes", "frames", str(store), *words, "-o", "out", cwd=store.parent)
    assert run.returncode == 0, run.stderr
    assert [path.name for path in (store.parent / "out").iterdir()] == ["of-4"]


def test_a_sample_is_the_same_for_the_same_seed(store: Path) -> None:
    def sample(out: str) -> list[str]:
        words = ("--sample", "2", "--sample-seed", "7", "-o", out)
        assert tapwright("episodes", "pack", str(store), *words, cwd=store.parent).returncode == 0
        listed = tapwright("episodes", "unpack", out, "-o", f"{out}-back", cwd=store.parent)
        return [row["episode"] for row in json.loads(listed.stdout)]

    assert len(sample("one")) == 2
    assert sample("one") == sample("two")


def test_a_pack_of_another_filter_replaces_what_was_packed(store: Path) -> None:
    for where, left in (("steps < 3", ["of-1", "of-2"]), ("steps > 3", ["of-4"])):
        words = ("--where", where, "-o", "packed")
        assert tapwright("episodes", "pack", str(store), *words, cwd=store.parent).returncode == 0
        back = f"back-{len(left)}"
        tapwright("episodes", "unpack", "packed", "-o", back, cwd=store.parent)
        assert sorted(EpisodeStore(store.parent / back).ids()) == left


@pytest.mark.parametrize("name", ["frames", "sheet", "export", "pack", "tag", "check"])
def test_a_broken_episode_in_between_is_named_and_the_others_are_done(
    store: Path, name: str
) -> None:
    (store / directory_name("of-3") / "steps.jsonl").write_text("broken\n{}\n")
    words = (*COMMANDS[name], str(store), "--where", "steps > 1")
    run = tapwright(*words, cwd=store.parent)
    assert run.returncode == 1
    assert "of-3" in run.stderr
    assert "2 of 3 episodes" in run.stderr


def test_episodes_are_named_or_selected(store: Path) -> None:
    for words in (("--where", "steps > 1"), ("--sort", "steps"), ("--limit", "1")):
        run = tapwright("episodes", "check", str(store), "of-1", *words)
        assert run.returncode == 2
        assert "named or selected" in run.stderr
