"""The task suite `phone`: two dozen everyday tasks of the built-in phone, in English and Chinese.

They are made from the templates in `phone_tasks/`: to add one, add a conf and a task file there,
and its name here. Every task names the seeded data of seed 0 and has a script as its solution.
Tests prove that the script earns success, and that doing nothing, or all but the last move, does
not.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.task import Task
from tapwright.tasks.templates.expand import Expander

__all__ = ["tasks"]

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
