"""`tapwright report`: runs become one page."""

from pathlib import Path

import click

from tapwright.cli.output import hint
from tapwright.store import EpisodeStore


@click.command(epilog="\b\nExample:\n  tapwright report runs/l1-tree runs/l2-tree -o report.html")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="The page; report.json goes beside it.",
)
@click.option(
    "--episodes",
    "store",
    type=click.Path(path_type=Path, file_okay=False),
    help="Recordings to sum up in the page.",
)
@click.option("--open", "open_", is_flag=True, help="Show it in the browser.")
def report(runs: tuple[Path, ...], out: Path, store: Path | None, *, open_: bool) -> None:
    """Write one self-contained HTML page about RUNS, with tables, intervals and galleries."""
    from tapwright.evaluate.report import write_report
    from tapwright.evaluate.runlog import read_run

    recorded = tuple(EpisodeStore(store)) if store is not None else ()
    write_report([read_run(path) for path in runs], out, recorded=recorded)
    click.echo(out)
    if open_:
        click.launch(str(out.resolve()))
    else:
        hint(f"open {out} in a browser")
