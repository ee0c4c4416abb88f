"""`tapwright annotate status`: which annotators annotated which episodes."""

from collections.abc import Sequence
from pathlib import Path

import click

from tapwright.cli.annotate.report import read_annotations_of
from tapwright.cli.directories import store_argument
from tapwright.cli.output import Cell, Format, list_format_option, print_rows
from tapwright.errors import NothingFoundError, quote_path
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore


@click.command(epilog="\b\nExample:\n  tapwright annotate status episodes")
@store_argument
@list_format_option
def status(store: Path, format_: Format) -> None:
    """List the episodes of STORE with their annotators; steps count from 0.

    `status` is none, partial (some steps were rejected), done, or empty (there are no steps).

    `explained` counts annotated steps; `listed` names the steps without an annotation that passed
    the checks, with the codes (`tapwright explain CODE`); `reviewed` counts reviewed steps.
    """
    from tapwright.annotate.review import read_reviews
    from tapwright.store.annotations import list_annotators

    rows: list[dict[str, Cell]] = []
    for episode in EpisodeStore(store):
        directory = store / directory_name(episode.id)
        for name in list_annotators(directory) or [""]:
            annotations = read_annotations_of(store, episode.id, name) if name else ()
            rejected = [f"{one.step}: {', '.join(one.codes)}" for one in annotations if one.codes]
            rows.append(
                {
                    "episode": episode.id,
                    "annotator": name or None,
                    "status": _status(len(episode.steps), name, rejected),
                    "steps": len(episode.steps),
                    "explained": len(annotations) - len(rejected),
                    "reviewed": len(read_reviews(directory, name)) if name else 0,
                    "listed": "; ".join(rejected),
                }
            )
    if not rows:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {quote_path(store)}"
        )
    print_rows(rows, format_, key="episode")


def _status(steps: int, annotator: str, rejected: Sequence[str]) -> str:
    if not steps:
        return "empty"
    if not annotator:
        return "none"
    return "partial" if rejected else "done"
