"""Undo and redo of an edit with the episodes that it added."""

from pathlib import Path

import pytest

from tapwright.curate.edit.save import edit_episodes
from tapwright.curate.edit.undo import redo_edit, undo_edit
from tapwright.errors import StoreError
from tapwright.store.errors import EditConflictError
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    made = EpisodeStore(tmp_path)
    for name in "abc":
        made.write(episode(4, name))
    return made


def lengths(store: EpisodeStore) -> dict[str, int]:
    return {one.id: len(one.steps) for one in store}


def test_a_split_is_undone_and_redone_as_a_whole(store: EpisodeStore) -> None:
    edit_episodes(store, ["a"], "split:1:tail")
    for _ in range(2):
        assert undo_edit(store, "a").parts == ("tail",)
        assert lengths(store) == {"a": 4, "b": 4, "c": 4}
        assert redo_edit(store, "a").parts == ("tail",)
        assert lengths(store) == {"a": 1, "tail": 3, "b": 4, "c": 4}


def test_of_many_episodes_each_undo_takes_the_part_of_its_own(store: EpisodeStore) -> None:
    edit_episodes(store, ["a", "b", "c"], "2:split:3,1:split:2:mid,0:rewardize:0:1")
    assert undo_edit(store, "a").parts == ()
    assert undo_edit(store, "b").parts == ("mid",)
    assert lengths(store) == {"a": 4, "b": 4, "c": 3, "c-3": 1}


def test_a_part_that_was_edited_keeps_the_split_until_that_is_undone(store: EpisodeStore) -> None:
    edit_episodes(store, ["a"], "split:1:tail")
    edit_episodes(store, ["tail"], "delete:0:1")
    with pytest.raises(EditConflictError, match="'tail'") as caught:
        undo_edit(store, "a", 2)
    assert caught.value.values == {"id": "a", "part": "tail"}
    assert (lengths(store)["a"], lengths(store)["tail"]) == (1, 2)
    undo_edit(store, "tail")
    undo_edit(store, "a", 2)
    assert lengths(store) == {"a": 4, "b": 4, "c": 4}


def test_a_part_that_somebody_removed_stays_so(store: EpisodeStore) -> None:
    edit_episodes(store, ["a"], "split:1:tail")
    edit_episodes(store, ["tail"], "remove")
    assert undo_edit(store, "a").parts == ()
    assert redo_edit(store, "a").parts == ()
    assert "tail" not in store


def test_an_undo_that_was_cut_off_is_completed_by_the_same_again(store: EpisodeStore) -> None:
    edit_episodes(store, ["a"], "split:1:tail")
    store.remove(store.open("tail"), edit="undo of version 2 of a")
    undo_edit(store, "a", 2)
    assert lengths(store)["a"] == 4
    assert redo_edit(store, "a").parts == ("tail",)


def test_an_undo_of_another_version_changes_nothing(store: EpisodeStore) -> None:
    edit_episodes(store, ["a"], "split:1:tail")
    for change in (undo_edit, redo_edit):
        with pytest.raises(EditConflictError):
            change(store, "a", 1)
    with pytest.raises(StoreError):
        redo_edit(store, "a")
    assert lengths(store)["tail"] == 3
