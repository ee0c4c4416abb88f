"""Duplicates: the same actions on screens that nearly look the same, and nothing else."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageOps

from tapwright.core.actions import Wait
from tapwright.core.episode import Decision, Episode
from tapwright.core.screenshot import Screenshot
from tapwright.curate.duplicates import FindDuplicates, find_best
from tapwright.curate.screen_hashes import ScreenHashes, hash_screen
from tapwright.store.catalog import Catalog
from tapwright.store.ids import directory_name
from tapwright.store.selection import EVERYTHING
from tapwright.store.store import EpisodeStore


def repainted(episode: Episode, id_: str, paint: Callable[[Image.Image], bytes]) -> Episode:
    """The episode with other pictures, recorded later."""
    steps = []
    for step in episode.steps:
        picture = Screenshot(paint(step.observation.screenshot.image().convert("RGB")))
        steps.append(replace(step, observation=replace(step.observation, screenshot=picture)))
    return replace(episode, id=id_, steps=tuple(steps), created=f"2026-12-01T{id_}")


def jpeg(image: Image.Image) -> bytes:
    """Another encoding, and a mark in a corner, as large as a clock."""
    ImageDraw.Draw(image).rectangle((0, 0, 16, 34), fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=80)
    return buffer.getvalue()


def mirrored(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    ImageOps.flip(ImageOps.invert(image)).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def store(tmp_path: Path, episodes: list[Episode]) -> EpisodeStore:
    opened = EpisodeStore(tmp_path / "store")
    for one in episodes:
        opened.write(replace(one, created=f"2026-11-01T{one.id}"))
    first = max(episodes, key=lambda one: len(one.steps))
    opened.write(repainted(first, "jpeg", jpeg))
    opened.write(repainted(first, "mirror", mirrored))
    opened.write(replace(first, id="twin", instruction="Other words", created="2026-12-02"))
    waited = replace(first.steps[0], decision=Decision(Wait(duration_s=3)))
    opened.write(replace(first, id="waits", steps=(waited, *first.steps[1:])))
    opened.write(replace(first, id="empty", steps=()))
    opened.write(replace(first, id="empty too", steps=()))
    return opened


def test_another_encoding_and_other_words_are_duplicates_and_another_screen_is_none(
    store: EpisodeStore, episodes: list[Episode]
) -> None:
    first = max(episodes, key=lambda one: len(one.steps))
    [group] = FindDuplicates(Catalog(store)).run()
    assert group.ids == (first.id, "jpeg", "twin")
    assert group.differences[0] == group.differences[2] == 0
    assert 0 < group.differences[1] <= 0.03


def test_a_difference_of_0_wants_the_same_hashes(store: EpisodeStore) -> None:
    [group] = FindDuplicates(Catalog(store)).run(0)
    assert "twin" in group.ids
    assert "jpeg" not in group.ids


def test_some_episodes_alone_are_searched(store: EpisodeStore) -> None:
    [group] = FindDuplicates(Catalog(store), ["twin", "jpeg", "waits"]).run()
    assert group.ids == ("jpeg", "twin")
    assert FindDuplicates(Catalog(store), ["twin", "waits"]).run() == []


def test_one_with_a_broken_picture_is_named_and_the_others_are_found(store: EpisodeStore) -> None:
    frames = store.root / directory_name("jpeg") / "frames"
    min(frames.iterdir()).write_bytes(b"broken")
    search = FindDuplicates(Catalog(store))
    [group] = search.run()
    assert search.broken == ["jpeg"]
    assert "jpeg" not in group.ids


def test_hashes_are_remembered(store: EpisodeStore) -> None:
    search = FindDuplicates(Catalog(store))
    assert search.pictures
    before = search.run()
    for path in store.root.rglob("frames/*"):
        path.write_bytes(b"gone")  # nothing is hashed again
    assert FindDuplicates(Catalog(store)).run() == before


def test_a_store_that_cannot_remember_is_searched(tmp_path: Path, store: EpisodeStore) -> None:
    picture = next(store.root.rglob("frames/*.png"))
    wanted = {b"x" * 32: str(picture.with_suffix(""))}
    with Image.open(picture) as image:
        assert ScreenHashes(tmp_path / "nowhere").find(wanted) == {b"x" * 32: hash_screen(image)}


def test_the_best_is_a_success_then_the_newest(store: EpisodeStore) -> None:
    entries = {one.id: one for one in Catalog(store).select(EVERYTHING)}
    older, newer = entries["jpeg"], entries["twin"]
    failed = replace(newer, outcome="failure")
    worked = replace(older, outcome="success")
    assert find_best([worked, failed]) == worked
    assert find_best([worked, replace(newer, outcome="success")]).id == "twin"
    assert find_best([worked, replace(failed, outcome="success", steps=99)]) == worked


def test_screens_that_were_never_recorded_make_no_duplicates(store: EpisodeStore) -> None:
    twin = store.read("twin")
    first = twin.steps[0].observation
    blind = replace(first, screenshot=Screenshot.stand_in(first.size))
    for id_ in ("blind", "blind too"):
        steps = (replace(twin.steps[0], observation=blind), *twin.steps[1:])
        store.write(replace(twin, id=id_, steps=steps))
    ids = {id_ for group in FindDuplicates(Catalog(store)).run() for id_ in group.ids}
    assert "twin" in ids
    assert not ids & {"blind", "blind too"}
