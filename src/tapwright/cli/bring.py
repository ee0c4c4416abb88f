"""`tapwright episodes import`, `export` and `resave`: other tools' recordings, in and out."""

import asyncio
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.options import out_option, store_argument
from tapwright.cli.output import Cell, Format, format_option, hint, print_rows, stage
from tapwright.errors import NothingFoundError, UsageError
from tapwright.store.store import EpisodeStore

if TYPE_CHECKING:
    from tapwright.formats.format import EpisodeImporter
    from tapwright.formats.importers.job import ImportSource


@click.command(
    "import",
    epilog="\b\nExamples:\n"
    "  tapwright episodes import web-dumps/alice.1.pkl -o episodes\n"
    "  tapwright episodes import dumps/ more.zip --from mobile-env -o episodes",
)
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--from",
    "format_name",
    default="auto",
    show_default=True,
    metavar="FORMAT",
    help="Whose files they are; auto: as each file looks.",
)
@click.option(
    "--tasks",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="The task definitions (*.textproto) with the words that Mobile-Env tells by number.",
)
@out_option("episodes")
@format_option
def import_(
    paths: tuple[Path, ...], format_name: str, tasks: Path | None, out: Path, format_: Format
) -> None:
    """Import other tools' recordings into a store of episodes.

    A PATH is a file, a directory that is searched, or a zip or tar archive. Pictures are kept
    without a loss. The same command goes on where it was stopped, and imports nothing twice.

    What cannot be read is told with the reason, hides nothing else, and stands in
    unreadable.jsonl in the store; the command then ends with 1.
    """
    from tapwright.formats.importers.job import find_sources

    chosen = list(find_sources(paths, _importers(format_name, tasks)))
    sys.exit(asyncio.run(_import(chosen, out, format_)))


@click.command(
    epilog="\b\nExample:\n  tapwright episodes export episodes --to mobile-env -o resaved\n"
)
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@click.option("--to", "format_name", required=True, metavar="FORMAT", help="Whose format.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), required=True, help="A new file or directory."
)
def export(store: Path, episode_ids: tuple[str, ...], format_name: str, out: Path) -> None:
    """Write the episodes of STORE (all by default) as another tool's files.

    To mobile-env: one file of one task when the name ends in .pkl, else a directory with a file
    for each task.
    """
    from tapwright.formats import formats
    from tapwright.formats.format import EpisodeExporter
    from tapwright.formats.importers.job import import_order

    format_ = formats.get(format_name)
    if not isinstance(format_, EpisodeExporter):
        raise UsageError(f"{format_name} is not a format that episodes are exported to")
    found = EpisodeStore(store)
    chosen = list(episode_ids) or import_order(found)
    if not chosen:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright episodes import -o {store}"
        )
    with stage(f"export ({format_name})", len(chosen)) as advance:
        advance(format_.write((found.read(id_) for id_ in chosen), out))
    click.echo(out)


@click.command(
    epilog="\b\nExample:\n"
    "  tapwright episodes resave 'web-dumps/alice.%d.pkl:0:10' resaved textprotos --to mobile-env"
)
@click.argument("pattern", metavar="PATTERN:S:T")
@click.argument(
    "out",
    metavar="[DUMPDIR]",
    default="pkl_resaved",
    type=click.Path(path_type=Path, file_okay=False),
)
@click.argument(
    "tasks", metavar="[TASKFOLDER]", default="textprotos", type=click.Path(path_type=Path)
)
@click.option(
    "--to",
    "target",
    type=click.Choice(["episodes", "mobile-env"]),
    default="episodes",
    show_default=True,
    help="A store of episodes, or Mobile-Env's own TASK.pkl files.",
)
@format_option
def resave(pattern: str, out: Path, tasks: Path, target: str, format_: Format) -> None:
    """Gather Mobile-Env's recordings by task, and put in the words that were typed.

    PATTERN names the recorder's files, with %d for their numbers S to T (both included); numbers
    without a file are left out. TASKFOLDER holds the tasks' .textproto files.

    The same command again adds what is new and repeats nothing. A recording that cannot be read
    is told with the reason and hides no other; the command then ends with 1.
    """
    from tapwright.formats.importers.job import ImportSource
    from tapwright.formats.mobile_env.resave import (
        VocabularyReader,
        find_numbered_files,
        read_vocabularies,
        resave_pickles,
    )

    files = find_numbered_files(pattern)
    definitions = read_vocabularies(tasks)
    if target == "episodes":
        given = [ImportSource(path, VocabularyReader(definitions)) for path in files]
        sys.exit(asyncio.run(_import(given, out, format_)))
    rows: list[dict[str, Cell]] = []
    with stage("resave", len(files)) as advance:
        resaved = resave_pickles(files, definitions, out, advance)
    for one in resaved.unreadable:
        click.echo(f"{one.reason} [{one.code}]", err=True)
    for path, (new, there) in resaved.files.items():
        rows.append({"file": str(path), "new": new, "there": there})
    print_rows(rows, format_, key="file")
    sys.exit(1 if resaved.unreadable else 0)


def _importers(format_name: str, tasks: Path | None) -> "Sequence[EpisodeImporter]":
    from tapwright.formats import formats
    from tapwright.formats.format import EpisodeImporter
    from tapwright.formats.mobile_env.episodes import MOBILE_ENV
    from tapwright.formats.mobile_env.resave import VocabularyReader, read_vocabularies

    names = formats.names() if format_name == "auto" else [format_name]
    every = (formats.get(name) for name in names)
    found = [format_ for format_ in every if isinstance(format_, EpisodeImporter)]
    if not found:
        raise UsageError(f"{format_name} is not a format that episodes are imported from")
    if tasks is None:
        return found
    if MOBILE_ENV not in found:
        raise UsageError(f"--tasks tells words of mobile-env, and not of {format_name}")
    explained = VocabularyReader(read_vocabularies(tasks))
    return [explained if one is MOBILE_ENV else one for one in found]


async def _import(given: "Sequence[ImportSource]", out: Path, format_: Format) -> int:
    """Import under a progress bar; the exit code."""
    from tapwright.formats.importers.job import UNREADABLE, import_sources

    rows: list[dict[str, Cell]] = []
    bad = 0
    episodes = count(1)
    with stage("import", len(given)) as advance:
        async for ended in import_sources(
            given, EpisodeStore(out), on_episode=lambda: advance(0, f"{next(episodes)} episodes")
        ):
            advance(1)
            bad += len(ended.unreadable)
            rows.append(
                {
                    "source": ended.source,
                    "new": ended.new,
                    "there": ended.existing,
                    "unreadable": len(ended.unreadable),
                }
            )
            for one in ended.unreadable:
                click.echo(f"{one.reason} [{one.code}]", err=True)
    print_rows(rows, format_, key="source")
    hint(f"cat {out / UNREADABLE}" if bad else f"tapwright episodes ls {out}")
    return 1 if bad else 0
