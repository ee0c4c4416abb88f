"""`tapwright clean`: remove what killed commands left half-written."""

import tempfile
from pathlib import Path

import click

from tapwright.cli.options import EXISTING_FOLDER
from tapwright.cli.output import Cell, Format, format_option, print_rows
from tapwright.files.temporary import left_over_directories, left_over_parts, remove_part


@click.command(epilog="\b\nExamples:\n  tapwright clean\n  tapwright clean episodes runs --dry-run")
@click.argument("directories", metavar="[DIR]...", nargs=-1, type=EXISTING_FOLDER)
@click.option("--dry-run", is_flag=True, help="List what would be removed, and remove nothing.")
@format_option
def clean(directories: tuple[Path, ...], dry_run: bool, format_: Format) -> None:
    """Remove the files and directories in DIR, by default here, that a killed command was writing.

    They are called .NAME.xxxxxxxx.part. What a running command writes is locked and stays, and so
    does everything that was finished: a step, an episode, a shard is written under such a name and
    renamed when it is whole. Without a DIR, what dead commands left in the directory for temporary
    files goes, too.
    """
    rows: list[dict[str, Cell]] = []
    found = [path for one in directories or (Path(),) for path in left_over_parts(one)]
    if not directories:
        found += left_over_directories(Path(tempfile.gettempdir()), "tapwright-")
    for path in found:
        freed = 0 if dry_run else remove_part(path)
        rows.append({"path": str(path), "freed_bytes": freed})
    print_rows(rows, format_, key="path")
