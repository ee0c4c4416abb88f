import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.curate.edit.difference import difference, step_line
from tapwright.curate.edit.errors import BadModifierError
from tapwright.curate.edit.journal import pending_edits
from tapwright.curate.edit.save import SavedEdit, edit_episodes, save_edits
from tapwright.errors import UsageError
from tapwright.store.errors import EpisodeExistsError
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    made = EpisodeStore(tmp_path)
    for name in "abc":
        made.write(episode(4, name))
    return made


def test_what_modifiers_make_is_kept_and_what_they_left_alone_has_no_new_version(
    store: EpisodeStore,
) -> None:
    assert edit_episodes(store, ["a", "b"], "1:delete:0:1") == [SavedEdit("b", "edited", 2)]
    assert [store.read(name).version for name in "abc"] == [1, 2, 1]
    assert store.history("b").changes[0].edit == "1:delete:0:1"


def test_a_bad_modifier_changes_nothing_even_behind_good_ones(store: EpisodeStore) -> None:
    with pytest.raises(BadModifierError, match="modifier 3"):
        edit_episodes(store, ["a", "b"], "0:delete:0:1,1:remove,0:delete:9:10")
    assert [store.read(name).version for name in "abc"] == [1, 1, 1]


def test_a_split_and_a_merge_come_back_by_undo(store: EpisodeStore) -> None:
    assert edit_episodes(store, ["a"], "split:1:tail") == [
        SavedEdit("tail", "new", 1),
        SavedEdit("a", "edited", 2),
    ]
    assert edit_episodes(store, ["a", "tail"], "0:merge") == [
        SavedEdit("a", "edited", 3),
        SavedEdit("tail", "removed", 1),
    ]
    assert store.read("a").steps == episode(4, "a").steps
    assert "tail" not in store
    store.undo("tail")
    store.undo("a")
    assert [len(store.read(name).steps) for name in ("a", "tail")] == [1, 3]


def test_a_name_that_is_taken_is_refused_before_anything_is_changed(store: EpisodeStore) -> None:
    with pytest.raises(EpisodeExistsError, match="'b' already"):
        edit_episodes(store, ["a"], "split:1:b")
    with pytest.raises(UsageError, match="the same id"):
        edit_episodes(store, ["a", "b"], "0:split:1:b")
    assert store.read("a").version == 1


def test_what_nobody_changed_is_not_kept_again(store: EpisodeStore) -> None:
    before = [store.read("a")]
    assert save_edits(store, before, before, edit="nothing") == []


def test_a_difference_shows_what_went_and_what_came() -> None:
    before = episode(5)
    changed = replace(before.steps[2], reward=1.0)
    after = replace(
        before, steps=(*before.steps[:2], changed, *before.steps[3:]), outcome="failure"
    )
    assert [(line.sign, line.step) for line in difference(before, after)] == [
        ("-", None), ("+", None), (" ", 1), ("-", 2), ("+", 2), (" ", 3),
    ]  # fmt: skip
    assert difference(before, before) == []
    assert "reward +1" in step_line(changed)


def filled(root: Path) -> EpisodeStore:
    made = EpisodeStore(root)
    for name in "abc":
        made.write(episode(4, name))
    return made


def edit_until(deaths: int, store: EpisodeStore, ids: Sequence[str], modifiers: str) -> None:
    """Edit in a process that dies at the change of the file system with this number."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    left = deaths

    def count(event: str, _: object) -> None:
        nonlocal left
        if event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir"):
            left -= 1
            if left < 0:
                os._exit(9)

    sys.addaudithook(count)
    edit_episodes(store, ids, modifiers)
    os._exit(0)


BULK = (
    "0:rewardize:0:2,1:rewardize:1:3,2:rewardize:0:1",
    "1:split:2:tail,0:delete:0:1",
    "0:merge,1:rewardize:0:5",
    "2:remove,0:crop:1:3",
)


@pytest.mark.slow
@given(modifiers=st.sampled_from(BULK), named=st.booleans(), deaths=st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_an_edit_goes_on_after_a_death_and_changes_nothing_twice(
    modifiers: str, named: bool, deaths: int
) -> None:
    with TemporaryDirectory() as folder:
        whole, torn = filled(Path(folder, "whole")), filled(Path(folder, "torn"))
        ids = ["a", "b", "c"] if named else []
        expected = edit_episodes(whole, ids, modifiers)
        edit_until(deaths, torn, ids, modifiers)
        made = edit_episodes(torn, ids, modifiers, once=True)
        # A version whose writer died keeps its number.
        assert [(one.id, one.what) for one in made] == [(one.id, one.what) for one in expected]
        assert pending_edits(torn.root) == []
        assert [replace(one, version=1) for one in torn] == [
            replace(one, version=1) for one in whole
        ]
        for id_ in "abc":
            ours, theirs = (store.history(id_).changes for store in (torn, whole))
            assert [one.change for one in ours] == [one.change for one in theirs]


def test_an_edit_that_is_made_again_on_purpose_is_made_again(store: EpisodeStore) -> None:
    for _ in range(2):
        edit_episodes(store, [], "0:rewardize:0:2")
    assert store.read("a").steps[0].reward == episode(4, "a").steps[0].reward + 4


def test_an_edit_that_ended_is_not_made_again_while_all_is_as_it_left_it(
    store: EpisodeStore,
) -> None:
    def rewards() -> list[float]:
        return [store.read(id_).steps[0].reward for id_ in "abc"]

    started = rewards()[0]
    first = edit_episodes(store, [], "0:rewardize:0:2", once=True)
    second = edit_episodes(store, [], "0:rewardize:0:2", once=True)
    assert second == [replace(one, earlier=True) for one in first]
    assert rewards()[0] == started + 2
    store.undo("a")
    edit_episodes(store, [], "0:rewardize:0:2", once=True)
    assert rewards()[0] == started + 2
    edit_episodes(store, ["b"], "rewardize:0:1")
    edit_episodes(store, [], "0:rewardize:0:2", once=True)
    assert rewards()[0] == started + 4
    store.write(episode(4, "d"))
    edit_episodes(store, [], "0:rewardize:0:2", once=True)
    assert rewards()[0] == started + 6
    assert len(list((store.root / ".edits").iterdir())) == 1
    assert pending_edits(store.root) == []
