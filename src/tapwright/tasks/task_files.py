"""Task definitions on disk as tasks: one file, or all those below a directory."""

from collections.abc import Iterator
from pathlib import Path

from tapwright.errors import NothingFoundError, TaskError
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import read_task
from tapwright.tasks.errors import BadDefinitionError, BadMilestonesError
from tapwright.tasks.milestones.rules import FOLDER_SUFFIXES, RULE_SUFFIXES
from tapwright.tasks.milestones.task import task_of_rule
from tapwright.tasks.task import Task

__all__ = [
    "DEFINITION_SUFFIX",
    "definition_files",
    "read_tasks",
]

DEFINITION_SUFFIX = ".textproto"
"""What the file name of a task definition ends with."""


def definition_files(path: Path) -> list[Path]:
    """The file itself, or the definitions and rules below a directory, in the order of their names.

    Raises:
        NothingFoundError: there are none.
    """
    suffixes = (DEFINITION_SUFFIX, *FOLDER_SUFFIXES)
    found = [path]
    if not path.is_file():
        found = sorted(one for one in path.rglob("*") if one.name.endswith(suffixes))
    if not found:
        raise NothingFoundError(
            f"{path}: no definitions; expected files called *{', *'.join(suffixes)}",
            hint=f"tapwright tasks expand … -o {path}",
        )
    return found


def read_tasks(path: Path) -> Iterator[tuple[Path, Task | TaskError]]:
    """The tasks of a file or a directory, each with its file, or why there is none.

    Raises:
        NothingFoundError: there are no definitions.
    """
    ids: dict[str, Path] = {}
    for file in definition_files(path):
        try:
            task = _task(file)
        except (BadDefinitionError, BadMilestonesError) as error:
            yield file, error
            continue
        if task.id in ids:
            yield file, BadDefinitionError(f"{file}: {ids[task.id]} has the id {task.id!r} too")
        else:
            ids[task.id] = file
            yield file, task


def _task(file: Path) -> Task:
    if file.suffix in RULE_SUFFIXES:
        return task_of_rule(file)
    definition = read_task(file)
    try:
        return task_from_definition(definition, folder=file.parent)
    except BadDefinitionError as error:
        raise type(error)(f"{file}: {error}", hint=error.hint) from error
