"""What is recorded of what is wanted: by suite, by task and by person, for who leads a team."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright.errors import UnknownNameError
from tapwright.web.api import ApiRoute, Query
from tapwright.web.config import Suites
from tapwright.web.recording.tally import (
    DemonstrationCounts,
    DemonstrationGroup,
    DemonstrationTally,
    count_by_task,
    sum_counts,
)
from tapwright.web.recording.task_routes import has_words
from tapwright.web.team.queue import ItemProgress, Queue

__all__ = ["progress_routes"]

_MAX_ROWS = 500


@dataclass(frozen=True, slots=True)
class SuiteRecordings:
    """The demonstrations of a suite; `suite` is "" for instructions of one's own.

    `covered` of its `tasks` are recorded at least once, and not rejected. The queue
    wants `wanted` recordings and has `done` of them.
    """

    suite: str
    tasks: int
    covered: int
    counts: DemonstrationCounts
    done: int
    wanted: int


@dataclass(frozen=True, slots=True)
class PersonRecordings:
    """The demonstrations of a person, who completed `done` of the `wanted` items they took."""

    name: str
    counts: DemonstrationCounts
    done: int
    wanted: int


@dataclass(frozen=True, slots=True)
class TeamRecordings:
    """The demonstrations of a store by suite and by person."""

    suites: tuple[SuiteRecordings, ...]
    people: tuple[PersonRecordings, ...]


@dataclass(frozen=True, slots=True)
class TaskRecordings:
    """The demonstrations of a task; the queue wants `wanted` and has `done` of them."""

    task: str
    instruction: str
    counts: DemonstrationCounts
    done: int
    wanted: int


@dataclass(frozen=True, slots=True)
class TaskRecordingsPage:
    """The first 500 of `found` tasks, in the order of their suite."""

    found: int
    rows: tuple[TaskRecordings, ...]


class TaskRecordingsQuery(Query):
    """Tasks of a suite that contain all words of `q`.

    `show` "missing" are those not recorded, "open" those with a demonstration that has not ended,
    and "wanted" those of which the queue wants more.
    """

    suite: str
    q: str = ""
    show: Literal["all", "missing", "open", "wanted"] = "all"


def progress_routes(suites: Suites, queue: Queue, tally: DemonstrationTally) -> list[BaseRoute]:
    """`api/team/recordings…`."""

    def read_recordings(request: Request) -> TeamRecordings:
        groups, items = tally.read(), queue.items()
        return TeamRecordings(_by_suite(suites, groups, items), _by_person(groups, items))

    def list_tasks(request: Request, query: TaskRecordingsQuery) -> TaskRecordingsPage:
        if query.suite not in suites:
            raise UnknownNameError("suite", query.suite, suites)
        words = query.q.casefold().split()
        tasks = [task for task in suites[query.suite]() if has_words(task, words)]
        counts = count_by_task(tally.read(), query.suite, tasks)
        work = _queue_work([one for one in queue.items() if one.suite == query.suite])
        rows = [
            TaskRecordings(
                task.id,
                task.instruction,
                counts.get(task.id, DemonstrationCounts()),
                *work.get(task.id, (0, 0)),
            )
            for task in tasks
        ]
        shown = [row for row in rows if _is_shown(row, query.show)]
        return TaskRecordingsPage(len(shown), tuple(shown[:_MAX_ROWS]))

    return [
        ApiRoute("/api/team/recordings", read_recordings, role="admin"),
        ApiRoute("/api/team/recordings/tasks", list_tasks, role="admin"),
    ]


def _is_shown(row: TaskRecordings, show: Literal["all", "missing", "open", "wanted"]) -> bool:
    match show:
        case "all":
            return True
        case "missing":
            return not row.counts.is_recorded
        case "open":
            return row.counts.open + row.counts.interrupted > 0
        case "wanted":
            return row.done < row.wanted


def _by_suite(
    suites: Suites, groups: Sequence[DemonstrationGroup], items: Sequence[ItemProgress]
) -> tuple[SuiteRecordings, ...]:
    rows = []
    for name in sorted({*suites, *(one.suite for one in items)}):
        tasks = suites[name]() if name in suites else ()
        known = {task.id for task in tasks}
        found = [one for one in groups if one.suite in (name, "") and one.task in known]
        counts = count_by_task(found, name, tasks)
        work = _queue_work([one for one in items if one.suite == name])
        rows.append(
            SuiteRecordings(
                suite=name,
                tasks=len(tasks),
                covered=sum(made.is_recorded for made in counts.values()),
                counts=sum_counts(found),
                done=sum(done for done, _ in work.values()),
                wanted=sum(wanted for _, wanted in work.values()),
            )
        )
    own = [one for one in groups if not one.task]
    if own:
        rows.append(SuiteRecordings("", 0, 0, sum_counts(own), 0, 0))
    return tuple(rows)


def _by_person(
    groups: Sequence[DemonstrationGroup], items: Sequence[ItemProgress]
) -> tuple[PersonRecordings, ...]:
    done = [name for one in items for name, _ in one.done]
    taken = [name for one in items for name in (*one.held, *one.lapsed)]
    kept = [one.only for one in items if one.only and one.waiting and one.only not in one.lapsed]
    names = sorted({*(one.person for one in groups), *done, *taken, *kept})
    return tuple(
        PersonRecordings(
            name,
            sum_counts(one for one in groups if one.person == name),
            done.count(name),
            done.count(name) + taken.count(name) + kept.count(name),
        )
        for name in names
    )


def _queue_work(items: Sequence[ItemProgress]) -> Mapping[str, tuple[int, int]]:
    """How many recordings of each task the queue has, and how many it wants."""
    work: dict[str, tuple[int, int]] = {}
    for one in items:
        done, wanted = work.get(one.task, (0, 0))
        more = max(one.copies, len(one.done))
        work[one.task] = (done + len(one.done), wanted + more)
    return work
