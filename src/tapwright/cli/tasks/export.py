"""`tapwright tasks export`."""

from pathlib import Path

import click

from tapwright.cli.options import admit_by, option, out_option, task_options
from tapwright.cli.output import hint
from tapwright.core.language import counted
from tapwright.errors import quote_path
from tapwright.workflows.own_names import admit_device
from tapwright.workflows.selecting import select_tasks


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright tasks export --suite phone-l3 -o harbor-tasks\n"
    "  tapwright tasks export --suite miniwob --task click-test.0 -o harbor-tasks\n"
    "  harbor run -p harbor-tasks -a claude-code -m …"
)
@task_options
@option(
    "--device",
    metavar="NAME[:ARG]",
    callback=admit_by(admit_device),
    help="The device.  [default: the one that the suite is for]",
)
@out_option("The new directory, with a folder for each task.", required=True)
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
