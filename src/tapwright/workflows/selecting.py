"""Selects tasks of a suite, as `--suite`, `--task` and `--limit` do, and episodes of a store."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from tapwright.errors import NothingFoundError, UnknownNameError, UsageError
from tapwright.store.errors import no_episodes
from tapwright.store.ids import directory_name

if TYPE_CHECKING:
    from tapwright.core.episode import Episode
    from tapwright.store.store import EpisodeStore
    from tapwright.tasks.task import Task

__all__ = ["choose_tasks", "read_explained", "select_episodes", "select_tasks"]

T = TypeVar("T")


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

    return choose_tasks(suite, {task.id: task for task in read_suite(suite)}, task_ids, limit)


def choose_tasks(
    suite: str, tasks: Mapping[str, T], task_ids: Sequence[str], limit: int | None
) -> list[T]:
    """Those of the tasks, or of what stands for them, that `select_tasks` gives.

    Raises:
        UnknownNameError: there is no such task.
        NothingFoundError: the suite is empty.
    """
    for id_ in task_ids:
        if id_ not in tasks:
            raise UnknownNameError("task", id_, tasks)
    selected = [one for id_, one in tasks.items() if not task_ids or id_ in task_ids]
    if not selected:
        raise NothingFoundError(f"the suite {suite!r} has no such tasks")
    return selected[:limit]


def select_episodes(store: "EpisodeStore", ids: Sequence[str] = ()) -> list[str]:
    """These episodes, or all of a store.

    Raises:
        NothingFoundError: there are none.
    """
    selected = list(ids) or store.ids()
    if not selected:
        raise no_episodes(store.root)
    return selected


def read_explained(store: "EpisodeStore", id_: str, annotator: str = "") -> "Episode":
    """An episode with an annotator's reasoning, to be handed on: without paths of this machine.

    Without a name it has the recorded reasoning; where none was recorded, that of its only
    annotator.

    Raises:
        UsageError: no reasoning was recorded, and several annotators explained it.
        StoreError: it cannot be read, or has no annotations by that name.
    """
    from tapwright.formats.told_paths import tell_names
    from tapwright.store.annotations import apply_annotations, list_annotators, read_annotations

    episode = tell_names(store.read(id_))
    directory = store.root / directory_name(id_)
    if not annotator:
        if any(step.decision.reasoning for step in episode.steps):
            return episode
        names = list_annotators(directory)
        if len(names) > 1:
            raise UsageError(
                f"{id_} has reasoning by {', '.join(names)}",
                hint=f"say whose: --annotator {names[0]}",
            )
        if not names:
            return episode
        annotator = names[0]
    return apply_annotations(episode, read_annotations(directory, annotator))
