"""`tapwright episodes resave`: Mobile-Env's recordings by task."""

import sys
from pathlib import Path

import click

from tapwright.cli import output
from tapwright.cli.episodes.import_ import import_and_report
from tapwright.cli.options import FOLDER, PATH, option


@click.command(
    epilog="\b\nExample:\n"
    "  tapwright episodes resave 'web-dumps/alice.%d.pkl:0:10' resaved textprotos --to mobile-env"
)
@click.argument("pattern", metavar="PATTERN:S:T")
@click.argument("out", metavar="[DUMPDIR]", default="pkl_resaved", type=FOLDER)
@click.argument("tasks", metavar="[TASKFOLDER]", default="textprotos", type=PATH)
@option(
    "--to",
    "target",
    type=click.Choice(["episodes", "mobile-env"]),
    default="episodes",
    help="A store of episodes, or Mobile-Env's own TASK.pkl files.",
)
@output.format_option
def resave(pattern: str, out: Path, tasks: Path, target: str, format_: output.Format) -> None:
    """Collect Mobile-Env's recordings by task, and insert the typed words.

    PATTERN names the recorder's files, with %d for their numbers S to T (both included); numbers
    without a file are skipped. TASKFOLDER holds the tasks' .textproto files.

    A repeated command adds only what is new. An unreadable recording is reported with the reason
    and skipped; the command then ends with 1.
    """
    import asyncio

    from tapwright.formats.importers.sources import ImportSource
    from tapwright.formats.mobile_env.resave import (
        VocabularyReader,
        find_numbered_files,
        read_vocabularies,
        resave_pickles,
    )

    files = find_numbered_files(pattern)
    definitions = read_vocabularies(tasks)
    if target == "episodes":
        sources = [ImportSource(path, VocabularyReader(definitions), path) for path in files]
        sys.exit(asyncio.run(import_and_report(sources, out, format_)))
    rows: list[dict[str, output.Cell]] = []
    with output.show_progress("resave", len(files)) as advance:
        resaved = resave_pickles(files, definitions, out, advance)
    for one in resaved.unreadable:
        output.print_message(str(one))
    for path, (new, there) in resaved.files.items():
        rows.append({"file": str(path), "new": new, "there": there})
    output.print_rows(rows, format_, key="file")
    sys.exit(1 if resaved.unreadable else 0)
