"""`tapwright tasks show`: one task in full."""

from pathlib import Path

import click

from tapwright.cli.options import suite_option
from tapwright.cli.output import Format, format_option, print_record
from tapwright.tasks.task import Task
from tapwright.workflows.tasks import select_tasks


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks show wifi_off\n"
    "  tapwright tasks show definitions/lobster.textproto"
)
@click.argument("task_id", metavar="ID|FILE")
@suite_option
@format_option
def show(task_id: str, suite: str, format_: Format) -> None:
    """Show one task: its instruction, setup, check, solution, and what its user answers."""
    if Path(task_id).is_file():
        suite, ids = task_id, []
    else:
        ids = [task_id]
    (task,) = select_tasks(suite, ids)
    record = {
        "task": task.id,
        "instruction": task.instruction,
        "apps": ", ".join(task.apps),
        "language": task.language,
        "limit": f"{task.max_steps} steps",
        "setup": f"seed {task.setup.seed}, {task.setup.app or 'home'} in the foreground, "
        f"{dict(task.setup.state) or 'all as seeded'}",
        "success_when": str(task.check),
        **_list_events(task),
        **{f"reply_{number}": text for number, text in enumerate(task.replies, start=1)},
        **{f"solution_{number}": str(move) for number, move in enumerate(task.solution, start=1)},
    }
    print_record(record, format_, key="task")


def _list_events(task: Task) -> dict[str, str]:
    """The events of a definition, a line each, sources before listeners."""
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
