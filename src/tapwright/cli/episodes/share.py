"""`tapwright episodes share` and `compact`: stores that many machines write."""

from pathlib import Path

import click

from tapwright.cli.output import (
    Format,
    format_option,
    hint,
    print_line,
    print_record,
    show_progress,
)
from tapwright.files.place import Place
from tapwright.files.temporary import owned_directory


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes share s3://lab/phone\n"
    "  tapwright record --agent script -o s3://lab/phone\n"
    "  tapwright episodes copy episodes s3://lab/phone"
)
@click.argument("url")
def share(url: str) -> None:
    """Make a store at URL that any number of machines write at a time.

    URL is one of fsspec's, such as s3://bucket/name, or a directory, and has nothing yet. Every
    command that takes a store takes it: what is recorded, edited or removed is put there when it
    has ended, and what others put is seen by the next command.
    """
    from tapwright.formats.shared.log import make_shared

    make_shared(Place(url))
    print_line(url.rstrip("/"))
    hint(f"tapwright episodes copy STORE {url.rstrip('/')}")


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
