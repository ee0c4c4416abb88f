"""`tapwright eval`: its commands."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from tapwright.cli import output
from tapwright.cli.directories import RUN, Directory, open_store
from tapwright.cli.eval.summary import describe_score
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import EXISTING_FOLDER, PATH, out_option
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
@click.argument("directory", type=Directory("refuse"), default="runs")
@output.list_format_option
def ls(directory: Path, format_: output.Format) -> None:
    """List the runs below DIRECTORY."""
    from tapwright.evaluate.run_log import FILE, read_run

    rows: list[dict[str, output.Cell]] = []
    broken = False
    for path in sorted(directory.rglob(FILE)):
        try:
            log = read_run(path)
        except RunLogError as error:
            output.print_message(f"{error} [{error.code}]")
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
        raise NothingFoundError(f"{directory}: no runs", hint="tapwright eval run l3 -m random")
    output.print_rows(rows, format_, key="run")
    sys.exit(1 if broken else 0)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval view runs -o site\n"
    "  tapwright eval view runs/l2-small runs/l2-large -o site --open"
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=RUN)
@out_option("The output directory, which must not exist yet.", kind=PATH, required=True)
@click.option(
    "--data",
    "sources",
    multiple=True,
    type=EXISTING_FOLDER,
    help="A benchmark's directory with pictures to show; repeatable. "
    "By default those that the runs were made on.",
)
@click.option("--open", "open_", is_flag=True, help="Open it in the browser.")
def view(runs: tuple[Path, ...], out: Path, sources: tuple[Path, ...], *, open_: bool) -> None:
    """Write each RUN, or the runs below it, as a static site: scores, galleries, comparisons.

    The site has every sample with its picture, its target box and the answered point, played tasks
    with their episodes, and any two runs on the same data side by side. `tapwright serve` shows
    runs while they grow.
    """
    from tapwright.web.bundle import write_bundle
    from tapwright.web.library.library import Library

    library = Library(open_store(out / "no-store"), [_directory(run) for run in runs], data=sources)
    names = list(library.runs.names())
    if not names:
        raise NothingFoundError(f"{_join(runs)}: no runs", hint="tapwright eval run l3 -m random")
    with output.show_progress("write runs", len(names)) as advance:
        write_bundle(out, library, runs=names, advance=advance)
    output.print_site(out, open_=open_)


def _directory(run: Path) -> Path:
    """The directory of a run that may be given as its log, too."""
    return run if run.is_dir() else run.parent


def _join(paths: Sequence[Path]) -> str:
    return ", ".join(str(path) for path in paths)
