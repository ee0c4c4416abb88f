"""`tapwright suites check`: does a suite start, and can its tasks be set up?"""

import sys
from shlex import quote

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import admit_by
from tapwright.cli.output import (
    Cell,
    Format,
    format_option,
    hint,
    print_message,
    print_rows,
    show_progress,
)
from tapwright.cli.suites.options import read_source, suite_options
from tapwright.workflows.own_names import admit_device


@click.command(
    epilog="\b\nExamples:\n  tapwright suites check androidworld\n"
    "  tapwright suites check androidworld --device adb:emulator-5554"
)
@click.argument("name", metavar="NAME")
@suite_options
@click.option(
    "--device",
    metavar="NAME[:ARG]",
    callback=admit_by(admit_device),
    help="Set every task up on it, and ask its evaluator about doing nothing.",
)
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this task; repeatable.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the parameters.")
@format_option
def check(
    name: str,
    suite_python: str,
    suite_settings: tuple[str, ...],
    device: str | None,
    tasks: tuple[str, ...],
    seed: int,
    format_: Format,
) -> None:
    """Start a suite, say its version and commit, and list its tasks.

    With a --device each task is set up there and judged at once, when nothing was done: its score
    then, which few suites have above 0, or why it cannot be set up or judged. Ends with 1 when one
    cannot be.
    """
    from tapwright.workflows.suites import CheckedTask, check_suite

    read = read_source(suite_python, suite_settings)
    checked = check_suite(name, read, read_host(), device=device, only=tasks, seed=seed)
    rows: list[dict[str, Cell]] = []
    wrong = 0
    print_message(f"{checked.hello}: {len(checked.tasks)} tasks")
    for note in checked.hello.notes:
        print_message(f"  {note}")

    def row(one: CheckedTask) -> dict[str, Cell]:
        task = one.task
        shown: dict[str, Cell] = {
            "task": task.id,
            "apps": ", ".join(task.apps),
            "steps": task.max_steps or "",
            "needs": ", ".join(task.needs),
        }
        return {**shown, "score": one.score, "instruction": one.instruction, "problem": one.problem}

    with show_progress(name, len(checked.tasks)) as advance:
        for one in checked:
            rows.append(row(one))
            wrong += bool(one.problem)
            advance(1)
    print_rows(rows, format_, key="task")
    if device is None:
        hint(f"tapwright suites check {name} --device {quote(checked.device)}")
    sys.exit(1 if wrong else 0)
