"""Packs a store, and pushes a directory to the Hugging Face hub."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.errors import NothingFoundError
from tapwright.workflows.datasets import data_access
from tapwright.workflows.engine import Engine
from tapwright.workflows.host import HostConfig
from tapwright.workflows.progress import ShowProgress, no_progress
from tapwright.workflows.workers import open_packing

if TYPE_CHECKING:
    from tapwright.formats.pack.pack import PackedShard
    from tapwright.formats.pack.pictures import ImageEncoding
    from tapwright.store.store import EpisodeStore

__all__ = ["pack_store", "push_directory"]


async def pack_store(
    store: "EpisodeStore",
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


def push_directory(
    directory: Path,
    repository: str,
    host: HostConfig,
    *,
    public: bool = False,
    show_progress: ShowProgress = no_progress,
) -> str:
    """Push a packed data set, a training set or any other directory; returns the page's address.

    The ledger of a pack stays here: it is about this directory. A training set without a card gets
    one. The servers and the token are those of `data get`.

    Raises:
        NothingFoundError: there is no such directory, or nothing in it.
        UsageError: `repository` is no name of a repository.
        MissingExtraError: huggingface_hub is not installed.
        TapwrightError: the hub refuses it, or does not respond; the same call continues.
    """
    from tapwright.datasets.push import CARD, list_local_files
    from tapwright.datasets.push import push_directory as push
    from tapwright.formats.exporters.stats import render_training_card
    from tapwright.formats.pack.pack import LEDGER

    if not directory.is_dir():
        raise NothingFoundError(
            f"{directory}: no such directory", hint="tapwright episodes pack STORE -o DIR"
        )
    files = list_local_files(directory, left_out=(LEDGER,))
    card = "" if CARD in files else render_training_card(directory)
    count = len(files) + bool(card)
    with show_progress("push", count) as advance:
        return push(
            directory, files, repository, data_access(host),
            card=card, public=public, message="Push with tapwright", advance=advance,
        )  # fmt: skip
