"""Tasks for agents. To add a suite: a file here, and a line in the table."""

from tapwright.plugins.registry import Registry
from tapwright.tasks.definitions.textproto import read_task
from tapwright.tasks.task import Suite

__all__ = [
    "read_task",
    "suites",
]

suites: Registry[Suite] = Registry(
    family="tasks",
    kind="task suite",
    renamed={
        "l3": "phone-l3",
        "l3-zh": "phone-l3-zh",
        "l4": "phone-l4",
        "l4-zh": "phone-l4-zh",
    },
    table={
        "desktop-l3": "tapwright.tasks.desktop:one_application",
        "desktop-l4": "tapwright.tasks.desktop:across_applications",
        "phone-injection": "tapwright.tasks.phone:injected",
        "phone-l3": "tapwright.tasks.phone:one_app",
        "phone-l3-zh": "tapwright.tasks.phone:one_app_zh",
        "phone-l4": "tapwright.tasks.phone:across_apps",
        "phone-l4-zh": "tapwright.tasks.phone:across_apps_zh",
        "miniwob": "tapwright.tasks.miniwob:tasks",
        "phone": "tapwright.tasks.phone:tasks",
        "web-l3": "tapwright.tasks.sites:one_site",
        "web-l4": "tapwright.tasks.sites:across_sites",
    },
)
