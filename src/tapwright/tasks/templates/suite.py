"""Makes a suite of tasks of a table: each row names its template, its kind and its values."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.errors import BadTableError
from tapwright.tasks.task import Task
from tapwright.tasks.templates.tables import read_rows
from tapwright.tasks.templates.template import SUFFIX, Template, read_template

__all__ = ["read_suite"]


def read_suite(folder: Path, name: str) -> tuple[Task, ...]:
    """The tasks of `tables/NAME.jsonl` in a folder, in the order of its rows.

    Raises:
        BadTableError: a row is malformed, or its template warns.
    """
    made = []
    for row in read_rows(folder / f"tables/{name}.jsonl"):
        if isinstance(row, BadTableError):
            raise row
        template = row.values["template"]
        definition = _read(folder / f"templates/{template}{SUFFIX}").fill(
            row.for_step(template), row.place
        )
        made.append(replace(task_from_definition(definition), kind=row.values["kind"]))
    return tuple(made)


@cache
def _read(path: Path) -> Template:
    return read_template(path, _raise_warning)


def _raise_warning(warning: str) -> None:
    raise BadTableError(warning)
