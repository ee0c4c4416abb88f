"""`tapwright eval`: its commands."""

import sys
from pathlib import Path

import click

from tapwright.cli.eval.summary import describe_score
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import FOLDER
from tapwright.cli.output import Cell, Format, list_format_option, print_message, print_rows
from tapwright.errors import NothingFoundError
from tapwright.evaluate.errors import RunLogError

_COMMANDS = {
    "make": "Make benchmarks out of recordings",
    "run": "Measure agents and models on benchmarks",
    "resume": "Continue an interrupted run",
    "score": "Score a run's answers again, without the model",
    "replay": "Compare published verdicts with ours",
    "compare": "Compare runs, sample by sample",
    "table": "Print the tables that papers have",
    "ls": "List runs",
    "view": "Write runs as a static site",
}


@click.group(name="eval", cls=LazyGroup, table=_COMMANDS)
def eval_() -> None:
    """Make benchmarks, run them, and compare the results."""


@click.command(epilog="\b\nExample:\n  tapwright eval ls runs")
@click.argument("directory", type=FOLDER, default="runs")
@list_format_option
def ls(directory: Path, format_: Format) -> None:
    """List the runs below DIRECTORY."""
    from tapwright.evaluate.run_log import FILE, read_run

    rows: list[dict[str, Cell]] = []
    broken = False
    for path in sorted(directory.rglob(FILE)):
        try:
            log = read_run(path)
        except RunLogError as error:
            print_message(f"{error} [{error.code}]")
            broken = True
            continue
        rows.append(
            {
                "run": str(path.parent),
                "benchmark": log.header.benchmark,
                "subject": log.header.subject,
                "done": f"{sum(row.status != 'failed' for row in log.rows)}/{log.header.samples}",
                "score": describe_score(log),
                "begun": log.created,
            }
        )
    if not rows and not broken:
        raise NothingFoundError(f"{directory}: no runs", hint="tapwright eval run --help")
    print_rows(rows, format_, key="run")
    sys.exit(1 if broken else 0)
