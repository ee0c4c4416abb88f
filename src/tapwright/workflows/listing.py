"""Lists conventions and tasks by the rows that are kept beside them, which costs no import of one.

`listed.json` of a family is written from its members by `scripts/write_reference.py`, and a test
compares the two. Who is not in it, such as a plug-in, is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from tapwright.conventions import conventions
from tapwright.files.packaged import read_listed
from tapwright.workflows.selecting import choose_tasks, select_tasks

if TYPE_CHECKING:
    from tapwright.conventions.convention import ScreenKind
    from tapwright.tasks.task import Task

__all__ = ["ConventionRow", "PictureForm", "TaskRow", "list_conventions", "list_tasks"]

PictureForm: TypeAlias = Literal[
    "as recorded", "resized by the server", "resized before it is sent", "on a canvas"
]


@dataclass(frozen=True, slots=True)
class ConventionRow:
    """One convention in a list; `finds` is whether it has a prompt of its own for an element.

    `screen` is the only kind of screen that its actions are for.
    """

    name: str
    finds: Literal["actions", "an element", "both"]
    screen: "ScreenKind"
    space: str
    picture: PictureForm
    source: str


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task in a list: `steps` is how long its solution is, `limit` how long an attempt."""

    task: str
    apps: str
    language: str
    steps: int
    limit: int
    instruction: str

    @classmethod
    def of(cls, task: "Task") -> "TaskRow":
        """The row of a task."""
        return cls(
            task.id, ", ".join(task.apps), task.language, len(task.solution), task.max_steps,
            task.instruction,
        )  # fmt: skip


def list_conventions() -> list[ConventionRow]:
    """All conventions that can be loaded, by name."""
    kept = read_listed("tapwright.conventions")
    return [_row(name, kept.get(name)) for name in conventions.names()]


def _row(name: str, kept: list[str] | None) -> ConventionRow:
    if kept is not None:
        return ConventionRow(name, *kept)  # type: ignore[arg-type]  # as they were written
    from tapwright.workflows.conventions import describe_convention

    return describe_convention(conventions.get(name), name)


def list_tasks(suite: str, task_ids: Sequence[str] = (), limit: int | None = None) -> list[TaskRow]:
    """The rows of the tasks that `select_tasks` gives."""
    kept = read_listed("tapwright.tasks").get(suite)
    if kept is None:
        return [TaskRow.of(task) for task in select_tasks(suite, task_ids, limit)]
    return choose_tasks(suite, {row[0]: TaskRow(*row) for row in kept}, task_ids, limit)
