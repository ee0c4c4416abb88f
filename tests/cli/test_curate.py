"""`tapwright episodes dedupe` and `split`: reported, done, undone."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.store.episodes import episode


@pytest.fixture
def store(tmp_path: Path) -> Path:
    opened = EpisodeStore(tmp_path / "store")
    for number in range(8):
        one = episode(1 + number % 4, f"e-{number}")
        outcome = "failure" if number > 3 else "success"
        opened.write(replace(one, task_id=f"task {number}", outcome=outcome))  # type: ignore[arg-type]
    return opened.root


def test_duplicates_go_to_the_trash_and_come_back(store: Path) -> None:
    run = tapwright("episodes", "dedupe", str(store), "--remove")
    assert run.returncode == 0, run.stderr
    rows = json.loads(run.stdout)
    assert [row["episode"] for row in rows if row["kept"]] == ["e-0", "e-1", "e-2", "e-3"]
    assert "4 groups; of 8 episodes 4 duplicate a better one" in run.stderr
    assert EpisodeStore(store).ids() == ["e-0", "e-1", "e-2", "e-3"]
    trash = json.loads(tapwright("episodes", "restore", str(store)).stdout)
    assert {row["reason"] for row in trash} == {f"duplicate of e-{n}" for n in range(4)}
    tapwright("episodes", "restore", str(store), "--removal", trash[0]["removal"])
    assert len(EpisodeStore(store).ids()) == 8


def test_without_remove_nothing_goes(store: Path) -> None:
    run = tapwright("episodes", "dedupe", str(store), "--where", "steps > 2")
    assert "2 groups; of 4 episodes 2 duplicate a better one" in run.stderr
    assert len(EpisodeStore(store).ids()) == 8


def test_a_split_tags_and_keeps_duplicates_together(store: Path) -> None:
    words = ("episodes", "split", str(store), "--by", "task", "--ratio", "1,1")
    run = tapwright(*words)
    assert run.returncode == 0
    assert "reached train 50.0% (asked: 50.0%), test 50.0% (asked: 50.0%)" in run.stderr

    def listed(where: str) -> list[str]:
        run = tapwright("episodes", "ls", str(store), "--where", where, "--format", "quiet")
        return run.stdout.split()

    train, test = listed('tag("split:train")'), listed('tag("split:test")')
    assert len(train) + len(test) == 8
    for number in range(4):
        assert (f"e-{number}" in train) == (f"e-{number + 4}" in train)
    assert "0 tagged, 8 were so already" in tapwright(*words).stderr
    other = tapwright(*words, "--names", "a,b")
    assert other.returncode == 0
    assert listed('tag("split:train") or tag("split:test")') == []


def test_parts_are_written_as_lists_and_stores(store: Path) -> None:
    words = ("episodes", "split", str(store), "--by", "episode", "--ratio", "1,1")
    lists = tapwright(*words, "--as", "lists", "-o", "lists", cwd=store.parent)
    stores = tapwright(*words, "--as", "stores", "-o", "parts", cwd=store.parent)
    assert (lists.returncode, stores.returncode) == (0, 0), lists.stderr + stores.stderr
    for name in ("train", "test"):
        named = (store.parent / "lists" / f"{name}.txt").read_text().split()
        assert sorted(EpisodeStore(store.parent / "parts" / name).ids()) == sorted(named)
    assert "2 stores in parts" in stores.stderr
    one = (*words, "--where", 'id == "e-0"', "--as", "stores", "-o", "single")
    assert "1 stores in single" in tapwright(*one, cwd=store.parent).stderr
    other = (*words, "--ratio", "3,1", "--as", "stores", "-o", "parts")
    refused = tapwright(*other, cwd=store.parent)
    assert refused.returncode == 2
    assert "does not belong to" in refused.stderr


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("split", "--by", "task", "--where", "steps > 9"), 5, "none of 8 episodes fits"),
        (("split", "--by", "app"), 2, "episodes name no app"),
        (("split", "--by", "task", "--ratio", "1"), 2, "--ratio 1"),
        (("split", "--by", "task", "--as", "lists"), 2, "needs -o DIR"),
        (("split", "--by", "task", "-o", "x"), 2, "takes no -o DIR"),
        (("split", "--by", "task", "--names", "a b,c", "--ratio", "1,1"), 2, "is no tag"),
        (("dedupe", "--where", "stps > 9"), 2, "did you mean 'steps'?"),
    ],
)
def test_what_cannot_be_done_changes_nothing(
    store: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    name, *others = words
    run = tapwright("episodes", name, str(store), *others, cwd=store.parent)
    assert run.returncode == code, run.stderr
    assert says in run.stderr
    assert not list(store.glob("*/tags.jsonl"))
