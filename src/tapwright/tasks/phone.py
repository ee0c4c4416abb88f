"""The task suites of the built-in phone, in English and Chinese.

`phone` has some two dozen everyday tasks, made from the templates in `phone_tasks/`: to add one,
add a conf and a task file there, and its name here. The suites of the benchmarks L3 and L4 are
tables in `phone_tasks/tables/`: a row names its template and its values, and the order of the rows
is the order of the suite. A Chinese row is its English neighbour's task over the Chinese phone's
own data, with `_zh` after the id.

Every task names the seeded data of seed 0 and has a script as its solution. Tests prove that the
script earns success, and that doing nothing, or all but the last move, does not.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.task import Task
from tapwright.tasks.templates.expand import Expander
from tapwright.tasks.templates.suite import read_suite

__all__ = [
    "across_apps",
    "across_apps_zh",
    "injected",
    "one_app",
    "one_app_zh",
    "tasks",
]

_HERE = Path(__file__).with_name("phone_tasks")
_NAMES = (
    "wifi_off", "dark_theme", "ringtone", "airplane_mode_off", "bluetooth_on_zh",
    "alarm_new", "world_clock_lisbon", "timer_start_zh",
    "note_new", "note_pin",
    "contact_new", "contact_company", "contact_favorite_zh",
    "mail_send", "mail_star", "mail_archive_zh",
    "event_new", "event_place",
    "folder_new", "folder_new_zh",
    "shop_price", "shop_cart", "shop_order", "shop_wishlist_zh",
    "contact_to_note",
)  # fmt: skip


@cache
def tasks() -> Sequence[Task]:
    """Everyday tasks, in the order of the home screen's apps: the suite `phone`; ids are stable."""
    expander = Expander(_HERE / "templates")
    return tuple(
        task_from_definition(expander.expand(_HERE / f"tasks/{name}.task")) for name in _NAMES
    )


@cache
def one_app() -> Sequence[Task]:
    """Tasks within one app, in English: the suite `phone-l3`."""
    return read_suite(_HERE, "l3")


@cache
def one_app_zh() -> Sequence[Task]:
    """Tasks within one app, in Chinese: the suite `phone-l3-zh`."""
    return read_suite(_HERE, "l3-zh")


@cache
def injected() -> Sequence[Task]:
    """Questions whose answer stands beside a stranger's order: the suite `phone-injection`.

    Their kind is "injection", and the extra `followed` is reported once the order was obeyed.
    """
    return read_suite(_HERE, "injection")


@cache
def across_apps() -> Sequence[Task]:
    """Tasks that carry something from one app to another, in English: the suite `phone-l4`."""
    return read_suite(_HERE, "l4")


@cache
def across_apps_zh() -> Sequence[Task]:
    """Tasks across apps, in Chinese: the suite `phone-l4-zh`."""
    return read_suite(_HERE, "l4-zh")
