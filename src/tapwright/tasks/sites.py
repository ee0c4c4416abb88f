"""The task suites of the installed sites: `web-l3` within one site, `web-l4` across several.

A row of `site_tasks/tables/` names its template and its values; the order of the rows is the order
of the suite. Every task names the content of seed 0 and has a script as its solution. Tests prove
that the script earns success, and that doing nothing, or all but the last move, does not.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tapwright.tasks.task import Task
from tapwright.tasks.templates.suite import read_suite

__all__ = ["across_sites", "one_site"]

_HERE = Path(__file__).with_name("site_tasks")


@cache
def one_site() -> Sequence[Task]:
    """Tasks within one site: the suite `web-l3`."""
    return read_suite(_HERE, "web-l3")


@cache
def across_sites() -> Sequence[Task]:
    """Tasks from one site to another or to a file: the suite `web-l4`."""
    return read_suite(_HERE, "web-l4")
