"""The words for a swipe's direction, checked by the rule of MobiAgent's own checker."""

from hypothesis import given
from hypothesis import strategies as st

from tapwright.formats.mobiagent.actions import add_direction_words, strip_direction_words

# In the order of https://github.com/IPADS-SAI/MobiAgent/blob/fd5aa72/collect/annotate.py.
PHRASES = {
    "向上滑动": "up", "向下滑动": "down", "向左滑动": "left", "向右滑动": "right",
    "从下往上滑动": "up", "从上往下滑动": "down", "从右往左滑动": "left", "从左往右滑动": "right",
    "向上滚动": "up", "向下滚动": "down", "向左滚动": "left", "向右滚动": "right",
    "从下往上滚动": "up", "从上往下滚动": "down", "从右往左滚动": "left", "从左往右滚动": "right",
}  # fmt: skip
DIRECTIONS = st.sampled_from(["up", "down", "left", "right"])
REASONINGS = st.sampled_from(
    ["I go further down to see more.", "需要向下滚动查看更多内容。", "我往下翻。", "列表还没到底"]
)


def accepted_as(reasoning: str) -> str | None:
    return next((way for phrase, way in PHRASES.items() if phrase in reasoning), None)


@given(REASONINGS, DIRECTIONS)
def test_the_finger_s_direction_is_what_the_checker_finds(reasoning: str, direction: str) -> None:
    written = add_direction_words(reasoning, direction)
    assert accepted_as(written) == direction
    assert strip_direction_words(written) == reasoning


@given(st.sampled_from(sorted(PHRASES)))
def test_what_says_it_already_stays_as_it_is(phrase: str) -> None:
    said = f"所以我{phrase}页面。"
    assert add_direction_words(said, PHRASES[phrase]) == said


def test_no_reasoning_gets_no_words() -> None:
    assert add_direction_words("", "up") == ""
