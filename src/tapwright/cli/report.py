"""`tapwright report`: runs become one page."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.directories import RUN, Directory, open_store
from tapwright.cli.options import EXISTING_FOLDER, FILE, out_option
from tapwright.cli.output import print_line, print_message, show_page
from tapwright.errors import TapwrightError

if TYPE_CHECKING:
    from tapwright.benchmarks.benchmark import Sample, SampleSource
    from tapwright.evaluate.run_log import RunLog


@click.command(epilog="\b\nExample:\n  tapwright report runs/l1-tree runs/l2-tree -o report.html")
@click.argument("runs", nargs=-1, required=True, type=RUN)
@out_option(
    "The output page; its numbers (.json) and tables (.md, .csv, .tex) go beside it.",
    kind=FILE,
    default="report.html",
)
@click.option(
    "--data",
    "sources",
    multiple=True,
    type=EXISTING_FOLDER,
    help="A benchmark's directory whose pictures the galleries show; repeatable. "
    "By default those of the runs.",
)
@click.option(
    "--episodes", "store", type=Directory(), help="A store of episodes to summarise in the page."
)
@click.option("--open", "open_", is_flag=True, help="Open it in the browser.")
def report(
    runs: tuple[Path, ...], out: Path, sources: tuple[Path, ...], store: Path | None, *, open_: bool
) -> None:
    """Write one self-contained HTML page about RUNS, with tables, intervals and galleries."""
    from tapwright.evaluate.report import write_report
    from tapwright.evaluate.run_log import read_run

    logs = [read_run(path) for path in runs]
    write_report(
        logs,
        out,
        benchmarks=_load_benchmarks(logs, sources),
        recorded=open_store(store) if store is not None else (),
    )
    print_line(out)
    show_page(out, open_=open_)


def _load_benchmarks(
    logs: "Sequence[RunLog]", sources: Sequence[Path]
) -> "list[SampleSource[Sample]]":
    """The benchmarks with pictures that the runs were made on, or those at `sources`.

    A run whose data is missing, or cannot be read any more, is shown without pictures.
    """
    from tapwright.benchmarks import benchmarks

    data_of = {log.header.benchmark: log.header.source for log in logs}
    pairs = {(name, source) for name, source in data_of.items() if os.path.isdir(source)}
    pairs |= {(name, str(source)) for name in data_of for source in sources}
    loaded = []
    for name, source in sorted(pairs):
        try:
            loaded.append(benchmarks.get(name)(source))
        except TapwrightError as error:
            print_message(f"{name}: shown without pictures: {error}")
    return loaded
