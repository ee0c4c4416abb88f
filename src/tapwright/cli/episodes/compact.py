"""`tapwright episodes compact`: few large packs of a shared store's many small ones."""

from pathlib import Path

import click

from tapwright.cli.output import Format, format_option, print_record, show_progress
from tapwright.files.temporary import owned_directory


@click.command(epilog="\b\nExample:\n  tapwright episodes compact s3://lab/phone --delete-after 30")
@click.argument("url")
@click.option(
    "--delete-after",
    type=click.IntRange(1),
    metavar="DAYS",
    help="Delete files that no episode has named since a compaction so many days ago. Who trains "
    "on them has to have begun later than that.",
)
@format_option
def compact(url: str, delete_after: int | None, format_: Format) -> None:
    """Make few large packs of the many small ones in the shared store at URL.

    Others read and write meanwhile. New readers begin with what is written of all episodes here,
    instead of every commit since the first.
    """
    from tapwright.formats.shared.compact import compact as compact_store
    from tapwright.formats.shared.copy import SharedCopy

    with owned_directory("tapwright-compact-") as folder:
        copy = SharedCopy(url, Path(folder))
        copy.sync()
        with show_progress("compact", len(copy.entries())) as advance:
            done = compact_store(copy, delete_after_days=delete_after, advance=advance)
    print_record(done, format_, key="merged")
