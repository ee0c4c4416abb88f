"""Tasks for agents. To add a suite: a file here, and a line in the table."""

from tapwright.registry import Registry
from tapwright.tasks.definitions.textproto import read_task
from tapwright.tasks.task import Suite

__all__ = [
    "read_task",
    "suites",
]

suites: Registry[Suite] = Registry(
    "tasks",
    "task suite",
    {
        "l3": "tapwright.tasks.phone:one_app",
        "l3-zh": "tapwright.tasks.phone:one_app_zh",
        "l4": "tapwright.tasks.phone:across_apps",
        "l4-zh": "tapwright.tasks.phone:across_apps_zh",
        "miniwob": "tapwright.tasks.miniwob:tasks",
        "phone": "tapwright.tasks.phone:tasks",
        "web-l3": "tapwright.tasks.sites:one_site",
        "web-l4": "tapwright.tasks.sites:across_sites",
    },
)
