"""What is asked of an agent. To add a suite: a file here, and a line in the table."""

from tapwright.registry import Registry
from tapwright.tasks.task import Suite

suites: Registry[Suite] = Registry(
    "tasks",
    "task suite",
    {
        "phone": "tapwright.tasks.phone:tasks",
    },
)
