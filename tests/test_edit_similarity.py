"""The likeness of texts is RapidFuzz's, to the last bit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz
from rapidfuzz.distance import Indel, Levenshtein

from tapwright.edit_similarity import (
    indel_similarity,
    levenshtein_similarity,
    partial_similarity,
    sorted_words_similarity,
)

TEXTS = st.one_of(
    st.text("ab", max_size=150),
    st.text("open the mail", max_size=90),
    # A blank to us, and none to RapidFuzz.
    st.text(st.characters(exclude_characters="\x85", exclude_categories=["Cs"]), max_size=30),
)


@given(TEXTS, TEXTS)
def test_distances_are_rapidfuzz_s(one: str, other: str) -> None:
    assert levenshtein_similarity(one, other) == Levenshtein.normalized_similarity(one, other)
    assert indel_similarity(one, other) == Indel.normalized_similarity(one, other)
    assert sorted_words_similarity(one, other) * 100 == fuzz.token_sort_ratio(one, other)


@given(TEXTS, TEXTS)
def test_the_best_window_is_rapidfuzz_s(one: str, other: str) -> None:
    assert partial_similarity(one, other) * 100 == pytest.approx(fuzz.partial_ratio(one, other))


@given(TEXTS, TEXTS, st.floats(0, 1))
def test_what_is_below_the_least_is_nothing(one: str, other: str, least: float) -> None:
    whole = partial_similarity(one, other)
    assert partial_similarity(one, other, at_least=least) == (whole if whole >= least else 0.0)


@given(st.lists(st.sampled_from(["tap", "swipe", "wait"])), st.lists(st.just("tap")))
def test_sequences_of_anything_are_compared(one: list[str], other: list[str]) -> None:
    assert indel_similarity(one, other) == Indel.normalized_similarity(one, other)


def test_a_long_answer_is_compared_with_a_short_one() -> None:
    assert levenshtein_similarity("a" * 1_000_000, "ab") == pytest.approx(1e-6)
