"""`tapwright annotate agree`: how far two annotators agree."""

from dataclasses import asdict
from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.output import Format, format_option, print_record
from tapwright.errors import NothingFoundError, quote_path
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore


@click.command(
    epilog="\b\nExample:\n  tapwright annotate agree episodes rules openai/qwen2.5-vl-7b"
)
@store_argument
@click.argument("one")
@click.argument("other")
@format_option
def agree(store: Path, one: str, other: str, format_: Format) -> None:
    """Measure the agreement of the annotators ONE and OTHER on episodes that both annotated.

    alpha is Krippendorff's, over the elements of the view hierarchy that their targets match.
    """
    from tapwright.annotate.agreement import compare_annotators
    from tapwright.store.annotations import apply_annotations, list_annotators, read_annotations

    pairs = []
    for episode in EpisodeStore(store):
        directory = store / directory_name(episode.id)
        if {one, other} <= set(list_annotators(directory)):
            ours, theirs = (read_annotations(directory, name) for name in (one, other))
            for lines in (ours, theirs):
                apply_annotations(episode, lines)  # refuses those of other steps
            pairs.append((episode, ours, theirs))
    if not pairs:
        raise NothingFoundError(
            f"{store}: no episode was annotated by both {one!r} and {other!r}",
            hint=f"tapwright annotate status {quote_path(store)}",
        )
    record = {"episodes": len(pairs), **asdict(compare_annotators(pairs))}
    print_record(record, format_, key="alpha")
