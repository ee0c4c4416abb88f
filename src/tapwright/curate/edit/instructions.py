"""The instructions of a task definition, which modifiers name by their number.

Follows Mobile-Env's `edit_pickle.py` (see `grammar`): of the instruction listener's events those
that are events with children of their own count, in order, each by its first transformation. There
the transformation is run as Python; here it is parsed, and must be `y = "…"` or `y = ["…", …]`.
"""

import ast
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from tapwright.errors import NothingFoundError, TaskError, UsageError
from tapwright.files.python_source import parse_statements
from tapwright.tasks.definitions.textproto import read_task
from tapwright.tasks.task_pb2 import Task

__all__ = ["find_instructions", "task_instructions"]

_TEXTS = TypeAdapter(tuple[str, ...])


def task_instructions(task: Task) -> tuple[tuple[str, ...], ...]:
    """The instructions of each event in the slot for instructions, in order.

    Raises:
        TaskError: a transformation does not assign its instructions as literals.
    """
    events = (child.event for child in task.event_slots.instruction_listener.events)
    return tuple(
        _read_assigned_texts(event.transformation[0] if event.transformation else "", task.id)
        for event in events
        if event.events
    )


def find_instructions(directory: Path, task_id: str) -> tuple[tuple[str, ...], ...]:
    """The instructions of the task `task_id`, whose definition is a `*.textproto` in `directory`.

    Raises:
        UsageError: `directory` is none.
        NothingFoundError: no definition there is that task's.
        BadDefinitionError: a definition cannot be read.
        TaskError: a transformation does not assign its instructions as literals.
    """
    if not directory.is_dir():
        raise UsageError(f"{directory}: not a directory of task definitions")
    for path in sorted(directory.glob("*.textproto")):
        task = read_task(path)
        if task.id == task_id or path.stem == task_id:
            return task_instructions(task)
    raise NothingFoundError(f"{directory}: no *.textproto there defines the task {task_id!r}")


def _read_assigned_texts(transformation: str, task_id: str) -> tuple[str, ...]:
    try:
        match parse_statements(transformation.strip()):
            case [ast.Assign(targets=[ast.Name(id="y")], value=value), *_]:
                found = ast.literal_eval(value)
                return (found,) if isinstance(found, str) else _TEXTS.validate_python(found)
    except (ValueError, SyntaxError, RecursionError, MemoryError, ValidationError):
        pass
    raise TaskError(
        f"the task {task_id}: the transformation {transformation[:80]!r} does not say its "
        'instructions outright; expected y = "…" or y = ["…", …]',
        hint='give the words themselves, as in instructionize:3:"Now close it"',
    )
