import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.curate.edit.errors import BadModifierError
from tapwright.curate.edit.grammar import parse_modifiers
from tapwright.errors import TapwrightError

NAMES = st.from_regex(r"[a-z][a-z_]{0,12}", fullmatch=True)
JSON = st.text(max_size=20).map(lambda text: text.encode("utf-8", "ignore").decode())
PARAMS = st.one_of(
    st.integers(-999, 999).map(lambda number: (str(number), number)),
    JSON.map(lambda text: (json.dumps(text), text)),
    st.lists(JSON, max_size=3).map(lambda texts: (json.dumps(texts), texts)),
    st.from_regex(r"[a-z][a-z ]{0,8}[a-z]", fullmatch=True).map(lambda word: (word, word)),
)
BLANKS = st.sampled_from(["", " ", "  "])


@given(
    asked=st.lists(
        st.tuples(st.none() | st.integers(-9, 9), NAMES, st.lists(PARAMS, max_size=3)),
        min_size=1,
        max_size=4,
    ),
    blank=BLANKS,
)
def test_what_is_written_is_what_is_parsed(
    asked: list[tuple[int | None, str, list[tuple[str, object]]]], blank: str
) -> None:
    texts = [
        f"{blank}:{blank}".join(
            [*([] if index is None else [str(index)]), name, *(text for text, _ in params)]
        )
        for index, name, params in asked
    ]
    found = parse_modifiers(f"{blank},{blank}".join(texts))
    assert [(one.index, one.name, list(one.params)) for one in found] == [
        (index, name, [value for _, value in params]) for index, name, params in asked
    ]
    assert [str(one) for one in found] == texts
    assert [one.number for one in found] == list(range(1, len(asked) + 1))


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_is_parsed_or_refused_by_name(text: str) -> None:
    with suppress(BadModifierError):
        assert parse_modifiers(text)


def test_the_documented_example_is_understood() -> None:
    first, second = parse_modifiers("2:delete:1:3,2:rewardize:3:-1")
    assert (first.index, first.name, first.params) == (2, "delete", (1, 3))
    assert (second.index, second.name, second.params) == (2, "rewardize", (3, -1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no modifiers are given"),
        (" ", "no modifiers are given"),
        ("0", "modifier 1 has no name"),
        ("0:delete:1:3,", "modifier 2 has no name"),
        ("0:1:2", "modifier 1 has no name"),
        ('a:"x"y', "expected ':' or ',' here"),
        ("a:{bad", "not JSON"),
        ('a:"open', "not JSON"),
        ("a:" + "[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_in_the_grammar_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadModifierError, match=message):
        parse_modifiers(text)


def test_the_culprit_is_underlined_also_behind_wide_characters() -> None:
    _, second = parse_modifiers('instruction:"打开",delete:1:9')
    lines = str(second.refused(TapwrightError("no such steps"))).splitlines()
    assert lines[0] == "modifier 2: no such steps"
    assert lines[1] == '  instruction:"打开",delete:1:9'
    assert lines[2] == " " * 21 + "^" * 10


@pytest.mark.slow
def test_an_error_in_a_long_text_shows_its_neighbourhood_only() -> None:
    text = ",".join(["delete:0:1"] * 100_000)
    refused = str(parse_modifiers(text)[50_000].refused(TapwrightError("why")))
    assert len(refused) < 400
    assert "^^^^^^^^^^" in refused
