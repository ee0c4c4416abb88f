"""One table of endings: what the docs say is what is counted."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tapwright.models.errors import ModelFailedError, ModelUnavailableError, ServerDownError
from tapwright.models.query_endings import ENDINGS, answer_ending, failed_ending, query_ending

PAGE = Path(__file__).parents[2] / "docs/endings.md"


def test_the_page_has_the_table() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| ([^|]+) \| (yes|no) \| (yes|no) \|", PAGE.read_text("utf-8"), re.M
    )
    told = {name: (means, has == "yes", again == "yes") for name, means, has, again in rows}
    assert told == {
        name: (kind.meaning, kind.has_answer, not kind.has_answer) for name, kind in ENDINGS.items()
    }


@given(text=st.none() | st.text(), finish=st.text(), is_read=st.booleans(), declines=st.booleans())
def test_whatever_a_server_says_there_is_an_ending_with_an_answer(
    text: str | None, finish: str, is_read: bool, declines: bool
) -> None:
    ending = query_ending(text, finish, is_read=is_read, declines=declines)
    assert ENDINGS[ending].has_answer
    if text is not None and is_read and text.strip():
        assert ending == answer_ending(text, finish)


def test_servers_that_were_away_are_told_from_those_that_failed() -> None:
    assert failed_ending(ModelUnavailableError.code) == "unavailable"
    assert failed_ending(ServerDownError.code) == "unavailable"
    assert failed_ending(ModelFailedError.code) == "failed"
    assert failed_ending("TW610") == "failed"
