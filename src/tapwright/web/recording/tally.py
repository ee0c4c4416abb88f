"""How many demonstrations there are of each task, by whom, and how far they came.

The catalog counts the episodes whose agent is "human/NAME", without reading a step; what has not
ended is counted from its journal.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.store.catalog import Catalog
from tapwright.store.filters import is_none_of
from tapwright.tasks.task import Task
from tapwright.web.recording.recorder import Recorder

__all__ = [
    "DemonstrationCounts", "DemonstrationGroup", "DemonstrationTally", "count_by_task", "find_next",
    "sum_counts",
]  # fmt: skip

_AGENT = "human/"
_REVIEWED = {"accept": "accepted", "reject": "rejected", "again": "rejected"}

DemonstrationState: TypeAlias = Literal["recorded", "open", "interrupted"]


@dataclass(frozen=True, slots=True)
class DemonstrationCounts:
    """Demonstrations: `recorded` to their end, `open` on a device now, `interrupted` before it.

    Of those recorded, reviewers `accepted` some and `rejected` others, also to be asked for again.
    """

    recorded: int = 0
    accepted: int = 0
    rejected: int = 0
    open: int = 0
    interrupted: int = 0

    @property
    def is_recorded(self) -> bool:
        """Whether there is one that was not rejected."""
        return self.recorded > self.rejected


@dataclass(frozen=True, slots=True)
class DemonstrationGroup:
    """The demonstrations of one task by one person that are in one state.

    `task` is "" for those of an instruction of one's own, `suite` also for old ones. `review` is
    what a reviewer said of them, or "".
    """

    suite: str
    task: str
    person: str
    state: DemonstrationState
    review: str
    count: int


class DemonstrationTally:
    """Counts the demonstrations of one store; from any thread."""

    def __init__(self, catalog: Catalog, recorder: Recorder) -> None:
        self._catalog = catalog
        self._recorder = recorder

    def read(self) -> list[DemonstrationGroup]:
        """All demonstrations, in groups.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """
        counts: Counter[tuple[str, str, str, DemonstrationState, str]] = Counter()
        unfinished = self._recorder.list_open()
        for header in unfinished:
            state: DemonstrationState = (
                "open" if self._recorder.is_open(header.episode) else "interrupted"
            )
            counts[header.suite, header.task, header.owner, state, ""] += 1
        ended = is_none_of([header.episode for header in unfinished])
        found = self._catalog.tally(("suite", "task", "agent", "outcome", "review"), ended)
        for (suite, task, agent, outcome, review), count in found.items():
            if agent.startswith(_AGENT):
                state = "interrupted" if outcome == "interrupted" else "recorded"
                counts[suite, task, agent.removeprefix(_AGENT), state, review] += count
        return [DemonstrationGroup(*key, count) for key, count in counts.items()]


def sum_counts(groups: Iterable[DemonstrationGroup]) -> DemonstrationCounts:
    """The counts of several groups together."""
    counts: Counter[str] = Counter()
    for group in groups:
        counts[group.state] += group.count
        if group.state == "recorded" and group.review in _REVIEWED:
            counts[_REVIEWED[group.review]] += group.count
    return DemonstrationCounts(**counts)


def count_by_task(
    groups: Iterable[DemonstrationGroup], suite: str, tasks: Sequence[Task]
) -> Mapping[str, DemonstrationCounts]:
    """The counts of a suite's tasks, by id; without those of which there is no demonstration.

    One that names no suite counts for every suite that has its task.
    """
    known = {task.id for task in tasks}
    found: dict[str, list[DemonstrationGroup]] = {}
    for group in groups:
        if group.suite in (suite, "") and group.task in known:
            found.setdefault(group.task, []).append(group)
    return {task: sum_counts(found[task]) for task in found}


def find_next(
    tasks: Sequence[Task], counts: Mapping[str, DemonstrationCounts], after: str
) -> Task | None:
    """The first task that is not recorded, or only in vain, and that nobody is recording.

    It is looked for behind the task `after`, then from the beginning; None when there is none.
    """
    ids = [task.id for task in tasks]
    start = ids.index(after) + 1 if after in ids else 0
    none = DemonstrationCounts()
    for task in (*tasks[start:], *tasks[:start]):
        made = counts.get(task.id, none)
        if not made.is_recorded and made.open == 0:
            return task
    return None
