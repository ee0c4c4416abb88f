"""Tasks by suite and id, as `--suite`, `--task` and `--limit` give them."""

from collections.abc import Sequence
from pathlib import Path

from tapwright.errors import NothingFoundError, TapwrightError, UnknownNameError
from tapwright.tasks.task import Task

__all__ = ["select_tasks"]


def select_tasks(suite: str, task_ids: Sequence[str] = (), limit: int | None = None) -> list[Task]:
    """The selected tasks of a suite, in the suite's order; all without `task_ids`.

    The path of a task definition, or of a directory of them, is a suite too.

    Raises:
        UnknownNameError: there is no such suite or task.
        NothingFoundError: the suite is empty.
    """
    tasks = {task.id: task for task in _read_suite(suite)}
    for id_ in task_ids:
        if id_ not in tasks:
            raise UnknownNameError("task", id_, tasks)
    selected = [task for task in tasks.values() if not task_ids or task.id in task_ids]
    if not selected:
        raise NothingFoundError(f"the suite {suite!r} has no such tasks")
    return selected[:limit]


def _read_suite(suite: str) -> Sequence[Task]:
    from tapwright.tasks import suites

    if suite in suites.names() or not Path(suite).exists():
        return suites.get(suite)()
    from tapwright.tasks.task_files import read_tasks

    tasks = []
    for _, one in read_tasks(Path(suite)):
        if isinstance(one, TapwrightError):
            raise one
        tasks.append(one)
    return tasks
