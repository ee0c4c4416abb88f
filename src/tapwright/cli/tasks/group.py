"""`tapwright tasks`: its commands."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import options, output
from tapwright.cli.errors import OUTPUT_EXISTS
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.output import hint, print_labelled
from tapwright.core.language import counted
from tapwright.errors import TapwrightError, UnknownNameError, UsageError, quote_path
from tapwright.files.atomic import write_atomically
from tapwright.tasks.errors import UpstreamFailureError
from tapwright.workflows.listing import TaskRow, list_tasks
from tapwright.workflows.own_names import admit_device
from tapwright.workflows.selecting import select_tasks

if TYPE_CHECKING:
    from tapwright.tasks.events.graph import Compat
    from tapwright.tasks.task import Task


def compat_option(command: options.F) -> options.F:
    """`--compat mobile-env`."""
    return options.option(
        "--compat",
        type=click.Choice(["mobile-env"]),
        help="Behave like Mobile-Env's own tool, with its losses and failures.",
    )(command)


def templates_option(command: options.F) -> options.F:
    """`-p/--template-path DIR`."""
    return options.option(
        "-p",
        "--template-path",
        "templates",
        type=options.FOLDER,
        default="templates",
        help="The directory of the templates.",
    )(command)


def check_directory(path: Path) -> None:
    """Fail as Mobile-Env's tool does where the directory of a file is missing."""
    if not path.parent.is_dir():
        what = f"[Errno 2] No such file or directory: {str(path)!r}"
        raise UpstreamFailureError("FileNotFoundError", what, str(path))


def print_warning(line: str) -> None:
    """Print a warning, on stderr."""
    print_labelled("warning", line, fg="yellow", bold=True)


_COMMANDS = {
    "ls": "List the tasks of a suite, or of definition files",
    "show": "Show one task: instruction, setup, check and solution",
    "init-conf": "Write a conf file to fill in for a template",
    "expand": "Expand templates into task definitions",
    "export": "Write tasks as tasks of Harbor",
    "judge": "Judge a recorded episode by events or milestones",
    "check": "Find defects in definitions and templates",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def tasks() -> None:
    """List, show, expand, check, judge and export tasks."""


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks ls --limit 5\n"
    "  tapwright tasks ls definitions        the definitions below a directory"
)
@click.argument("path", required=False, type=options.EXISTING)
@options.task_options
@output.list_format_option
def ls(
    path: Path | None,
    suite: str,
    task_ids: tuple[str, ...],
    limit: int | None,
    format_: output.Format,
) -> None:
    """List the tasks of a suite, or of the definitions in PATH.

    A broken definition is reported on stderr and skipped; the command then ends with 1.
    """
    broken = 0
    if path is None:
        rows = list_tasks(suite, task_ids, limit)
    else:
        from tapwright.tasks.task_files import read_tasks

        found: dict[str, Task] = {}
        for _, one in read_tasks(path):
            if isinstance(one, TapwrightError):
                broken += 1
                output.print_message(f"{one} [{one.code}]")
            else:
                found[one.id] = one
        for id_ in task_ids:
            if id_ not in found:
                raise UnknownNameError("task", id_, found)
        chosen = [one for one in found.values() if not task_ids or one.id in task_ids]
        rows = [TaskRow.of(task) for task in chosen[:limit]]
    output.print_rows([asdict(row) for row in rows], format_, key="task")
    sys.exit(1 if broken else 0)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks show wifi_off\n"
    "  tapwright tasks show definitions/lobster.textproto"
)
@click.argument("task_id", metavar="ID|FILE")
@options.suite_option
@output.format_option
def show(task_id: str, suite: str, format_: output.Format) -> None:
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
    output.print_record(record, format_, key="task")


def _list_events(task: "Task") -> dict[str, str]:
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


@click.command(
    name="init-conf",
    epilog="\b\nExample:\n"
    "  tapwright tasks init-conf templates/search.textproto.template lobster tasks\n"
    "writes tasks/search-lobster.conf.",
)
@click.argument("template", type=options.FILE)
@click.argument("stepname")
@click.argument("dumpdir", type=options.FOLDER)
@click.option("--force", is_flag=True, help="Replace an existing conf file.")
@compat_option
def init_conf(
    template: Path, stepname: str, dumpdir: Path, force: bool, compat: "Compat | None"
) -> None:
    """Write a conf file to fill in: DUMPDIR/<template>-STEPNAME.conf.

    It has a line for each identifier of TEMPLATE, in their order there. An existing conf file is
    kept.
    """
    from tapwright.tasks.templates.template import make_conf, make_conf_like_upstream

    if Path(stepname).name != stepname:
        raise UsageError(f"the step name {stepname!r} cannot be part of a file's name")
    if compat:
        name, text = make_conf_like_upstream(template, stepname)
        check_directory(dumpdir / name)
    else:
        name, text = make_conf(template, stepname, print_warning)
        if (dumpdir / name).exists() and not force:
            raise OUTPUT_EXISTS(f"{dumpdir / name} exists already", hint="--force replaces it")
    write_atomically(dumpdir / name, text.encode())
    output.print_line(dumpdir / name)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks export --suite phone-l3 -o harbor-tasks\n"
    "  tapwright tasks export --suite miniwob --task click-test.0 -o harbor-tasks\n"
    "  harbor run -p harbor-tasks -a claude-code -m …"
)
@options.task_options
@options.option(
    "--device",
    metavar="NAME[:ARG]",
    callback=options.admit_by(admit_device),
    help="The device.  [default: the one that the suite is for]",
)
@options.out_option("The new directory, with a folder for each task.", required=True)
def export(
    suite: str, task_ids: tuple[str, ...], limit: int | None, device: str | None, out: Path
) -> None:
    """Write tasks as tasks of Harbor, which runs any agent on them in containers.

    The agent has the device over MCP, and the task's own check judges what it did. The containers
    are made on top of the image of tapwright's own Dockerfile.
    """
    from tapwright.faces.harbor import write_harbor_tasks
    from tapwright.faces.task_set import device_of

    tasks = select_tasks(suite, task_ids, limit)
    write_harbor_tasks(tasks, suite, device or device_of(suite), out)
    hint(f"{counted(len(tasks), 'task')}: harbor lint {quote_path(out)}/*")
