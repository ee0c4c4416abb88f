from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.errors import CorruptEpisodeError
from tapwright.store.catalog import Catalog
from tapwright.store.recording_reviews import (
    RecordingReview,
    RecordingReviewState,
    current_recording_review,
    read_recording_reviews,
    write_recording_review,
)
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tests.conftest import painted

STATES: tuple[RecordingReviewState, ...] = ("accept", "reject", "again", "withdraw", "comment")


@given(
    st.lists(st.builds(RecordingReview, version=st.integers(1, 2), state=st.sampled_from(STATES)))
)
def test_a_withdrawal_brings_back_what_held_before_and_other_versions_count_apart(
    log: list[RecordingReview],
) -> None:
    for version in (1, 2):
        stack: list[RecordingReview] = []
        for line in (one for one in log if one.version == version and one.state != "comment"):
            if line.state == "withdraw":
                del stack[-1:]
            else:
                stack.append(line)
        assert current_recording_review(log, version) == (stack[-1] if stack else None)


def test_recordings_are_selected_by_their_review_until_they_are_edited(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for one in painted():
        store.write(one)
    catalog = Catalog(store)
    accepted, wanted = Selection('review == "accept"'), RecordingReview(version=1, state="accept")
    assert catalog.ids(accepted) == []
    write_recording_review(tmp_path / "b", wanted)
    write_recording_review(tmp_path / "b", RecordingReview(version=1, state="comment", text="Hm."))
    assert catalog.ids(accepted) == ["b"]
    recorded = store.read("b")
    store.save(recorded, replace(recorded, instruction="Another"), edit="x")
    assert catalog.ids(accepted) == []
    assert catalog.tally(["review"]) == {("open",): 5}


def test_half_a_line_is_skipped_and_a_broken_one_told(tmp_path: Path) -> None:
    line = RecordingReview(version=1, state="reject", text="Wrong task", who="ada")
    write_recording_review(tmp_path, line)
    path = tmp_path / "reviews.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:9])
    assert read_recording_reviews(tmp_path) == [line]
    path.write_bytes(whole + b"{}\n")
    with pytest.raises(CorruptEpisodeError, match="line 2: not a review of a recording"):
        read_recording_reviews(tmp_path)
