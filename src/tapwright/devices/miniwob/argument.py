"""What follows "miniwob:" on a command line: the task and the scale."""

import re

from tapwright.devices.miniwob.pages import hint_at_names, names
from tapwright.errors import UsageError

__all__ = ["DEFAULT_TASK", "read_argument"]

DEFAULT_TASK = "click-test"


def read_argument(argument: str) -> tuple[str, int]:
    """The task and the scale of "click-test", "x3" or "click-test,x3"; a scale is 1 to 8.

    Raises:
        UsageError: there is no such task.
        MissingExtraError: the package with the pages is not installed.
    """
    task, scale = DEFAULT_TASK, 1
    for word in filter(None, argument.split(",")):
        match = re.fullmatch(r"x([1-8])", word, re.ASCII)
        if match:
            scale = int(match[1])
        else:
            task = word
    if task not in names():
        raise UsageError(
            f"miniwob:{argument}: MiniWoB++ has no task {task!r}", hint=hint_at_names(task)
        )
    return task, scale
