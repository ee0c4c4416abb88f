"""`tapwright eval view`: runs as a static site."""

from collections.abc import Sequence
from pathlib import Path

import click

from tapwright.cli.directories import open_store
from tapwright.cli.options import PATH, out_option
from tapwright.cli.output import print_site, show_progress
from tapwright.errors import NothingFoundError


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval view runs -o site\n"
    "  tapwright eval view runs/l2-small runs/l2-large -o site --open"
)
@click.argument(
    "runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path, exists=True)
)
@out_option("The output directory, which must not exist yet.", kind=PATH, required=True)
@click.option(
    "--data",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
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
        raise NothingFoundError(f"{_join(runs)}: no runs", hint="tapwright eval run --help")
    with show_progress("write runs", len(names)) as advance:
        write_bundle(out, library, runs=names, advance=advance)
    print_site(out, open_=open_)


def _directory(run: Path) -> Path:
    """The directory of a run that may be given as its log, too."""
    return run if run.is_dir() else run.parent


def _join(paths: Sequence[Path]) -> str:
    return ", ".join(str(path) for path in paths)
