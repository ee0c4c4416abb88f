"""`tapwright episodes edit --where`: many at once, by name, and once only."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.curate.edit.journal import open_journal
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.store.episodes import episode


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    opened = EpisodeStore(tmp_path / "store")
    for steps in (2, 3, 4):
        opened.write(episode(steps, f"of-{steps}"))
    return opened


def test_fields_of_all_that_fit_are_set(store: EpisodeStore) -> None:
    said = 'Say "a, b: c"'
    words = ("--where", "steps > 2", "--set", f"instruction={said}", "--set", "outcome=failure")
    run = tapwright("episodes", "edit", str(store.root), *words)
    assert run.returncode == 0, run.stderr
    assert "edit: 2 of 3 episodes" in run.stderr
    assert [row["episode"] for row in json.loads(run.stdout)] == ["of-3", "of-4"]
    found = {one.id: (one.instruction, one.outcome, one.version) for one in store}
    assert found["of-2"] == ("Tap the buttons", "success", 1)
    assert found["of-3"] == found["of-4"] == (said, "failure", 2)


def test_what_has_the_value_already_gets_no_version(store: EpisodeStore) -> None:
    words = ("edit", str(store.root), "of-2", "of-3", "--set", "outcome=success")
    run = tapwright("episodes", *words, "--format", "quiet")
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    assert [one.version for one in store] == [1, 1, 1]


def test_steps_are_deleted_by_their_numbers_before(store: EpisodeStore) -> None:
    run = tapwright("episodes", "edit", str(store.root), "of-4", "--delete-steps", "0,2")
    assert run.returncode == 0, run.stderr
    left = store.read("of-4")
    assert [one.decision.reasoning for one in left.steps] == ["because 1", "because 3"]
    assert left.outcome == "success"


def test_an_episode_without_such_a_step_is_named_and_nothing_changes(store: EpisodeStore) -> None:
    words = ("--where", "steps > 1", "--delete-steps", "1,3")
    run = tapwright("episodes", "edit", str(store.root), *words)
    assert run.returncode == 2, run.stderr
    assert "of-3 has no step 3" in run.stderr
    assert [one.version for one in store] == [1, 1, 1]


def test_a_star_takes_every_episode_away(store: EpisodeStore) -> None:
    words = ("--where", "steps < 4", "*:remove")
    run = tapwright("episodes", "edit", str(store.root), *words)
    assert run.returncode == 0, run.stderr
    assert store.ids() == ["of-4"]
    store.undo("of-2")
    assert "of-2" in store


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--where", "steps > 9", "--set", "outcome=failure"), 5, "none of 3 episodes fits"),
        (("--where", "stps > 9", "--set", "outcome=failure"), 2, "did you mean 'steps'?"),
        (("of-2", "--where", "steps > 1", "--set", "outcome=failure"), 2, "named or selected"),
        (("--where", "steps > 1", "--set", "outcom=failure"), 2, "outcome"),
        (("--where", "steps > 1", "--set", "outcome=lost"), 2, "'lost' is not an outcome"),
        (("--where", "steps > 1", "--set", "outcome"), 2, "no value"),
        (("--where", "steps > 1", "--delete-steps", "3-1"), 2, "is no step"),
        (("--where", "steps > 1"), 2, "nothing is to be changed"),
        (("--where", "steps > 1", "*:merge"), 2, "not *"),
        (("--where", "steps > 1", "delete:0:1"), 2, "or *: for all"),
    ],
)
def test_what_cannot_be_done_changes_nothing(
    store: EpisodeStore, words: tuple[str, ...], code: int, says: str
) -> None:
    run = tapwright("episodes", "edit", str(store.root), *words)
    assert run.returncode == code, run.stderr
    assert says in run.stderr
    assert [one.version for one in store] == [1, 1, 1]


def test_after_a_kill_it_goes_on_with_what_it_began_with(store: EpisodeStore) -> None:
    where, modifiers = 'outcome == "success"', '*:outcome:"failure"'
    ids = store.ids()
    # A command was killed after the first of its episodes.
    with open_journal(store.root, modifiers, ["--where", where]) as journal:
        begun = journal.begin(ids, [])
    first = store.read(ids[0])
    store.save(first, replace(first, outcome="failure"), edit=modifiers, edit_id=begun.edit_id)
    run = tapwright(
        "episodes", "edit", str(store.root), "--where", where, "--set", "outcome=failure"
    )
    assert run.returncode == 0, run.stderr
    assert "it goes on where it stopped" in run.stderr
    assert [one.outcome for one in store] == ["failure"] * 3
    assert [len(store.history(id_).changes) for id_ in ids[1:]] == [1, 1]


@pytest.mark.slow
def test_more_than_a_hundred_want_a_yes(tmp_path: Path) -> None:
    opened = EpisodeStore(tmp_path / "many")
    for number in range(101):
        opened.write(episode(0, f"e-{number}"))
    words = ("episodes", "edit", str(opened.root), "--set", "outcome=failure")
    refused = tapwright(*words)
    assert refused.returncode == 2
    assert "repeat it with --yes" in refused.stderr
    assert {one.version for one in opened} == {1}
    assert tapwright(*words, "--yes").returncode == 0
    assert {one.outcome for one in opened} == {"failure"}
