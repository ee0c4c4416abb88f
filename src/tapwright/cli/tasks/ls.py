"""`tapwright tasks ls`: the tasks of a suite, or of definition files."""

import sys
from pathlib import Path

import click

from tapwright.cli.options import task_options
from tapwright.cli.output import Cell, Format, list_format_option, print_message, print_rows
from tapwright.errors import TapwrightError, UnknownNameError
from tapwright.tasks.task import Task
from tapwright.workflows.tasks import select_tasks


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks ls --limit 5\n"
    "  tapwright tasks ls definitions        the definitions below a directory"
)
@click.argument("path", required=False, type=click.Path(path_type=Path, exists=True))
@task_options
@list_format_option
def ls(
    path: Path | None, suite: str, task_ids: tuple[str, ...], limit: int | None, format_: Format
) -> None:
    """List the tasks of a suite, or of the definitions in PATH.

    A broken definition is reported on stderr and skipped; the command then ends with 1.
    """
    broken = 0
    if path is None:
        tasks = select_tasks(suite, task_ids, limit)
    else:
        from tapwright.tasks.task_files import read_tasks

        found: dict[str, Task] = {}
        for _, one in read_tasks(path):
            if isinstance(one, TapwrightError):
                broken += 1
                print_message(f"{one} [{one.code}]")
            else:
                found[one.id] = one
        for id_ in task_ids:
            if id_ not in found:
                raise UnknownNameError("task", id_, found)
        tasks = [one for one in found.values() if not task_ids or one.id in task_ids]
    print_rows([_row(task) for task in tasks[:limit]], format_, key="task")
    sys.exit(1 if broken else 0)


def _row(task: Task) -> dict[str, Cell]:
    return {
        "task": task.id,
        "apps": ", ".join(task.apps),
        "language": task.language,
        "steps": len(task.solution),
        "limit": task.max_steps,
        "instruction": task.instruction,
    }
