"""The tables of a run's rows in SQLite: how rows become theirs, and how they are selected.

Narrow rows are what filters count, details what orders and look-ups need, texts what a search
reads. Every text is a BLOB of UTF-8 with `surrogatepass`, so that bytes decide what is equal and
what comes first, as code points do. A label has a column of its own, "l" with its number.
"""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tapwright.evaluate.error_analysis import diagnose
from tapwright.evaluate.run_log import SampleRow
from tapwright.evaluate.run_tally import RunTally, flags_of
from tapwright.evaluate.sample_gallery import row_verdict
from tapwright.models.model import Usage
from tapwright.store.filters import EVERY, Condition
from tapwright.web.errors import RequestError

__all__ = [
    "SORT_KEYS", "TABLES", "LoggedRow", "RowFilter", "SelectedRows", "add_labels", "clear_tables",
    "count_rows", "count_values", "find_lines", "find_places", "order_rows", "read_tally",
    "select_rows", "write_rows",
]  # fmt: skip

_MOST_VALUES = 100
_MOST_COVERED = 8
_NUMBER = re.compile(r"(\d{1,15})")
_ORDERS = {
    "key": ("details", "key_order"),
    "verdict": ("rows", "verdict"),
    "mistake": ("rows", "nullif(mistake, x'')"),
    "score": ("rows", "score"),
    "latency": ("details", "latency_s"),
    "tokens": ("details", "tokens"),
    "steps": ("details", "steps"),
    "answer": ("details", "answer"),
    "instruction": ("details", "instruction"),
}
"""The table and the expression by which rows are sorted."""

SORT_KEYS = tuple(_ORDERS)
"""The columns by which rows are sorted, beside their labels."""

_ROWS = (
    "place", "verdict", "mistake", "score", "started", "ended", "flags", "input_tokens",
    "output_tokens",
)  # fmt: skip
TABLES = """
CREATE TABLE rows (
    place INTEGER PRIMARY KEY, verdict, mistake, score, started, ended, flags, input_tokens,
    output_tokens
);
CREATE TABLE details (
    place INTEGER PRIMARY KEY, key, sample, number, start, size, key_order, latency_s, tokens,
    steps, answer, instruction
);
CREATE TABLE texts (place INTEGER PRIMARY KEY, words);
CREATE TABLE state (text);
INSERT INTO state VALUES ('');
CREATE UNIQUE INDEX by_key ON details (key);
CREATE INDEX by_sample ON details (sample);
CREATE INDEX by_score ON rows (score);
CREATE INDEX by_key_order ON details (key_order);
CREATE INDEX by_latency ON details (latency_s);
CREATE INDEX by_tokens ON details (tokens);
CREATE INDEX by_steps ON details (steps)
"""


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows are wanted, and in which order; what is empty holds for every row.

    `labels` are values by the labels' names. `text` is searched in key, instruction and answer
    without regard to case. `sort` is a column, with "-" before it from the largest down; "" is the
    order of the log.
    """

    text: str = ""
    verdict: str = ""
    mistake: str = ""
    labels: Mapping[str, str] | None = None
    sort: str = ""


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """How many rows fit, and what could be filtered by further.

    Each count is of the rows that fit all of the filter but for its own part.
    """

    found: int
    verdicts: Mapping[str, int]
    mistakes: Mapping[str, int]
    labels: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class LoggedRow:
    """A row by its key, and where its line is: its number, its first byte and its size."""

    key: str
    row: SampleRow
    number: int
    start: int
    size: int


def clear_tables(connection: sqlite3.Connection) -> None:
    """Forget all rows and labels."""
    for table in ("rows", "details", "texts", "state"):
        connection.execute(f"DROP TABLE {table}")
    for statement in TABLES.split(";"):
        connection.execute(statement)


def add_labels(connection: sqlite3.Connection, known: int, count: int) -> None:
    """Make the columns of labels, so far without values: `known` there are, `count` there will be.

    Each column that is counted has an index with all others, so that no row is opened for a count.
    """
    if count == known > 0:
        return
    for number in range(known, count):
        connection.execute(f"ALTER TABLE rows ADD COLUMN l{number} DEFAULT x''")
    columns = ["verdict", "mistake", *(f"l{number}" for number in range(count))]
    for column in columns:
        others = [one for one in columns if one != column][:_MOST_COVERED]
        connection.execute(f"DROP INDEX IF EXISTS by_{column}")
        connection.execute(f"CREATE INDEX by_{column} ON rows ({', '.join([column, *others])})")


def write_rows(
    connection: sqlite3.Connection, found: Sequence[LoggedRow], labels: Sequence[str]
) -> tuple[list[int], bool]:
    """Write rows, one whose key is known in its place, new ones behind all others.

    Their places, and whether all were new.
    """
    size = count_rows(connection)
    keys = [row.key for row in found] if size else []
    known = {key: at for key in keys for at in find_places(connection, "key", key)}
    new = (row.key for row in found if row.key not in known)
    places = known | {key: at for at, key in enumerate(new, start=size)}
    columns = (*_ROWS, *(f"l{number}" for number in range(len(labels))))
    rows = f"rows ({', '.join(columns)})"
    for table, pack in ((rows, _narrow), ("details", _detail), ("texts", _text)):
        packed = [(places[row.key], *pack(row, labels)) for row in found]
        marks = ", ".join("?" * len(packed[0]))
        connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", packed)
    return [places[row.key] for row in found], not known


def count_rows(connection: sqlite3.Connection) -> int:
    """How many rows there are."""
    return int(connection.execute("SELECT coalesce(max(place) + 1, 0) FROM texts").fetchone()[0])


def find_places(connection: sqlite3.Connection, column: str, value: str) -> list[int]:
    """The places of the rows with this "key" or of this "sample", in order."""
    query = f"SELECT place FROM details WHERE {column} = ? ORDER BY place"
    return [place for (place,) in connection.execute(query, (_data(value),))]


def find_lines(
    connection: sqlite3.Connection, places: Iterable[int]
) -> list[tuple[str, int, int, int]]:
    """The keys of rows, and the numbers, first bytes and sizes of their lines."""
    query = "SELECT key, number, start, size FROM details WHERE place = ?"
    # A place of a log that is another one now has no line.
    found = (connection.execute(query, (at,)).fetchone() or (b"", 1, 0, 0) for at in places)
    return [(_str(key), number, start, size) for key, number, start, size in found]


def count_values(
    connection: sqlite3.Connection, column: str, condition: Condition = EVERY
) -> dict[str, int]:
    """How many rows have each value of a column but "", the most frequent first, 100 at most."""
    rows = connection.execute(
        f"SELECT {column}, count(*) AS n FROM rows WHERE {column} > x'' AND {condition.sql} "
        f"GROUP BY {column} ORDER BY n DESC, {column} LIMIT {_MOST_VALUES}",
        condition.parameters,
    )
    return {_str(value): count for value, count in rows}


def read_tally(connection: sqlite3.Connection, labels: Sequence[str]) -> RunTally:
    """What the figures need of all rows."""

    def column(name: str) -> list[Any]:
        rows = connection.execute(f"SELECT {name} FROM rows ORDER BY place")
        return [value for (value,) in rows]

    usage = connection.execute(
        "SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0) FROM rows"
    )
    return RunTally.of_columns(
        {name: _encode(column(f"l{number}")) for number, name in enumerate(labels)},
        Usage(*usage.fetchone()),
        [column(name) for name in ("score", "started", "ended")],
        column("flags"),
    )


def _encode(values: Sequence[bytes]) -> tuple[list[str], NDArray[np.int32]]:
    """The values in the order in which they are met, and the rows' places among them: (rows,)."""
    places = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return list(map(_str, places)), np.fromiter(map(places.__getitem__, values), np.int32)


def select_rows(
    connection: sqlite3.Connection, wanted: RowFilter, labels: Sequence[str]
) -> SelectedRows:
    """The rows that fit, counted."""
    parts = _conditions(connection, wanted, labels)

    def others(own: str) -> Condition:
        return _all_of(part for name, part in parts.items() if name != own)

    return SelectedRows(
        found=_count(connection, _all_of(parts.values())),
        verdicts=count_values(connection, "verdict", others("verdict")),
        mistakes=count_values(connection, "mistake", others("mistake")),
        labels={
            name: count_values(connection, column, others(column))
            for name, column in _columns(labels).items()
            if _varies(connection, column)
        },
    )


def order_rows(
    connection: sqlite3.Connection,
    wanted: RowFilter,
    labels: Sequence[str],
    start: int = 0,
    count: int = -1,
) -> list[int]:
    """The places of the rows that fit, in order: `count` from the one numbered `start`, -1 for all.

    Raises:
        RequestError: there is no such order.
    """
    table, order = _order(wanted.sort, labels)
    condition = _all_of(_conditions(connection, wanted, labels).values())
    where = condition.sql
    if table != "rows" and condition != EVERY:
        where = f"place IN (SELECT place FROM rows WHERE {where})"
    sql = f"SELECT place FROM {table} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
    found = connection.execute(sql, (*condition.parameters, count, start))
    return [place for (place,) in found]


def _columns(labels: Sequence[str]) -> dict[str, str]:
    return {name: f"l{number}" for number, name in enumerate(labels)}


def _conditions(
    connection: sqlite3.Connection, wanted: RowFilter, labels: Sequence[str]
) -> dict[str, Condition]:
    """The parts of a filter by their columns; a label that no row has fits none."""
    columns, parts = _columns(labels), {"text": _search(connection, wanted.text)}
    for name, value in (("verdict", wanted.verdict), ("mistake", wanted.mistake)):
        parts[name] = Condition(f"{name} = ?", (_data(value),)) if value else EVERY
    for name, value in (wanted.labels or {}).items():
        column = columns.get(name, "")
        parts[column] = Condition(f"{column} = ?", (_data(value),)) if column else Condition("0")
    return parts


def _all_of(parts: Iterable[Condition]) -> Condition:
    found = EVERY
    for part in parts:
        found = found & part
    return found


def _count(connection: sqlite3.Connection, condition: Condition) -> int:
    sql = f"SELECT count(*) FROM rows WHERE {condition.sql}"
    return int(connection.execute(sql, condition.parameters).fetchone()[0])


def _order(sort: str, labels: Sequence[str]) -> tuple[str, str]:
    """A table and the order of it in SQL.

    Rows without a value come last, equal ones as in the log.

    Raises:
        RequestError: there is no such column.
    """
    if not sort:
        return "rows", "place"
    name = sort.removeprefix("-")
    of_labels = {label: ("rows", f"nullif({one}, x'')") for label, one in _columns(labels).items()}
    columns = of_labels | _ORDERS
    if name not in columns:
        raise RequestError(
            f"the rows have no column {name!r} to sort by",
            hint=f"sort by {', '.join(dict.fromkeys((*SORT_KEYS, *labels)))}",
        )
    table, by = columns[name]
    return table, f"{by} {'DESC' if sort.startswith('-') else 'ASC'} NULLS LAST, place"


def _search(connection: sqlite3.Connection, text: str) -> Condition:
    """That a row has a text in it; those that have are in a table of this connection.

    What was found last is kept while the rows are the same, for counts and pages of one search.
    """
    sought = text.strip().casefold()
    if not sought:
        return EVERY
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS found (place INTEGER PRIMARY KEY)")
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS search (words, state)")
    (state,) = connection.execute("SELECT text FROM main.state").fetchone()
    search = _data(sought), state
    if connection.execute("SELECT words, state FROM search").fetchone() != search:
        connection.execute("DELETE FROM found")
        connection.execute("DELETE FROM search")
        query = "INSERT INTO found SELECT place FROM texts WHERE instr(words, ?) > 0"
        connection.execute(query, search[:1])
        connection.execute("INSERT INTO search VALUES (?, ?)", search)
    (met,) = connection.execute("SELECT count(*) FROM found").fetchone()
    return EVERY if met == count_rows(connection) else Condition("place IN found")


def _varies(connection: sqlite3.Connection, column: str) -> bool:
    """Whether rows have different values; each side is the end of an index."""
    query = f"SELECT (SELECT min({column}) FROM rows) < (SELECT max({column}) FROM rows)"
    return bool(connection.execute(query).fetchone()[0])


def _narrow(logged: LoggedRow, labels: Sequence[str]) -> list[object]:
    row = logged.row
    return [
        _data(row_verdict(row)),
        _data(diagnose(row) or ""),
        row.score,
        row.started,
        row.ended,
        flags_of(row),
        row.usage.input_tokens,
        row.usage.output_tokens,
        *(_data(row.labels.get(name, "")) for name in labels),
    ]


def _detail(logged: LoggedRow, labels: Sequence[str]) -> list[object]:
    row, steps = logged.row, logged.row.detail.get("steps")
    return [
        _data(logged.key),
        _data(row.id),
        logged.number,
        logged.start,
        logged.size,
        _key_order(logged.key),
        row.latency_s if row.status != "failed" else None,
        row.usage.output_tokens or None,
        steps if isinstance(steps, int) else None,
        _data(row.answer) if row.answer else None,
        _data(row.about.instruction) if row.about.instruction else None,
    ]


def _text(logged: LoggedRow, labels: Sequence[str]) -> list[object]:
    row = logged.row
    return [_data(f"{row.key}\n{row.about.instruction}\n{row.answer or ''}".casefold())]


def _key_order(key: str) -> bytes:
    """The key with its digits as numbers of 15 places, so that 9 comes before 10."""
    parts = _NUMBER.split(key)
    return b"".join(b"\0%015d" % int(part) if part.isdecimal() else _data(part) for part in parts)


def _data(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _str(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
