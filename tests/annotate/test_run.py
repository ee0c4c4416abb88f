import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.annotate import annotators
from tapwright.annotate.annotator import Annotator, Reasoning
from tapwright.annotate.rules import RULES
from tapwright.annotate.run import annotate_store
from tapwright.core.actions import Tap, Wait
from tapwright.core.episode import Episode
from tapwright.core.geometry import Point
from tapwright.errors import TaskError
from tapwright.jobs.job import ItemDone, ItemFailed, ItemResult
from tapwright.store.annotations import apply_annotations, read_annotations
from tapwright.store.errors import AnnotationError
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tests.annotate.screens import episode, screen

EPISODE = episode(
    "Go",
    (screen(title="One"), Tap(at=Point(0.5, 0.5))),
    (screen(title="Two", picture=1), Wait()),
)
IDS = ["e1", "Anhang/../2"]


class Counting:
    """Annotates by number, and fails on the ids that it is given."""

    name, version = "counting", "1"

    def __init__(self, *failing: str, steps: int | None = None) -> None:
        self.failing = set(failing)
        self.steps = steps
        self.seen: list[str] = []

    async def annotate(self, episode: Episode) -> Sequence[Reasoning]:
        self.seen.append(episode.id)
        if episode.id in self.failing:
            raise TaskError("not this one")
        steps = len(episode.steps) if self.steps is None else self.steps
        return [Reasoning(number, f"reason {number}", "it") for number in range(steps)]


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    store = EpisodeStore(tmp_path / "store")
    store.write(EPISODE)
    store.write(replace(EPISODE, id="Anhang/../2"))
    return store


def run(store: EpisodeStore, annotator: Annotator) -> list[ItemResult]:
    async def main() -> list[ItemResult]:
        return [
            ended async for ended in annotate_store(store, annotator, ids=IDS, now=lambda: "then")
        ]

    return asyncio.run(main())


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.json*")}


def test_annotations_stand_beside_the_recording_which_stays_as_it_was(store: EpisodeStore) -> None:
    before = files(store.root)
    assert run(store, RULES) == [
        ItemDone(id_, {"episode": id_, "steps": 2, "listed": 0}) for id_ in IDS
    ]
    after = files(store.root)
    assert {path: after[path] for path in before} == before
    lines = after["e1/annotations/rules.jsonl"].splitlines()
    first = json.loads(lines[0])
    assert first.pop("reasoning")
    assert first.pop("target")
    assert first == {
        "step": 0,
        "frame": EPISODE.steps[0].observation.screenshot.sha256,
        "annotator": "rules",
        "version": RULES.version,
        "time": "then",
        "codes": [],
        "repairs": [],
        "warnings": [],
        "request": "",
        "asked": 0,
        "match": None,
    }


def test_without_ids_every_episode_is_annotated(store: EpisodeStore) -> None:
    async def main() -> set[str]:
        return {ended.key async for ended in annotate_store(store, RULES)}

    assert asyncio.run(main()) == set(IDS)


def test_what_was_annotated_is_read_into_the_decisions(store: EpisodeStore) -> None:
    run(store, Counting())
    read = apply_annotations(EPISODE, read_annotations(store.root / "e1", "counting"))
    assert [step.decision.reasoning for step in read.steps] == ["reason 0", "reason 1"]
    assert [step.decision.target for step in read.steps] == ["it", "it"]
    assert [step.decision.action for step in read.steps] == [
        step.decision.action for step in EPISODE.steps
    ]


def test_a_second_run_repeats_nothing_but_what_failed(store: EpisodeStore) -> None:
    ended = run(store, Counting("e1"))
    assert ended[0] == ItemFailed("e1", "TW500", "not this one")
    again = Counting()
    assert [entry.key for entry in run(store, again)] == ["e1", "Anhang/../2"]
    assert again.seen == ["e1"]


ANNOTATIONS = "e1/annotations/counting.jsonl"


def delete(path: Path) -> None:
    path.unlink()


def break_a_line(path: Path) -> None:
    path.write_text(path.read_text() + "{\n")


def tell_of_another_frame(path: Path) -> None:
    frame = EPISODE.steps[1].observation.screenshot.sha256
    path.write_text(path.read_text().replace(frame, "0" * 64))


def tell_of_another_version(path: Path) -> None:
    path.write_text(path.read_text().replace('"version":"1"', '"version":"2"'))


@pytest.mark.parametrize(
    "damage", [delete, break_a_line, tell_of_another_frame, tell_of_another_version]
)
def test_an_episode_whose_annotations_are_gone_or_others_is_annotated_again(
    store: EpisodeStore, damage: Callable[[Path], None]
) -> None:
    run(store, Counting())
    before = (store.root / ANNOTATIONS).read_bytes()
    damage(store.root / ANNOTATIONS)
    again = Counting()
    assert {type(entry) for entry in run(store, again)} == {ItemDone}
    assert again.seen == ["e1"]
    assert (store.root / ANNOTATIONS).read_bytes() == before
    run(store, again)
    assert again.seen == ["e1"]


class Halves(Counting):
    """Breaks off in the middle of an emoji, as models do."""

    async def annotate(self, episode: Episode) -> Sequence[Reasoning]:
        return [Reasoning(number, "ok \ud83d", "it") for number in range(len(episode.steps))]


def test_half_an_emoji_is_kept_in_an_annotation(store: EpisodeStore) -> None:
    run(store, Halves())
    (said, _) = read_annotations(store.root / "e1", "counting")
    assert said.reasoning == "ok \ud83d"


def test_an_annotator_that_leaves_out_a_step_fails_and_nothing_is_kept(store: EpisodeStore) -> None:
    ended = run(store, Counting(steps=1))
    assert isinstance(ended[0], ItemFailed)
    assert ended[0].message == "e1: counting annotated the steps [0]; expected 0 to 1"
    assert not (store.root / "e1" / "annotations").exists()


def test_annotations_of_other_steps_are_refused(store: EpisodeStore) -> None:
    run(store, RULES)
    found = read_annotations(store.root / directory_name("e1"), "rules")
    with pytest.raises(AnnotationError, match="belong to other steps"):
        apply_annotations(replace(EPISODE, steps=EPISODE.steps[1:]), found)
    with pytest.raises(AnnotationError, match="belong to other steps"):
        apply_annotations(replace(EPISODE, steps=EPISODE.steps[::-1]), found)


def test_missing_and_broken_annotations_are_told(store: EpisodeStore) -> None:
    with pytest.raises(AnnotationError, match="no annotations"):
        read_annotations(store.root / "e1", "rules")
    run(store, RULES)
    path = store.root / "e1" / "annotations" / "rules.jsonl"
    path.write_text(path.read_text() + '{"step": 2}\n')
    with pytest.raises(AnnotationError, match="line 3: not an annotation: frame: Field required"):
        read_annotations(store.root / "e1", "rules")


def test_the_table_has_the_rules() -> None:
    assert [annotators.get(name).name for name in ("rules",)] == ["rules"]
