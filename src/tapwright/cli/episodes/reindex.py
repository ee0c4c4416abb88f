"""`tapwright episodes reindex`: the catalog of a store, made again."""

import os
import time
from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.output import Format, format_option, print_record, show_progress
from tapwright.store.catalog import Catalog
from tapwright.store.store import EpisodeStore


@click.command(epilog="\b\nExample:\n  tapwright episodes reindex episodes")
@store_argument
@format_option
def reindex(store: Path, format_: Format) -> None:
    """Make the catalog of STORE again, by which episodes are listed and selected.

    What tapwright changes is known at once, and so are episodes that come, go or are replaced. With
    more than 5000 episodes, `ls` does not look for files that another program changed within an
    episode: this command does, and so does every command that works through the episodes.
    """
    begun = time.monotonic()
    directories = sum(1 for name in os.listdir(store) if name[0] != ".") if store.is_dir() else 0
    with show_progress("reindex", directories) as advance:
        catalog = Catalog(EpisodeStore(store))
        catalog.rebuild(advance)
    record = {
        "episodes": catalog.count(),
        "unreadable": len(catalog.unreadable()),
        "seconds": round(time.monotonic() - begun, 1),
    }
    print_record(record, format_, key="episodes")
