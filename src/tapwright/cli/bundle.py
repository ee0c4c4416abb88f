"""`tapwright episodes bundle` and `eval view`: static copies of the web app's pages."""

from collections.abc import Sequence
from pathlib import Path

import click

from tapwright.cli.options import store_argument
from tapwright.cli.output import hint, stage
from tapwright.errors import NothingFoundError
from tapwright.store.store import EpisodeStore


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes bundle episodes -o site\n"
    "  tapwright episodes bundle episodes notes-1 notes-2 -o two-notes --open"
)
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The directory to write; it must not be there yet.",
)
@click.option("--open", "open_", is_flag=True, help="Show it in the browser.")
def bundle(store: Path, episode_ids: tuple[str, ...], out: Path, *, open_: bool) -> None:
    """Write episodes (all by default) as a static site to look at without a server.

    OUT/index.html opens from the disk, and from any plain web server; nothing outside of the
    directory is loaded. The pages are those of `tapwright serve`, without its edits.
    """
    from tapwright.web.bundle import write_bundle
    from tapwright.web.library.library import Library

    shelf = EpisodeStore(store)
    chosen = list(episode_ids) or shelf.ids()
    if not chosen:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {store}"
        )
    with stage("write episodes", len(chosen)) as advance:
        write_bundle(out, Library(shelf), episodes=chosen, advance=advance)
    _tell(out, open_=open_)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval view runs --bundle site\n"
    "  tapwright eval view runs/l2-small runs/l2-large --bundle site --open"
)
@click.argument(
    "runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path, exists=True)
)
@click.option(
    "--bundle",
    "out",
    type=click.Path(path_type=Path),
    required=True,
    help="The directory to write; it must not be there yet.",
)
@click.option(
    "--data",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A benchmark's directory whose pictures are shown; repeatable. "
    "By default those that the runs were made on.",
)
@click.option("--open", "open_", is_flag=True, help="Show it in the browser.")
def view(runs: tuple[Path, ...], out: Path, sources: tuple[Path, ...], *, open_: bool) -> None:
    """Write each RUN, or the runs below it, as a static site: scores, galleries, comparisons.

    Every sample is there with its picture, the box that was meant and the point that was answered,
    played tasks with their episodes, and each two runs on the same data side by side. Runs are
    shown live by `tapwright serve`.
    """
    from tapwright.web.bundle import write_bundle
    from tapwright.web.library.library import Library

    library = Library(
        EpisodeStore(out / "no-store"), [_directory(run) for run in runs], data=sources
    )
    names = list(library.runs.names())
    if not names:
        raise NothingFoundError(f"{_listed(runs)}: no runs", hint="tapwright eval run --help")
    with stage("write runs", len(names)) as advance:
        write_bundle(out, library, runs=names, advance=advance)
    _tell(out, open_=open_)


def _directory(run: Path) -> Path:
    """The directory of a run that may be given as its log, too."""
    return run if run.is_dir() else run.parent


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(str(path) for path in paths)


def _tell(out: Path, *, open_: bool) -> None:
    page = out / "index.html"
    click.echo(page)
    if open_:
        click.launch(str(page.resolve()))
    else:
        hint(f"open {page} in a browser")
