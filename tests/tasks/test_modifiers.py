import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.tasks.patterns import compile_pattern
from tapwright.tasks.templates.modifiers import MODIFIERS, map_items

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(TEXTS)
def test_an_escaped_text_is_a_regular_expression_for_itself(text: str) -> None:
    escaped = MODIFIERS["regex_esc"](text)
    assert compile_pattern(f"^(?:{escaped})\\Z").search(text) is not None


@given(st.sampled_from(sorted(MODIFIERS)), st.lists(TEXTS.map(lambda t: t.replace(",", ""))))
def test_a_mark_applies_a_modifier_to_each_item(name: str, items: list[str]) -> None:
    value = ",".join(items)
    expected = ",".join(MODIFIERS[name](item) for item in value.split(","))
    assert map_items(MODIFIERS[name])(value) == expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("to_list", 'a,b"c,d\\e', '["a","b\\"c","d\\\\e"]'),
        ("regex_list", "bake,lobster", "(bake|lobster)"),
        ("spacejoin", "abc ,d", "abc  d"),
        ("url_path", "é a/b:@=()_.-~*", "%C3%A9%20a/b:@=()_.-~%2A"),
        ("url_query", "a b/c", "a+b%2Fc"),
        ("url_title", "a b  c", "a-b--c"),
        ("lower", "İß", "i̇ß"),
        ("upper", "ßﬁ", "SSFI"),
        ("sentence_to_words", " abc ,d\te ", "abc,,d,e"),
        ("filter_comma", "a,b,", "ab"),
        ("remove_howto", "HoW tO bake", "bake"),
        ("remove_howto", "how to", "how to"),
        ("remove_howto", " how to x", " how to x"),
    ],
)
def test_a_modifier_says(name: str, value: str, expected: str) -> None:
    assert MODIFIERS[name](value) == expected
