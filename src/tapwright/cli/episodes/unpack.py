"""`tapwright episodes unpack`: a packed data set as a store."""

import sys
from pathlib import Path

import click

from tapwright.cli.directories import Directory, open_store
from tapwright.cli.episodes.pack import print_unreadable
from tapwright.cli.options import FOLDER, out_option
from tapwright.cli.output import Cell, Format, format_option, hint, print_rows, show_progress
from tapwright.errors import quote_path


@click.command(epilog="\b\nExample:\n  tapwright episodes unpack packed -o episodes")
@click.argument("packed", metavar="DIR", type=FOLDER)
@out_option(kind=Directory("none"), default="episodes")
@format_option
def unpack(packed: Path, out: Path, format_: Format) -> None:
    """Restore a store from the packed data set in DIR: the same steps, the same pixels.

    Episodes that the store has are skipped, so an interrupted command continues when repeated. What
    cannot be unpacked is reported with the reason and skipped; the command then ends with 1.
    """
    from tapwright.formats.format import UnreadableEpisode
    from tapwright.formats.pack.unpack import count_packed_episodes
    from tapwright.formats.pack.unpack import unpack_store as unpack_into

    unreadable: list[UnreadableEpisode] = []
    rows: list[dict[str, Cell]] = []
    with show_progress("unpack", count_packed_episodes(packed)) as advance:
        for one in unpack_into(packed, open_store(out)):
            advance(1)
            if isinstance(one, UnreadableEpisode):
                unreadable.append(one)
            else:
                rows.append({"episode": one.id, "new": one.new})
    print_unreadable(unreadable)
    print_rows(rows, format_, key="episode")
    hint(f"tapwright episodes ls {quote_path(out)}")
    sys.exit(1 if unreadable else 0)
