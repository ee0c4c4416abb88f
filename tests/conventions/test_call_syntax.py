import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.conventions.call_syntax import ParsedCall, find_calls, find_only_call
from tapwright.conventions.rendering import quote
from tapwright.errors import BadAnswerError

NAMES = {"f", "a.b"}
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(text=PLAIN, before=PLAIN)
def test_a_string_is_read_as_it_was_quoted(text: str, before: str) -> None:
    prose = before.replace("f(", "").replace("a.b(", "") + "\n"
    assert find_calls(f"{prose}f(x={quote(text)})", NAMES) == [ParsedCall("f", (), {"x": text})]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("f()", ParsedCall("f", (), {})),
        ("a.b( 1, -2.5e1 , x = [1, 2.5] )", ParsedCall("a.b", (1, -25.0), {"x": [1, 2.5]})),
        ("f(['ctrl', 'c'], left)", ParsedCall("f", (["ctrl", "c"], "left"), {})),
        ("f(x=(1, 2),)", ParsedCall("f", (), {"x": [1, 2]})),
        (r"f('\x41\u00e9\q\'')", ParsedCall("f", ("Aé\\q'",), {})),
        ("f(x='it's fine')", ParsedCall("f", (), {"x": "it's fine"})),
        ("first f(, then f(1)", ParsedCall("f", (1,), {})),
        ("g(f2(1)) and xf(2) but f(3)", ParsedCall("f", (3,), {})),
    ],
)
def test_a_call_is_found_in_a_text(text: str, call: ParsedCall) -> None:
    assert find_calls(text, NAMES) == [call]


def test_one_call_is_one_and_not_two() -> None:
    with pytest.raises(BadAnswerError, match=r"2 actions in one answer \(f, a\.b\)"):
        find_only_call("f(1)\na.b(2)", NAMES)
    with pytest.raises(BadAnswerError, match=r"no action in the answer; expected one of a\.b, f"):
        find_only_call("f(1", NAMES)
