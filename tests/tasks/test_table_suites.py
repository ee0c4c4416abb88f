import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.tasks.errors import BadTableError
from tapwright.tasks.templates.tables import TableRow, read_rows


def rows(path: Path) -> list[dict[str, str]]:
    return [dict(row.values) for row in read_rows(path) if isinstance(row, TableRow)]


def test_the_three_kinds_of_table_say_the_same(tmp_path: Path) -> None:
    records = [
        {"slug": "Milk", "words": ["milk", "eggs"], "count": 2, "on": True},
        {"slug": 'a "b"\nc', "words": [], "count": -1, "on": False},
    ]
    (tmp_path / "t.jsonl").write_text("\n\n".join(map(json.dumps, records)), encoding="utf-8-sig")
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text(
        'slug,words,count,on\nMilk,"milk,eggs",2,true\n\n"a ""b""\nc",,-1,false\n'
    )
    expected = [
        {"slug": "Milk", "words": "milk,eggs", "count": "2", "on": "true"},
        {"slug": 'a "b"\nc', "words": "", "count": "-1", "on": "false"},
    ]
    for name in ("t.jsonl", "t.parquet", "t.csv"):
        assert rows(tmp_path / name) == expected


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("t.csv", b"a,b\n1,2\n1\n1,2\n", "t.csv, line 3: 1 cells; expected 2"),
        ("t.jsonl", b'{"a": "1"}\n[1]\n{"a": "2"}\n', "t.jsonl, line 2: found [1]"),
        ("t.jsonl", b'{"a": "1"}\n{\n{"a": "2"}\n', "t.jsonl, line 2: not JSON"),
        ("t.jsonl", b'{"a": 1}\n{"a": {}}\n{"a": 2}', "line 2, column a: found dict; expected"),
        ("t.jsonl", b'{"a": 1}\n{"a": ["x,y"]}\n{"a": 2}', "the item 'x,y' has a comma"),
        ("t.jsonl", b'{"a": 1}\n{"a": "\\ud800"}\n{"a": 2}', "half a character"),
    ],
)
def test_a_row_that_is_not_right_hides_no_other(
    name: str, data: bytes, says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    first, bad, last = read_rows(tmp_path / name)
    assert isinstance(first, TableRow)
    assert isinstance(last, TableRow)
    assert isinstance(bad, BadTableError)
    assert says in str(bad)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.csv", b"a,a\n1,2\n"),
        ("t.csv", b'a\n"1'),
        ("t.csv", b"a\n\xff\n"),
        ("t.parquet", b"PAR1 it is not"),
        ("t.xlsx", b""),
        ("none.csv", None),
    ],
)
def test_a_table_that_is_none_is_refused(name: str, data: bytes | None, tmp_path: Path) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(BadTableError, match=name):
        list(read_rows(tmp_path / name))


@given(st.dictionaries(st.sampled_from(["v", "a.v", "b.v", "w"]), st.text(max_size=5)))
def test_a_step_takes_its_own_columns_before_those_of_all(values: dict[str, str]) -> None:
    mine = TableRow(Path("t.csv"), "row 1", values).for_step("a")
    expected = {name: values[name] for name in ("v", "w") if name in values}
    expected |= {"v": values["a.v"]} if "a.v" in values else {}
    assert {name: entry.text for name, entry in mine.items()} == expected
