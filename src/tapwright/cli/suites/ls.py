"""`tapwright suites ls`: the suites that can be played."""

from collections import Counter
from pathlib import Path

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import home_option
from tapwright.cli.output import Cell, Format, list_format_option, print_message, print_rows
from tapwright.cli.suites.options import read_source, suite_options
from tapwright.errors import NothingFoundError, UsageError

_LACKING_SHOWN = 12


@click.command(
    epilog="\b\nExamples:\n  tapwright suites ls\n"
    "  tapwright suites ls osworld --suite-option data=~/OSWorld"
)
@click.argument("name", metavar="[NAME]", default="")
@home_option("suites", "TAPWRIGHT_SUITES")
@suite_options
@list_format_option
def ls(
    name: str,
    directory: Path | None,
    suite_python: str,
    suite_settings: tuple[str, ...],
    format_: Format,
) -> None:
    """List the suites, what they are played on, what they need, and which are installed.

    With a NAME: the tasks of that suite, what each needs, and what of it this machine lacks. A
    device elsewhere, such as OSWorld's VM, may have that.
    """
    if name:
        _list_tasks(name, directory, read_source(suite_python, suite_settings), format_)
        return
    for option, given in (("--suite-python", suite_python), ("--suite-option", suite_settings)):
        if given:
            raise UsageError(
                f"{option} has no effect on the list of all suites",
                hint=f"name one: tapwright suites ls NAME {option} …",
            )
    _list_suites(directory, format_)


def _list_tasks(name: str, directory: Path | None, source: str, format_: Format) -> None:
    from tapwright.workflows.suites import check_suite

    suite = check_suite(name, source, read_host(), directory=directory)
    tasks = [one.task for one in suite]
    if not tasks:
        raise NothingFoundError(f"{suite.hello}: no tasks", hint="another --suite-option")
    lacking = Counter(", ".join(task.missing) for task in tasks if task.missing)
    here = len(tasks) - lacking.total()
    print_message(f"{suite.hello}: {len(tasks)} tasks; this machine lacks nothing for {here}")
    for note in suite.hello.notes:
        print_message(f"  {note}")
    for missing, count in lacking.most_common(_LACKING_SHOWN):
        print_message(f"  {count} lack {missing}")
    rows: list[dict[str, Cell]] = [
        {
            "task": task.id,
            "apps": ", ".join(task.apps),
            "needs": ", ".join(task.needs),
            "missing": ", ".join(task.missing),
        }
        for task in tasks
    ]
    print_rows(rows, format_, key="task")


def _list_suites(directory: Path | None, format_: Format) -> None:
    from tapwright.harnesses import harnesses
    from tapwright.workflows.suites import suite_home

    home = suite_home(read_host(), directory)
    rows: list[dict[str, Cell]] = []
    for name in harnesses.names():
        suite = harnesses.get(name)
        rows.append(
            {
                "name": name,
                "title": suite.title,
                "device": suite.device,
                "installed": home.has(suite),
                "commit": suite.commit[:12],
                "python": suite.python,
                "licence": suite.licence,
                "needs": suite.needs,
                "options": "; ".join(f"{one}: {what}" for one, what in suite.options.items()),
                "source": suite.home,
            }
        )
    print_rows(rows, format_, key="name")
