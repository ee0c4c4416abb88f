"""Tasks by suite and id, as `--suite`, `--task` and `--limit` give them, and what they may ask."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

from tapwright.errors import NothingFoundError, UnknownNameError
from tapwright.tasks.task import Task

if TYPE_CHECKING:
    from tapwright.tasks.definitions.device_words import DeviceWords

__all__ = ["phone_words", "select_tasks"]


def select_tasks(suite: str, task_ids: Sequence[str] = (), limit: int | None = None) -> list[Task]:
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


def phone_words(state: JsonValue) -> "DeviceWords":
    """What a definition may ask of the built-in phone, whose `state` after a reset is given."""
    from tapwright.devices.phone.description import describe_apps, describe_state
    from tapwright.tasks.definitions.device_words import DeviceWords

    details = [*describe_apps(), *describe_state(state)]
    messages: dict[str, list[str]] = {}
    for one in details:
        if one.kind == "log":
            messages.setdefault(one.name, []).append(one.example)
    paths, ids = (
        frozenset(one.name for one in details if one.kind == kind) for kind in ("state", "element")
    )
    return DeviceWords(frozenset(messages), paths, ids, messages, " ".join(_texts(state)))


def _texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for one in value.values():
                yield from _texts(one)
        case [*several]:
            for one in several:
                yield from _texts(one)
        case _:
            pass
