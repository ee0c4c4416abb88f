"""Reads tasks from files: one task definition or rule, or all those below a directory."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tapwright.errors import NothingFoundError, TaskError, quote_path
from tapwright.tasks import suites
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import read_task
from tapwright.tasks.errors import BadDefinitionError, BadMilestonesError
from tapwright.tasks.milestones.judgement import task_from_rule
from tapwright.tasks.milestones.rule_file import FOLDER_SUFFIXES, RULE_SUFFIXES, is_rule_file
from tapwright.tasks.task import Task

__all__ = ["DEFINITION_SUFFIX", "find_definition_files", "read_suite", "read_tasks"]

DEFINITION_SUFFIX = ".textproto"
"""The suffix of a task definition's file name."""


def read_suite(suite: str) -> Sequence[Task]:
    """The tasks of the suite of this name, else of the definitions at this path.

    Raises:
        UnknownNameError: there is no such suite, and no such path.
        TaskError: a definition is not right.
    """
    if suites.has(suite) or not Path(suite).exists():
        return suites.get(suite)()
    tasks = []
    for _, one in read_tasks(Path(suite)):
        if isinstance(one, TaskError):
            raise one
        tasks.append(one)
    return tasks


def find_definition_files(path: Path) -> list[Path]:
    """Finds the file itself, or the definitions and rules below a directory, sorted by name.

    YAML without nodes is something else's and is passed over.

    Raises:
        NothingFoundError: there are none.
    """
    suffixes = (DEFINITION_SUFFIX, *FOLDER_SUFFIXES)
    found = [path]
    if not path.is_file():
        named = sorted(one for one in path.rglob("*") if one.name.endswith(suffixes))
        found = [one for one in named if one.suffix not in FOLDER_SUFFIXES or is_rule_file(one)]
    if not found:
        raise NothingFoundError(
            f"{path}: no definitions; expected files called *{', *'.join(suffixes)}",
            hint=f"tapwright tasks expand … -o {quote_path(path)}",
        )
    return found


def read_tasks(path: Path) -> Iterator[tuple[Path, Task | TaskError]]:
    """Yields the tasks of a file or a directory, each after its file, or the error of the file.

    Raises:
        NothingFoundError: there are no definitions.
    """
    ids: dict[str, Path] = {}
    for file in find_definition_files(path):
        try:
            task = _read_file(file)
        except (BadDefinitionError, BadMilestonesError) as error:
            yield file, error
            continue
        if task.id in ids:
            yield file, BadDefinitionError(f"{file}: {ids[task.id]} also has the id {task.id!r}")
        else:
            ids[task.id] = file
            yield file, task


def _read_file(file: Path) -> Task:
    if file.suffix in RULE_SUFFIXES:
        return task_from_rule(file)
    definition = read_task(file)
    try:
        return task_from_definition(definition, folder=file.parent)
    except BadDefinitionError as error:
        raise type(error)(f"{file}: {error}", hint=error.hint) from error
