"""`tapwright eval ls`: the runs below a directory."""

import sys
from pathlib import Path

import click

from tapwright.cli.eval.summary import describe_score
from tapwright.cli.output import Cell, Format, list_format_option, print_message, print_rows
from tapwright.errors import NothingFoundError
from tapwright.evaluate.errors import RunLogError


@click.command(epilog="\b\nExample:\n  tapwright eval ls runs")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default="runs")
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
