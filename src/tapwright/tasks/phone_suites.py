"""The suites of the benchmarks L3 and L4 on the built-in phone, in English and in Chinese.

Each is a table in `phone_tasks/tables/`: a row names its template and says what fills it, and the
order of the rows is the order of the suite. A Chinese row is its English neighbour's task over the
Chinese phone's own data, with `_zh` after the id. Tests prove that each task's script earns
success, and that doing nothing, or all but the last move, does not.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.errors import BadTableError
from tapwright.tasks.task import Task
from tapwright.tasks.templates.tables import read_rows
from tapwright.tasks.templates.template import SUFFIX, Template, read_template

__all__ = [
    "across_apps",
    "across_apps_zh",
    "one_app",
    "one_app_zh",
]

_HERE = Path(__file__).with_name("phone_tasks")


@cache
def one_app() -> Sequence[Task]:
    """Tasks within one app, in English: the suite `l3`."""
    return _tasks("l3")


@cache
def one_app_zh() -> Sequence[Task]:
    """The same in Chinese: the suite `l3-zh`."""
    return _tasks("l3-zh")


@cache
def across_apps() -> Sequence[Task]:
    """Tasks that carry something from one app to another, in English: the suite `l4`."""
    return _tasks("l4")


@cache
def across_apps_zh() -> Sequence[Task]:
    """The same in Chinese: the suite `l4-zh`."""
    return _tasks("l4-zh")


def _tasks(suite: str) -> tuple[Task, ...]:
    tasks = []
    for row in read_rows(_HERE / f"tables/{suite}.jsonl"):
        if isinstance(row, BadTableError):
            raise row
        name = row.values["template"]
        definition = _template(name).fill(row.for_step(name), row.place)
        tasks.append(replace(task_from_definition(definition), kind=row.values["kind"]))
    return tuple(tasks)


@cache
def _template(name: str) -> Template:
    return read_template(_HERE / f"templates/{name}{SUFFIX}", _refuse)


def _refuse(warning: str) -> None:
    raise BadTableError(warning)
