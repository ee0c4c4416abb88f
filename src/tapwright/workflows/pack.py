"""Packs a store of episodes as Parquet shards."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.store.store import EpisodeStore
from tapwright.workflows.engine import Engine
from tapwright.workflows.progress import ShowProgress, no_progress
from tapwright.workflows.workers import open_packing

if TYPE_CHECKING:
    from tapwright.formats.pack.pack import PackedShard
    from tapwright.formats.pack.pictures import ImageEncoding

__all__ = ["pack_store"]


async def pack_store(
    store: EpisodeStore,
    out: Path,
    ids: Sequence[str] | None = None,
    *,
    pictures: "ImageEncoding" = "original",
    engine: Engine | None = None,
    show_progress: ShowProgress = no_progress,
) -> "list[PackedShard]":
    """Pack a store, or these episodes of it, into the directory `out`.

    Shards that have not changed are kept. A shard without a name stands for episodes that could
    not be packed.
    """
    from tapwright.formats.pack.pack import count_shards
    from tapwright.formats.pack.pack import pack_store as pack_shards

    engine = engine or Engine()
    locations = engine.directories.location(store.root), engine.directories.location(out)
    count = count_shards(store, ids)
    open_work = partial(open_packing, *locations, pictures)
    shards = []
    with show_progress("pack", count) as advance:
        async with engine.start(open_work, items=count) as workers:
            async for shard in pack_shards(store, out, ids, pictures=pictures, workers=workers):
                shards.append(shard)
                if shard.name:
                    advance(1)
    return shards
