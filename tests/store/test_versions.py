"""What an edit leaves in a store: versions beside the recording, and the way back."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.episode import Episode, Step
from tapwright.errors import CorruptEpisodeError, StoreError
from tapwright.store.errors import EditConflictError, EpisodeExistsError, EpisodeMissingError
from tapwright.store.store import EpisodeStore
from tapwright.store.versions import lock_episode
from tests.store.episodes import episode, step
from tests.strategies import EPISODES, STEPS


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    made = EpisodeStore(tmp_path)
    made.write(episode(5))
    return made


def shorten(store: EpisodeStore, *, by: int = 1) -> None:
    before = store.read("demo")
    store.save(before, replace(before, steps=before.steps[by:]), edit=f"delete:0:{by}")


def files(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(directory.rglob("*")):
        if path.is_file() and path.name != "log.jsonl":
            yield str(path.relative_to(directory)), path.read_bytes()


@given(episode=EPISODES, steps=st.lists(STEPS, max_size=3), data=st.data())
def test_whatever_an_edit_makes_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    episode: Episode,
    steps: list[Step],
    data: st.DataObject,
) -> None:
    store = EpisodeStore(tmp_path_factory.mktemp("store"))
    store.write(episode)
    before = store.read(episode.id)
    pool = [*before.steps, *steps]
    chosen = data.draw(st.lists(st.sampled_from(pool), max_size=5)) if pool else []
    rewarded = [replace(one, reward=data.draw(st.floats(-5, 5))) for one in chosen]
    after = replace(before, steps=(*chosen, *rewarded), instruction="another")
    saved = store.save(before, after, edit="any")
    assert saved.version == episode.version + 1
    assert store.read(episode.id) == saved
    assert store.read(episode.id, version=episode.version) == episode


@given(episode=EPISODES)
def test_an_episode_that_is_opened_is_the_one_that_is_read(
    tmp_path_factory: pytest.TempPathFactory, episode: Episode
) -> None:
    store = EpisodeStore(tmp_path_factory.mktemp("store"))
    store.write(episode)
    assert store.open(episode.id) == store.read(episode.id) == episode
    opened = store.open(episode.id)
    assert [replace(one, reward=1.0) for one in opened.steps] == [
        replace(one, reward=1.0) for one in episode.steps
    ]


def test_an_edit_of_one_step_reads_no_other_and_keeps_their_lines(store: EpisodeStore) -> None:
    path = store.root / "demo" / "steps.jsonl"
    lines = path.read_bytes().splitlines()
    lines[3] = lines[3].replace(b'"step"', b'"step","broken":1', 1)
    path.write_bytes(b"\n".join(lines) + b"\n")
    before = store.open("demo")
    rewarded = replace(before.steps[1], reward=2.5)
    after = replace(before, steps=(before.steps[0], rewarded, *before.steps[2:]))
    store.save(before, after, edit="rewardize")
    saved = (store.root / "demo" / "versions" / "2" / "steps.jsonl").read_bytes().splitlines()
    assert [old == new for old, new in zip(lines, saved, strict=True)] == [
        True, False, True, True, True, True,
    ]  # fmt: skip
    opened = store.open("demo")
    assert opened.steps[1].reward == 2.5
    with pytest.raises(CorruptEpisodeError, match=r"2/steps\.jsonl, line 4: not a step"):
        _ = opened.steps[3].reward


def test_an_undo_after_an_edit_is_the_identity(store: EpisodeStore) -> None:
    recorded = store.read("demo")
    shorten(store)
    store.undo("demo")
    assert store.read("demo") == recorded


def test_edits_undone_and_done_again_come_in_their_order(store: EpisodeStore) -> None:
    shorten(store)
    shorten(store)
    lengths = []
    for turn in (store.undo, store.undo, store.redo, store.redo, store.undo):
        turn("demo")
        lengths.append(len(store.read("demo").steps))
    assert lengths == [4, 5, 4, 3, 4]


def test_an_edit_after_an_undo_hides_what_was_undone_and_keeps_it(store: EpisodeStore) -> None:
    shorten(store)
    store.undo("demo")
    shorten(store, by=3)
    with pytest.raises(StoreError):
        store.redo("demo")
    assert [len(store.read("demo", version=number).steps) for number in (1, 2, 3)] == [5, 4, 2]
    assert [change.change for change in store.history("demo").changes] == ["edit", "undo", "edit"]


def test_nothing_that_was_there_is_changed_by_an_edit(store: EpisodeStore) -> None:
    before = dict(files(store.root))
    shorten(store)
    shorten(store)
    after = dict(files(store.root))
    assert {name: after[name] for name in before} == before
    assert sorted(set(after) - set(before)) == [
        f"demo/versions/{number}/{name}"
        for number in (2, 3)
        for name in ("episode.json", "steps.jsonl")
    ]


def test_there_is_nothing_to_undo_or_redo_in_what_was_never_edited(store: EpisodeStore) -> None:
    with pytest.raises(StoreError, match="as it was recorded"):
        store.undo("demo")
    with pytest.raises(StoreError, match="no edit was undone"):
        store.redo("demo")


def test_an_editor_who_comes_second_is_refused(store: EpisodeStore) -> None:
    seen = store.read("demo")
    shorten(store)
    with pytest.raises(EditConflictError, match="version 1, and version 2"):
        store.save(seen, replace(seen, outcome="failure"), edit="outcome:failure")
    assert store.read("demo").outcome == "success"


def test_of_editors_at_once_one_wins_and_the_others_are_told(store: EpisodeStore) -> None:
    seen, start = store.read("demo"), threading.Barrier(6)

    def edit(number: int) -> int:
        start.wait()
        try:
            return store.save(seen, replace(seen, instruction=str(number)), edit="i").version
        except EditConflictError:
            return 0

    with ThreadPoolExecutor(6) as pool:
        versions = sorted(pool.map(edit, range(6)))
    assert versions == [0, 0, 0, 0, 0, 2]
    assert len(store.history("demo").changes) == 1


@pytest.mark.slow
def test_an_edit_while_another_is_made_is_refused(store: EpisodeStore) -> None:
    with (
        lock_episode(store.root / "demo"),
        pytest.raises(EditConflictError, match="another process"),
    ):
        shorten(store)
    shorten(store)


def test_a_removed_episode_is_gone_until_it_is_undone(store: EpisodeStore) -> None:
    recorded = store.read("demo")
    store.remove(recorded)
    assert "demo" not in store
    assert store.ids() == []
    with pytest.raises(EpisodeMissingError) as caught:
        store.read("demo")
    assert "undo" in caught.value.hint
    with pytest.raises(EpisodeExistsError):
        store.write(recorded)
    with pytest.raises(EditConflictError):
        store.remove(recorded)
    store.undo("demo")
    assert store.read("demo") == recorded
    store.redo("demo")
    assert "demo" not in store


def test_a_version_that_never_was_is_told(store: EpisodeStore) -> None:
    with pytest.raises(StoreError, match="no version 7") as caught:
        store.read("demo", version=7)
    assert "episodes log" in caught.value.hint


def test_what_cannot_be_stored_leaves_the_version_before(store: EpisodeStore) -> None:
    before = store.read("demo")
    bad = replace(before.steps[2], reward=float("nan"))
    with pytest.raises(StoreError, match=r"demo, step 1: cannot be stored: reward"):
        store.save(before, replace(before, steps=(before.steps[0], bad)), edit="bad")
    assert store.read("demo") == before
    assert store.history("demo").changes == ()


KILLED = """
import os, sys
from dataclasses import replace
from pathlib import Path
from tapwright.store import versions
from tapwright.store.store import EpisodeStore

store = EpisodeStore(sys.argv[1])
before = store.read("demo")
versions.VersionHistory.append = lambda *_: os._exit(9)
store.save(before, replace(before, steps=before.steps[:1]), edit="crop:0:1")
"""


def test_a_crash_before_the_log_is_written_leaves_the_version_before(store: EpisodeStore) -> None:
    run = subprocess.run(
        [sys.executable, "-c", KILLED, str(store.root)],
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert run.returncode == 9
    assert (store.root / "demo" / "versions" / "2").is_dir()
    assert len(store.read("demo").steps) == 5
    shorten(store)
    assert store.read("demo").version == 3


@pytest.mark.parametrize("damage", ["{}", "no", '{"change":"edit"}', '"x"'])
def test_a_log_that_is_damaged_is_told_by_line(store: EpisodeStore, damage: str) -> None:
    shorten(store)
    log = store.root / "demo" / "versions" / "log.jsonl"
    log.write_text(log.read_text() + damage + "\n")
    with pytest.raises(CorruptEpisodeError, match=r"log\.jsonl, line 2") as caught:
        store.read("demo")
    assert "every version is intact" in caught.value.hint


def test_a_number_that_something_else_has_is_passed_over(store: EpisodeStore) -> None:
    before = store.read("demo")
    (store.root / "demo" / "versions" / "2").mkdir(parents=True)
    (store.root / "demo" / "versions" / "3").write_text("in the way")
    shorten(store)
    assert store.read("demo").version == 4
    assert store.read("demo", version=1) == before


def test_steps_of_another_episode_bring_their_frames_along(store: EpisodeStore) -> None:
    store.write(replace(episode(0, "other"), steps=(step(7), step(8))))
    demo, other = store.read("demo"), store.read("other")
    store.save(demo, replace(demo, steps=demo.steps + other.steps), edit="merge")
    found = store.read("demo")
    assert [one.observation.screenshot.data for one in found.steps[5:]] == [
        one.observation.screenshot.data for one in other.steps
    ]
    assert found.steps[6].observation.ui_tree == other.steps[1].observation.ui_tree
