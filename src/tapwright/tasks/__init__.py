"""Tasks for agents. To add a suite: a file here, and a line in the table."""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.tasks.task import Suite

__all__ = ["suites"]

suites: "Registry[Suite]" = Registry(
    family="tasks",
    kind="task suite",
    renamed={"l3": "phone-l3", "l3-zh": "phone-l3-zh", "l4": "phone-l4", "l4-zh": "phone-l4-zh"},
    table={
        "desktop-l3": "tapwright.tasks.table_suites:desktop_l3",
        "desktop-l4": "tapwright.tasks.table_suites:desktop_l4",
        "phone-injection": "tapwright.tasks.table_suites:phone_injection",
        "phone-l3": "tapwright.tasks.table_suites:phone_l3",
        "phone-l3-zh": "tapwright.tasks.table_suites:phone_l3_zh",
        "phone-l4": "tapwright.tasks.table_suites:phone_l4",
        "phone-l4-zh": "tapwright.tasks.table_suites:phone_l4_zh",
        "miniwob": "tapwright.tasks.miniwob:tasks",
        "phone": "tapwright.tasks.phone:tasks",
        "web-l3": "tapwright.tasks.table_suites:web_l3",
        "web-l4": "tapwright.tasks.table_suites:web_l4",
    },
)
