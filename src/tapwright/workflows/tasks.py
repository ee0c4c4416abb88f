"""Tasks by suite and id, as `--suite`, `--task` and `--limit` give them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tapwright.errors import NothingFoundError, UnknownNameError

if TYPE_CHECKING:
    from tapwright.tasks.task import Task

__all__ = ["select_tasks"]


def select_tasks(
    suite: str, task_ids: Sequence[str] = (), limit: int | None = None
) -> "list[Task]":
    """The selected tasks of a suite, in the suite's order; all without `task_ids`.

    The path of a task definition, or of a directory of them, is a suite too.

    Raises:
        UnknownNameError: there is no such suite or task.
        NothingFoundError: the suite is empty.
    """
    from tapwright.tasks.task_files import read_suite

    tasks = {task.id: task for task in read_suite(suite)}
    for id_ in task_ids:
        if id_ not in tasks:
            raise UnknownNameError("task", id_, tasks)
    selected = [task for task in tasks.values() if not task_ids or task.id in task_ids]
    if not selected:
        raise NothingFoundError(f"the suite {suite!r} has no such tasks")
    return selected[:limit]
