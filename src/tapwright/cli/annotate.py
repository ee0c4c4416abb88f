"""`tapwright annotate`: the reasoning behind each step, reconstructed."""

import asyncio
import sys
from pathlib import Path

import click

from tapwright.cli.output import Cell, Format, format_option, hint, print_rows, stage
from tapwright.errors import AnnotationError, NothingFoundError
from tapwright.jobs import Failed
from tapwright.store import EpisodeStore, directory_name

_STORE = click.argument("store", type=click.Path(path_type=Path, file_okay=False))


@click.group()
def annotate() -> None:
    """Reconstruct the reasoning behind each step."""


@annotate.command(epilog="\b\nExample:\n  tapwright annotate run episodes --with rules")
@_STORE
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@click.option(
    "--with", "annotator", default="rules", show_default=True, help="Who says why; rules: offline."
)
def run(store: Path, episode_ids: tuple[str, ...], annotator: str) -> None:
    """Annotate the episodes of STORE (all by default).

    What is annotated already is left alone, so an interrupted run goes on with the same command.
    The annotations lie beside the recording, never in it. Ends with 1 when an episode failed.
    """
    failures = asyncio.run(annotate_all(EpisodeStore(store), annotator, episode_ids))
    for failure in failures:
        click.echo(f"{failure.key}: {failure.message} [{failure.code}]", err=True)
    hint(f"tapwright annotate status {store}")
    sys.exit(1 if failures else 0)


@annotate.command()
@_STORE
@format_option
def status(store: Path, format_: Format) -> None:
    """List the episodes of STORE with who has annotated them."""
    from tapwright.annotate import annotators
    from tapwright.annotate.run import read_annotations

    rows: list[dict[str, Cell]] = []
    for episode in EpisodeStore(store):
        row: dict[str, Cell] = {"episode": episode.id, "steps": len(episode.steps)}
        for name in annotators.names():
            try:
                row[name] = len(read_annotations(store / directory_name(episode.id), name))
            except AnnotationError:
                row[name] = 0
        rows.append(row)
    if not rows:
        raise NothingFoundError(f"{store}: no episodes", hint=f"tapwright record -o {store}")
    print_rows(rows, format_, key="episode")


async def annotate_all(
    store: EpisodeStore, annotator: str, episode_ids: tuple[str, ...] = ()
) -> list[Failed]:
    """Annotate under a progress bar; the episodes that failed."""
    from tapwright.annotate import annotators
    from tapwright.annotate.run import annotate as annotate_store

    chosen = list(episode_ids) or store.ids()
    if not chosen:
        raise NothingFoundError(f"{store.root}: no episodes")
    failures: list[Failed] = []
    with stage(f"annotate ({annotator})", len(chosen)) as advance:
        async for ended in annotate_store(store, annotators.get(annotator), ids=chosen):
            advance(1)
            if isinstance(ended, Failed):
                failures.append(ended)
    return failures
