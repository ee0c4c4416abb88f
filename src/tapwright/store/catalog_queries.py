"""The queries of a catalog: rows of a selection, counts, and how often values come."""

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping

from tapwright.store.catalog_rows import SELECTED
from tapwright.store.filters import Condition, parse_filter
from tapwright.store.selection import Selection

__all__ = ["count_facets", "count_rows", "make_query"]


def make_query(
    selection: Selection, also: Condition, start: int, count: int, columns: str = SELECTED
) -> Callable[[sqlite3.Connection], list[tuple[object, ...]]]:
    """What returns the columns of at most `count` rows of a selection, from the one at `start`."""
    condition, order = parse_filter(selection.where) & also, selection.order()
    if selection.limit is not None:
        left = max(0, selection.limit - start)
        count = left if count < 0 else min(count, left)

    def query(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
        chosen = condition
        if selection.sample is not None:
            chosen = _sample(connection, condition, selection.sample, selection.seed)
        sql, values = f"WHERE {chosen.sql} ORDER BY {order}", chosen.parameters
        if count >= 0:
            # An index has what is needed to find the rows; only those few are opened.
            few = f"SELECT rowid FROM episodes {sql} LIMIT ? OFFSET ?"
            sql = f"WHERE rowid IN ({few}) ORDER BY {order}"
            values = (*values, count, start)
        return connection.execute(f"SELECT {columns} FROM episodes {sql}", values).fetchall()

    return query


def count_rows(connection: sqlite3.Connection, condition: Condition) -> int:
    """How many episodes meet a condition."""
    sql = f"SELECT count(*) FROM episodes WHERE {condition.sql}"
    (count,) = connection.execute(sql, condition.parameters).fetchone()
    return int(count)


def _sample(
    connection: sqlite3.Connection, condition: Condition, count: int, seed: int
) -> Condition:
    """That an episode is one of `count` chosen by chance of those that meet a condition."""
    names = [
        name
        for (name,) in connection.execute(
            f"SELECT directory FROM episodes WHERE {condition.sql} ORDER BY directory",
            condition.parameters,
        )
    ]
    chosen = random.Random(seed).sample(names, min(count, len(names)))
    return Condition("directory IN (SELECT value FROM json_each(?))", (json.dumps(chosen),))


def count_facets(
    connection: sqlite3.Connection, condition: Condition
) -> Mapping[str, Mapping[str, int]]:
    """How many episodes have each task, app, outcome and agent; the most frequent first."""
    counts: dict[str, Counter[str]] = {}
    columns = {"task": "task_id", "app": "apps", "outcome": "outcome", "agent": "agent"}
    for facet, column in columns.items():
        counter = counts[facet] = Counter[str]()
        for value, count in connection.execute(
            f"SELECT {column}, count(*) FROM episodes WHERE {condition.sql} GROUP BY {column}",
            condition.parameters,
        ):
            for name in json.loads(value) if facet == "app" else (value,):
                counter[name] += count
    return {
        facet: dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
        for facet, found in counts.items()
    }
