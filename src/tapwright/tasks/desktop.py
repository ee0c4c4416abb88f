"""The task suites of the Linux desktop: `desktop-l3` in one application, `desktop-l4` across two.

A row of `desktop_tasks/tables/` names its template and its values; the order of the rows is the
order of the suite. What a task starts with are files of a home, and what it leaves on disk decides:
texts, folders, cells, paragraphs, settings. Every task has a script as its solution. Tests prove
that the script earns success, and that doing nothing, or claiming too early, does not.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tapwright.tasks.task import Task
from tapwright.tasks.templates.suite import read_suite

__all__ = ["across_applications", "one_application"]

_HERE = Path(__file__).with_name("desktop_tasks")


@cache
def one_application() -> Sequence[Task]:
    """Tasks within one application: the suite `desktop-l3`."""
    return read_suite(_HERE, "desktop-l3")


@cache
def across_applications() -> Sequence[Task]:
    """Tasks that carry something from one application to another: the suite `desktop-l4`."""
    return read_suite(_HERE, "desktop-l4")
