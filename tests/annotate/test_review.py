from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.annotate.errors import ReviewError
from tapwright.annotate.review import Review, ReviewState, apply_reviews, read_reviews, write_review
from tapwright.core.actions import Tap, Wait
from tapwright.core.geometry import Point
from tests.annotate.screens import episode, screen

EPISODE = episode(
    "Go",
    (screen(title="One"), Tap(at=Point(0.5, 0.5))),
    (screen(title="Two", picture=1), Wait()),
    (screen(title="Three", picture=2), Wait()),
)


def review(step: int, state: ReviewState, **more: str) -> Review:
    frame = EPISODE.steps[step].observation.screenshot.sha256
    return Review(step=step, frame=frame, state=state, **more)


REVIEWS = st.lists(
    st.builds(
        review,
        st.integers(0, 2),
        st.sampled_from(("accept", "edit", "reject")),
    ),
    max_size=8,
)


@given(REVIEWS)
def test_the_last_review_of_a_step_holds(
    tmp_path_factory: pytest.TempPathFactory, said: list[Review]
) -> None:
    directory = tmp_path_factory.mktemp("episode")
    for one in said:
        write_review(directory, "rules", one)
    assert read_reviews(directory, "rules") == {one.step: one for one in said}


def test_what_is_approved_is_taught_in_the_words_of_its_edit() -> None:
    said = {
        0: review(0, "edit", reasoning="A better reason."),
        1: review(1, "reject", who="Ada", code="wrong target"),
    }
    taught, left_out = apply_reviews(EPISODE, said)
    assert left_out == {1: "rejected by Ada: wrong target", 2: "step has no review"}
    assert taught.steps[0].decision.reasoning == "A better reason."
    assert taught.steps[0].decision.target == EPISODE.steps[0].decision.target
    assert taught.steps[1:] == EPISODE.steps[1:]


def test_a_review_of_another_step_is_refused() -> None:
    moved = review(0, "accept").model_copy(update={"step": 1})
    for said in (moved, review(0, "accept").model_copy(update={"step": 9})):
        with pytest.raises(ReviewError, match="belongs to another step"):
            apply_reviews(EPISODE, {said.step: said})


def test_half_a_line_is_skipped_and_a_broken_one_told(tmp_path: Path) -> None:
    write_review(tmp_path, "rules", review(0, "accept"))
    path = tmp_path / "annotations/rules.reviews.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])
    assert read_reviews(tmp_path, "rules") == {0: review(0, "accept")}
    path.write_bytes(whole + b'{"step": 1}\n')
    with pytest.raises(ReviewError, match="line 2: not a review"):
        read_reviews(tmp_path, "rules")


def test_an_episode_that_nobody_reviewed_has_no_reviews(tmp_path: Path) -> None:
    assert read_reviews(tmp_path, "rules") == {}
    taught, left_out = apply_reviews(replace(EPISODE), {})
    assert taught == EPISODE
    assert len(left_out) == 3
