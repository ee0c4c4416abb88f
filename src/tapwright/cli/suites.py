"""`tapwright suites`: published suites with harnesses of their own."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import click

from tapwright.cli import output
from tapwright.cli.host import read_host
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import EXISTING_FOLDER, F, add_options, admit_by, home_option, option
from tapwright.core.language import counted
from tapwright.errors import NothingFoundError, UsageError, quote_path
from tapwright.workflows.own_names import admit_device


def suite_options(command: F) -> F:
    """`--suite-python` and `--suite-option`."""
    options = (
        option(
            "--suite-python",
            default="",
            metavar="PYTHON",
            help="The Python that has the suite; by default that of `tapwright suites install`.",
        ),
        option(
            "--suite-option",
            "suite_settings",
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of the suite, as `tapwright suites ls` lists them; repeatable.",
        ),
    )
    return add_options(command, options)


def read_source(python: str, settings: Sequence[str]) -> str:
    """The source that the options name; "" for none.

    Raises:
        UsageError: an option has no "=".
    """
    from tapwright.harnesses.harness import SuiteSource

    pairs = [one.partition("=") for one in settings]
    for name, equals, _ in pairs:
        if not (name and equals):
            raise UsageError(f"--suite-option {name}: expected NAME=VALUE")
    return str(SuiteSource(python, {name: value for name, _, value in pairs}))


_COMMANDS = {
    "ls": "List suites, what they need, and which are installed",
    "install": "Install a suite in an environment",
    "check": "Start a suite, and list or set up its tasks",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def suites() -> None:
    """Suites with harnesses of their own, each in a Python environment of its own.

    `tapwright eval run NAME` plays one: the suite sets tasks up and judges them.
    """


_LACKING_SHOWN = 12


@click.command(
    epilog="\b\nExamples:\n  tapwright suites ls\n"
    "  tapwright suites ls osworld --suite-option data=~/OSWorld"
)
@click.argument("name", metavar="[NAME]", default="")
@home_option("suites", "TAPWRIGHT_SUITES")
@suite_options
@output.list_format_option
def ls(
    name: str,
    directory: Path | None,
    suite_python: str,
    suite_settings: tuple[str, ...],
    format_: output.Format,
) -> None:
    """List the suites, what they are played on, what they need, and which are installed.

    With a NAME: the tasks of that suite, what each needs, and what of it this machine lacks. A
    device elsewhere, such as OSWorld's VM, may have that.
    """
    if name:
        _list_tasks(name, directory, read_source(suite_python, suite_settings), format_)
        return
    for said, given in (("--suite-python", suite_python), ("--suite-option", suite_settings)):
        if given:
            raise UsageError(
                f"{said} has no effect on the list of all suites",
                hint=f"name one: tapwright suites ls NAME {said} …",
            )
    _list_suites(directory, format_)


def _list_tasks(name: str, directory: Path | None, source: str, format_: output.Format) -> None:
    from tapwright.workflows.suites import check_suite

    suite = check_suite(name, source, read_host(), directory=directory)
    tasks = [one.task for one in suite]
    if not tasks:
        raise NothingFoundError(f"{suite.hello}: no tasks", hint="another --suite-option")
    lacking = Counter(", ".join(task.missing) for task in tasks if task.missing)
    here = len(tasks) - lacking.total()
    output.print_message(
        f"{suite.hello}: {counted(len(tasks), 'task')}; this machine lacks nothing for {here}"
    )
    for note in suite.hello.notes:
        output.print_message(f"  {note}")
    for missing, count in lacking.most_common(_LACKING_SHOWN):
        output.print_message(f"  {count} lack {missing}")
    rows: list[dict[str, output.Cell]] = [
        {
            "task": task.id,
            "apps": ", ".join(task.apps),
            "needs": ", ".join(task.needs),
            "missing": ", ".join(task.missing),
        }
        for task in tasks
    ]
    output.print_rows(rows, format_, key="task")


def _list_suites(directory: Path | None, format_: output.Format) -> None:
    from tapwright.harnesses import harnesses
    from tapwright.harnesses.install import SuiteHome

    home = SuiteHome(read_host().kept("suites", directory))
    rows: list[dict[str, output.Cell]] = []
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
    output.print_rows(rows, format_, key="name")


@click.command(
    epilog="\b\nExamples:\n  tapwright suites install androidworld --python python3.11\n"
    "  tapwright suites install androidworld --checkout ~/android_world"
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@home_option("suites", "TAPWRIGHT_SUITES")
@option("--python", default="", metavar="PYTHON", help="The interpreter of the environment.")
@option(
    "--checkout",
    type=EXISTING_FOLDER,
    help="A clone of the suite's repository, in place of the network.",
)
@option("--again", is_flag=True, help="Remove what is installed first.")
def install(
    names: tuple[str, ...], directory: Path | None, python: str, checkout: Path | None, again: bool
) -> None:
    """Install suites, as `suites ls` lists them, in the versions that tapwright was tried with.

    Each gets a Python environment of its own with the packages that it asks for, which are
    gigabytes for OSWorld and BrowserGym. A suite that you have elsewhere, or in another version,
    needs no install: give --suite-python.
    """
    from tapwright.harnesses import harnesses
    from tapwright.harnesses.install import INSTALL_STEPS, SuiteHome, install_suite

    home = SuiteHome(read_host().kept("suites", directory))
    for suite in [harnesses.get(name) for name in names]:
        named = suite.commit[:12] or ", ".join(suite.requirements)
        output.print_message(f"{suite.title} {named}; licence {suite.licence}")
        with output.show_progress(suite.name, INSTALL_STEPS) as advance:
            install_suite(suite, home, advance, python=python, checkout=checkout, again=again)
        output.print_line(home.environment(suite))
    where = f"TAPWRIGHT_SUITES={quote_path(directory)} " if directory else ""
    for name in names:
        output.hint(f"{where}tapwright suites check {name}")


@click.command(
    epilog="\b\nExamples:\n  tapwright suites check androidworld\n"
    "  tapwright suites check androidworld --device adb:emulator-5554"
)
@click.argument("name", metavar="NAME")
@suite_options
@option(
    "--device",
    metavar="NAME[:ARG]",
    callback=admit_by(admit_device),
    help="Set every task up on this device, as `tapwright devices ls` lists it, and ask its "
    "evaluator about doing nothing.",
)
@option("--task", "tasks", multiple=True, metavar="ID", help="Only this task; repeatable.")
@option("--seed", type=int, default=0, help="Seed of the parameters.")
@output.format_option
def check(
    name: str,
    suite_python: str,
    suite_settings: tuple[str, ...],
    device: str | None,
    tasks: tuple[str, ...],
    seed: int,
    format_: output.Format,
) -> None:
    """Start a suite, say its version and commit, and list its tasks.

    With a --device each task is set up there and judged at once, when nothing was done: its score
    then, which few suites have above 0, or why it cannot be set up or judged. Ends with 1 when one
    cannot be.
    """
    from tapwright.workflows.suites import CheckedTask, check_suite

    read = read_source(suite_python, suite_settings)
    checked = check_suite(name, read, read_host(), device=device, only=tasks, seed=seed)
    rows: list[dict[str, output.Cell]] = []
    wrong = 0
    output.print_message(f"{checked.hello}: {counted(len(checked.tasks), 'task')}")
    for note in checked.hello.notes:
        output.print_message(f"  {note}")

    def row(one: CheckedTask) -> dict[str, output.Cell]:
        task = one.task
        shown: dict[str, output.Cell] = {
            "task": task.id,
            "apps": ", ".join(task.apps),
            "steps": task.max_steps or "",
            "needs": ", ".join(task.needs),
        }
        return {**shown, "score": one.score, "instruction": one.instruction, "problem": one.problem}

    with output.show_progress(name, len(checked.tasks)) as advance:
        for one in checked:
            rows.append(row(one))
            wrong += bool(one.problem)
            advance(1)
    output.print_rows(rows, format_, key="task")
    if device is None:
        output.hint(f"tapwright suites check {name} --device {quote(checked.device)}")
    sys.exit(1 if wrong else 0)
