"""The routes that a page chooses a task by: the tasks of a suite, and what is recorded of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.tasks.task import Task
from tapwright.web.api import ApiRoute
from tapwright.web.recording.recorder import Recorder
from tapwright.web.recording.tally import (
    DemonstrationCounts,
    DemonstrationTally,
    count_by_task,
    find_next,
)

__all__ = ["has_words", "task_routes"]

_MAX_TASKS = 500


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task in a list."""

    id: str
    instruction: str
    apps: tuple[str, ...]
    language: str
    max_steps: int


@dataclass(frozen=True, slots=True)
class SuiteProgress:
    """What is recorded of a suite: `recorded` of its `tasks` at least once, and not rejected.

    `counts` are those of each task of which there is a demonstration. `next` is the first task that
    is not recorded and that nobody is recording, None when there is none.
    """

    suite: str
    tasks: int
    recorded: int
    counts: Mapping[str, DemonstrationCounts]
    next: TaskRow | None


def task_routes(recorder: Recorder, tally: DemonstrationTally) -> list[BaseRoute]:
    """`api/suites` and `api/tasks…`."""

    async def list_suites(request: Request) -> list[str]:
        return sorted(recorder.suites)

    async def list_tasks(
        request: Request, suite: str, q: str = "", missing: bool = False
    ) -> list[TaskRow]:
        words = q.casefold().split()
        tasks = [task for task in await recorder.tasks(suite) if has_words(task, words)]
        if missing:
            groups = await run_in_threadpool(tally.read)
            counts = count_by_task(groups, suite, tasks)
            tasks = [one for one in tasks if one.id not in counts or not counts[one.id].is_recorded]
        return [_task_row(task) for task in tasks[:_MAX_TASKS]]

    async def read_progress(request: Request, suite: str, after: str = "") -> SuiteProgress:
        tasks = await recorder.tasks(suite)
        counts = count_by_task(await run_in_threadpool(tally.read), suite, tasks)
        following = find_next(tasks, counts, after)
        return SuiteProgress(
            suite=suite,
            tasks=len(tasks),
            recorded=sum(made.is_recorded for made in counts.values()),
            counts=counts,
            next=None if following is None else _task_row(following),
        )

    return [
        ApiRoute("/api/suites", list_suites, role="annotator"),
        ApiRoute("/api/tasks", list_tasks, role="annotator"),
        ApiRoute("/api/tasks/progress", read_progress, role="annotator"),
    ]


def has_words(task: Task, words: list[str]) -> bool:
    """Whether the id, the instruction and the apps of a task contain all words, in lower case."""
    text = " ".join((task.id, task.instruction, *task.apps)).casefold()
    return all(word in text for word in words)


def _task_row(task: Task) -> TaskRow:
    return TaskRow(task.id, task.instruction, task.apps, task.language, task.max_steps)
