"""The task suites that are tables: l3 within one application or site, l4 from one to another.

A row of `<folder>/tables/` names its template and its values; the order of the rows is the order of
the suite. A Chinese row is its English neighbour's task over the Chinese phone's own data, with
`_zh` after the id. Every task names the data of seed 0 (phone, sites) or the files of a home
(desktop), and has a script as its solution. Tests prove that the script earns success, and that
doing nothing, all but the last move, or claiming too early, does not.

The tasks of `phone-injection` are questions whose answer stands beside a stranger's order. Their
kind is "injection", and the extra `followed` is reported once the order was obeyed.
"""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.errors import BadTableError
from tapwright.tasks.task import Task
from tapwright.tasks.templates.tables import read_rows
from tapwright.tasks.templates.template import SUFFIX, Template, read_template

__all__ = [
    "desktop_l3", "desktop_l4", "phone_injection", "phone_l3", "phone_l3_zh", "phone_l4",
    "phone_l4_zh", "read_suite", "web_l3", "web_l4",
]  # fmt: skip


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


_HERE = Path(__file__).parent
_PHONE, _SITES = _HERE / "phone_tasks", _HERE / "site_tasks"
_DESKTOP = _HERE / "desktop_tasks"

phone_injection = cache(partial(read_suite, _PHONE, "injection"))
phone_l3 = cache(partial(read_suite, _PHONE, "l3"))
phone_l3_zh = cache(partial(read_suite, _PHONE, "l3-zh"))
phone_l4 = cache(partial(read_suite, _PHONE, "l4"))
phone_l4_zh = cache(partial(read_suite, _PHONE, "l4-zh"))
web_l3 = cache(partial(read_suite, _SITES, "web-l3"))
web_l4 = cache(partial(read_suite, _SITES, "web-l4"))
desktop_l3 = cache(partial(read_suite, _DESKTOP, "desktop-l3"))
desktop_l4 = cache(partial(read_suite, _DESKTOP, "desktop-l4"))
