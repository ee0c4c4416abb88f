"""The tasks of the built-in phone: some two dozen things that people do, in English and Chinese.

They are made out of the templates in `phone_tasks/`; one more is a conf and a task file there, and
a name here. Each names the seeded data of seed 0 and carries a script that does it; tests prove
that the script earns success and that doing nothing does not.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.task import Task
from tapwright.tasks.templates.expand import Expander

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
    """All of them, in the order of the home screen's apps; ids are short and stay."""
    expander = Expander(_HERE / "templates")
    return tuple(
        task_from_definition(expander.expand(_HERE / f"tasks/{name}.task")) for name in _NAMES
    )
