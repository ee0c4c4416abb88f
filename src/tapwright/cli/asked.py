"""`tapwright tasks ls` and `show`: which tasks there are, and one in full."""

import sys
from pathlib import Path

import click

from tapwright.cli.options import select_tasks, suite_option, task_options
from tapwright.cli.output import Cell, Format, format_option, print_record, print_rows
from tapwright.errors import TapwrightError
from tapwright.tasks.task import Task


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks ls --limit 5\n"
    "  tapwright tasks ls definitions        the definitions below a directory"
)
@click.argument("path", required=False, type=click.Path(path_type=Path, exists=True))
@task_options
@format_option
def ls(
    path: Path | None, suite: str, task_ids: tuple[str, ...], limit: int | None, format_: Format
) -> None:
    """List the tasks of a suite, or of the definitions in PATH.

    A definition that is broken is told on stderr and hides no other; it then ends with 1.
    """
    broken = 0
    if path is None:
        found = select_tasks(suite, task_ids, limit)
    else:
        from tapwright.tasks.task_files import read_tasks

        found = []
        for _, one in read_tasks(path):
            if isinstance(one, TapwrightError):
                broken += 1
                click.echo(f"{one} [{one.code}]", err=True)
            elif not task_ids or one.id in task_ids:
                found.append(one)
    print_rows([_row(task) for task in found[:limit]], format_, key="task")
    sys.exit(1 if broken else 0)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks show wifi_off\n"
    "  tapwright tasks show definitions/lobster.textproto"
)
@click.argument("task_id", metavar="ID|FILE")
@suite_option
@format_option
def show(task_id: str, suite: str, format_: Format) -> None:
    """Show one task: what is asked, how it is set up, judged and solved."""
    if Path(task_id).is_file():
        suite, ids = task_id, []
    else:
        ids = [task_id]
    (task,) = select_tasks(suite, ids, None)
    record = {
        "task": task.id,
        "instruction": task.instruction,
        "apps": ", ".join(task.apps),
        "language": task.language,
        "limit": f"{task.max_steps} steps",
        "setup": f"seed {task.setup.seed}, {task.setup.app or 'home'} in front, "
        f"{dict(task.setup.state) or 'all as seeded'}",
        "success_when": str(task.check),
        **_events(task),
        **{f"solution_{number}": str(move) for number, move in enumerate(task.solution, start=1)},
    }
    print_record(record, format_, key="task")


def _events(task: Task) -> dict[str, str]:
    """What a definition's events are, a line each, sources before listeners."""
    from google.protobuf.text_format import MessageToString

    from tapwright.tasks.definitions.task import EventCheck

    if not isinstance(task.check, EventCheck):
        return {}
    definition = task.check.definition
    events = [(f"event_{source.id}", source) for source in definition.event_sources]
    listeners = [
        (field.name, slot)
        for field, slot in definition.event_slots.ListFields()
        if any(child.HasField("id") or child.event.ListFields() for child in slot.events)
    ]
    return {
        name: MessageToString(one, as_one_line=True, as_utf8=True)
        for name, one in (*events, *listeners)
    }


def _row(task: Task) -> dict[str, Cell]:
    return {
        "task": task.id,
        "apps": ", ".join(task.apps),
        "language": task.language,
        "steps": len(task.solution),
        "limit": task.max_steps,
        "instruction": task.instruction,
    }
