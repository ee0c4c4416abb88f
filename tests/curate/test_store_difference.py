"""Differences of two stores: which episodes, and in which field of which step."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.episode import Episode
from tapwright.curate.copying import StoreCopier
from tapwright.curate.edit.edits import relabel
from tapwright.store.selection import EVERYTHING
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import write_tags
from tests.cli.running import tapwright
from tests.store.episodes import episode


@pytest.fixture
def stores(tmp_path: Path) -> tuple[EpisodeStore, EpisodeStore]:
    one, other = EpisodeStore(tmp_path / "one"), EpisodeStore(tmp_path / "other")
    for steps in (2, 3):
        one.write(episode(steps, f"of-{steps}"))
    copier = StoreCopier(other)
    list(copier.copy(copier.plan(one, EVERYTHING)))
    return one, other


def compared(one: EpisodeStore, other: EpisodeStore) -> tuple[int, list[dict[str, str]]]:
    run = tapwright("episodes", "diff", str(one.root), str(other.root))
    return run.returncode, json.loads(run.stdout)


def test_copies_do_not_differ(stores: tuple[EpisodeStore, EpisodeStore]) -> None:
    assert compared(*stores) == (0, [])


EDITS: dict[str, Callable[[Episode], Episode]] = {
    "instruction": lambda one: replace(one, instruction="Other"),
    "outcome": lambda one: replace(one, outcome="failure"),
    "step 1: target": lambda one: relabel(one, 1, target="the bell"),
    "steps: 3 and 2": lambda one: replace(one, steps=one.steps[:2]),
    "final": lambda one: replace(one, final=one.steps[0].observation),
    "step 0: observation; step 2: observation": lambda one: replace(
        one,
        steps=(
            replace(one.steps[0], observation=one.steps[2].observation),
            one.steps[1],
            replace(one.steps[2], observation=one.steps[0].observation),
        ),
    ),
}


@pytest.mark.parametrize("place", EDITS)
def test_an_edit_is_told_by_its_place(
    stores: tuple[EpisodeStore, EpisodeStore], place: str
) -> None:
    one, other = stores
    before = other.read("of-3")
    other.save(before, EDITS[place](before), edit=place)
    assert compared(one, other) == (1, [{"episode": "of-3", "what": "differs", "in": place}])


def test_tags_and_annotations_are_compared(stores: tuple[EpisodeStore, EpisodeStore]) -> None:
    one, other = stores
    write_tags(other.history("of-2").directory, add=["good"])
    folder = one.history("of-3").directory / "annotations"
    folder.mkdir()
    (folder / "rules.jsonl").write_text("{}\n")
    _, rows = compared(one, other)
    assert [(row["episode"], row["in"]) for row in rows] == [
        ("of-2", "tags"),
        ("of-3", "annotations/rules.jsonl"),
    ]


def test_what_one_has_alone_is_told(stores: tuple[EpisodeStore, EpisodeStore]) -> None:
    one, other = stores
    one.write(episode(1, "first alone"))
    other.write(episode(1, "second alone"))
    code, rows = compared(one, other)
    assert code == 1
    assert [(row["episode"], row["what"]) for row in rows] == [
        ("first alone", f"only in {one.root}"),
        ("second alone", f"only in {other.root}"),
    ]


def test_a_broken_episode_is_named(stores: tuple[EpisodeStore, EpisodeStore]) -> None:
    one, other = stores
    (other.history("of-2").directory / "steps.jsonl").write_text("broken\n{}\n")
    run = tapwright("episodes", "diff", str(one.root), str(other.root))
    assert run.returncode == 1
    assert "of-2" in run.stderr
    assert "0 of 1 in both differ" in run.stderr


def test_a_store_that_is_not_there_is_told(tmp_path: Path) -> None:
    run = tapwright("episodes", "diff", str(tmp_path / "a"), str(tmp_path / "b"))
    assert run.returncode == 5
    assert "no episodes" in run.stderr
