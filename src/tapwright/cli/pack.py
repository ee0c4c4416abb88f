"""`tapwright episodes pack_store` and `unpack_store`: a store as a data set, and back."""

import asyncio
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.engine import Engine, engine_options
from tapwright.cli.options import out_option, store_argument
from tapwright.cli.output import Cell, Format, format_option, hint, print_rows, stage
from tapwright.cli.places import place_of
from tapwright.store.store import EpisodeStore

if TYPE_CHECKING:
    from tapwright.formats.format import UnreadableEpisode
    from tapwright.formats.pack.pictures import ImageEncoding


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes pack episodes -o packed\n"
    "  python -c \"import datasets; print(datasets.load_dataset('packed', 'steps'))\""
)
@store_argument
@out_option("packed")
@click.option(
    "--images",
    "pictures",
    type=click.Choice(["webp", "original"]),
    default="webp",
    show_default=True,
    help="webp: small, without a loss; original: the bytes that were recorded.",
)
@engine_options
@format_option
def pack(
    store: Path, out: Path, pictures: "ImageEncoding", engine: Engine, format_: Format
) -> None:
    """Pack the episodes of STORE as Parquet shards, with what annotators said of them.

    `datasets`, pandas, polars and Ray Data load them as they are. Each episode is packed in the
    version that is shown; the store is only read.

    The same command goes on where it was stopped, and packs anew only what has changed. An episode
    that cannot be packed is told with the reason and hides no other; the command then ends with 1.
    """
    sys.exit(asyncio.run(_pack(EpisodeStore(store), out, pictures, engine, format_)))


@click.command(epilog="\b\nExample:\n  tapwright episodes unpack packed -o episodes")
@click.argument("packed", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@out_option("episodes")
@format_option
def unpack(packed: Path, out: Path, format_: Format) -> None:
    """Make a store of the packed data set in DIR: the same steps, the same pixels.

    What is in the store already is left alone, so the same command goes on where it was stopped.
    What cannot be unpacked is told with the reason and hides no other; the command then ends
    with 1.
    """
    from tapwright.formats.format import UnreadableEpisode
    from tapwright.formats.pack.unpack import count_packed_episodes
    from tapwright.formats.pack.unpack import unpack_store as unpack_into

    bad: list[UnreadableEpisode] = []
    rows: list[dict[str, Cell]] = []
    with stage("unpack", count_packed_episodes(packed)) as advance:
        for found in unpack_into(packed, EpisodeStore(out)):
            advance(1)
            if isinstance(found, UnreadableEpisode):
                bad.append(found)
            else:
                rows.append({"episode": found.id, "new": found.new})
    _tell(bad)
    print_rows(rows, format_, key="episode")
    hint(f"tapwright episodes ls {out}")
    sys.exit(1 if bad else 0)


async def _pack(
    store: EpisodeStore, out: Path, pictures: "ImageEncoding", engine: Engine, format_: Format
) -> int:
    """Pack under a progress bar; the exit code."""
    from tapwright.cli.elsewhere import open_packing
    from tapwright.formats.pack.pack import count_shards
    from tapwright.formats.pack.pack import pack_store as pack_store

    bad: list[UnreadableEpisode] = []
    rows: list[dict[str, Cell]] = []
    count = count_shards(store)
    open_work = partial(open_packing, place_of(store.root), place_of(out), pictures)
    with stage("pack", count) as advance:
        async with engine.work(open_work, items=count) as far:
            async for shard in pack_store(store, out, pictures=pictures, elsewhere=far):
                bad += shard.unreadable
                if not shard.name:
                    continue
                advance(1)
                rows.append(
                    {
                        "shard": shard.name,
                        "episodes": len(shard.episodes),
                        "steps": shard.steps,
                        "bytes": shard.bytes,
                    }
                )
    _tell(bad)
    print_rows(rows, format_, key="shard")
    hint(f"tapwright episodes unpack {out} -o DIR makes a store of it again")
    return 1 if bad else 0


def _tell(bad: "Sequence[UnreadableEpisode]") -> None:
    for one in bad:
        click.echo(f"{one.where}: {one.reason} [{one.code}]", err=True)
