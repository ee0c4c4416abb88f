"""`tapwright episodes share`: a store that many machines write."""

from shlex import quote

import click

from tapwright.cli.output import hint, print_line
from tapwright.files.place import Place


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
    hint(f"tapwright episodes copy STORE {quote(url.rstrip('/'))}")
