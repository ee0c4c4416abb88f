import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.formats import json_items as items
from tapwright.formats.json_items import read_items

VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(
    values=st.lists(VALUES, max_size=3),
    indent=st.sampled_from([None, 1]),
    chunk=st.sampled_from([1, 2, 7, 1000]),
)
@pytest.mark.slow
def test_items_are_those_of_the_whole_list(
    values: list[JsonValue], indent: int | None, chunk: int
) -> None:
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        path = Path(directory, "list.json")
        path.write_text(json.dumps(values, indent=indent), encoding="utf-8")
        patch.setattr(items, "_CHUNK", chunk)
        assert list(read_items(path)) == values


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", r"found 'the end', expected '\['"),
        ("{}", r"found '\{', expected '\['"),
        ("[1 2]", "found '2', expected ','"),
        ("[1,]", "item 1: Expecting value"),
        ("[1", "found 'the end', expected ','"),
        ('[1, {"a": 2]', "item 1: Expecting ',' delimiter"),
        ("[1] 2", "found '2', expected 'the end'"),
    ],
)
def test_what_is_no_list_is_told(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "list.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=problem):
        list(read_items(path))
