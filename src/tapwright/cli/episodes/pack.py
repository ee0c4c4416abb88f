"""`tapwright episodes pack`: a store as a data set of Parquet shards."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import output
from tapwright.cli.data import push_if_asked, push_options
from tapwright.cli.directories import open_store, store_argument
from tapwright.cli.options import engine_options, option, out_option
from tapwright.cli.selecting import choose_ids, selection_options
from tapwright.errors import quote_path
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.workflows.engine import Engine

if TYPE_CHECKING:
    from tapwright.formats.format import UnreadableEpisode
    from tapwright.formats.pack.pictures import ImageEncoding


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes pack episodes -o packed\n"
    "  tapwright episodes pack episodes --where 'outcome == \"success\"' -o good\n"
    "  python -c \"import datasets; print(datasets.load_dataset('packed', 'steps'))\""
)
@store_argument
@selection_options
@out_option(default="packed")
@option(
    "--images",
    "pictures",
    type=click.Choice(["original", "webp"]),
    default="original",
    help="original: the recorded bytes; webp: PNG as lossless WebP, a third of the size.",
)
@engine_options
@push_options
@output.format_option
def pack(
    store: Path,
    selection: Selection,
    out: Path,
    pictures: "ImageEncoding",
    engine: Engine,
    push_to: str | None,
    public: bool,
    format_: output.Format,
) -> None:
    """Pack episodes of STORE (all by default) as Parquet shards, with their annotations.

    `datasets`, pandas, polars and Ray Data load them as they are. Each episode is packed in its
    current version; the store is only read.

    An interrupted command continues when repeated, and packs again only what has changed. An
    episode that cannot be packed is reported with the reason and skipped; the command then ends
    with 1. With --push-to the pack is pushed to the hub, as `data push` does.
    """
    import asyncio

    from tapwright.workflows.pack import pack_store

    episodes, ids, readable = open_store(store), None, True
    if selection != EVERYTHING:
        ids, readable = choose_ids(episodes, selection)
    shards = asyncio.run(
        pack_store(
            episodes, out, ids, pictures=pictures, engine=engine, show_progress=output.show_progress
        )
    )
    unreadable = [one for shard in shards for one in shard.unreadable]
    print_unreadable(unreadable)
    rows: list[dict[str, output.Cell]] = [
        {
            "shard": shard.name,
            "episodes": len(shard.episodes),
            "steps": shard.steps,
            "bytes": shard.bytes,
        }
        for shard in shards
        if shard.name
    ]
    output.print_rows(rows, format_, key="shard")
    push_if_asked(out, push_to, public=public)
    output.hint(f"restore a store: tapwright episodes unpack {quote_path(out)} -o DIR")
    sys.exit(0 if readable and not unreadable else 1)


def print_unreadable(unreadable: "Iterable[UnreadableEpisode]") -> None:
    """Print episodes that could not be packed or unpacked, with the reasons."""
    for one in unreadable:
        output.print_failure(one.where, one.reason, one.code)
