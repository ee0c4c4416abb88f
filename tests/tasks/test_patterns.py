import re
import time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tapwright.tasks.errors import BadPatternError
from tapwright.tasks.patterns import compile_pattern

PATTERNS = st.sampled_from(
    [
        r"(\w+) (\d)?",
        r"^b$",
        r"(?P<n>[^ ]*)[ ]?(.*)",
        r"\b(cc|cream)\b",
        r"(?i)É",
        r"(a)(?!b)",
        r"(.)\1",
    ]
)


@given(pattern=PATTERNS, text=st.text("abcé 1\n店B", max_size=12), multiline=st.booleans())
def test_a_search_finds_what_pythons_own_finds(pattern: str, text: str, multiline: bool) -> None:
    found = re.search(pattern, text, re.MULTILINE if multiline else 0)
    groups = None if found is None else found.groups()
    assert compile_pattern(pattern, multiline=multiline).search(text) == groups


@pytest.mark.parametrize("pattern", ["(", "[", "*", "(?P<a", "(" * 900 + ")" * 900, "a" * 3000])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(BadPatternError):
        compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["(a|aa)+$", "((a{1,100}){1,100}){1,100}$"])
def test_a_pattern_that_tries_every_way_is_stopped(pattern: str) -> None:
    begun = time.process_time()
    with pytest.raises(BadPatternError, match="took more than"):
        compile_pattern(pattern).search("a" * 5000 + "b")
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("pattern", "taken"),
    [
        ("a" * 2000, True),
        ("a" * 2001, False),
        ("a{99999}", True),
        ("a{100000}", False),
        ("(?:a{1000}){100}", False),
        ("(?:a|b){1000000000}", False),
        ("(?:(?:a{65000}){65000}){65000}", False),
        ("a{99999999999999999999}", False),
        ("(?:.{0,1000}){0,1000}", True),
        (r"[\x1b-\u0200]", True),
    ],
)
def test_a_pattern_that_is_long_when_written_out_is_not_compiled(pattern: str, taken: bool) -> None:
    if taken:
        assert compile_pattern(pattern).text == pattern
    else:
        with pytest.raises(BadPatternError, match=r"at most|too large"):
            compile_pattern(pattern)


@given(st.text(st.sampled_from("ab_ ,.*+?^$|()[]{}\\/dswb'\"-:é"), max_size=12))
def test_a_pattern_is_refused_when_it_is_made_or_never(text: str) -> None:
    try:
        re.compile(text)
        regex.compile(text)
    except (re.error, regex.error):
        with pytest.raises(BadPatternError):
            compile_pattern(text)
    else:
        compile_pattern(text).search("ab")
