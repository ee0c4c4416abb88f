"""`tapwright episodes import`: other tools' recordings into a store."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import out_option
from tapwright.cli.output import (
    Cell,
    Format,
    format_option,
    hint,
    print_message,
    print_rows,
    show_progress,
)
from tapwright.errors import UsageError, quote_path
from tapwright.store.store import EpisodeStore
from tapwright.workflows.datasets import recordings

if TYPE_CHECKING:
    from tapwright.formats.format import EpisodeImporter, UnreadableEpisode
    from tapwright.formats.importers.job import ImportSource

_SHOWN = 5
"""How many unreadable recordings of a source are printed; unreadable.jsonl has all."""


@click.command(
    "import",
    epilog="\b\nExamples:\n"
    "  tapwright episodes import web-dumps/alice.1.pkl -o episodes\n"
    "  tapwright episodes import dumps/ more.zip --from mobile-env -o episodes\n"
    "  tapwright episodes import screenagent -o episodes",
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
    help="The format; auto: detected for each file.",
)
@click.option(
    "--tasks",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="The task definitions (*.textproto) of Mobile-Env's recordings: the vocabularies of typed "
    "words, and what proves success.",
)
@click.option("--strict", is_flag=True, help="Stop at the first recording that cannot be read.")
@click.option(
    "--trust-pictures",
    is_flag=True,
    help="Do not decode every picture once to see that it is whole; faster.",
)
@out_option("episodes")
@format_option
def import_(
    paths: tuple[Path, ...],
    format_name: str,
    tasks: Path | None,
    strict: bool,
    trust_pictures: bool,
    out: Path,
    format_: Format,
) -> None:
    """Import other tools' recordings into a store of episodes.

    A PATH is a file, a directory that is searched, a zip or tar archive, or the name of a data set
    that `tapwright data get` downloaded. Pictures are kept losslessly. An interrupted command
    continues when repeated, and imports nothing twice.

    Unreadable recordings are reported with the reason, skipped, and listed in unreadable.jsonl in
    the store; the command then ends with 1. So is a file of a kind that no format recognizes, but
    for papers, programs, videos and the like, which are counted.
    """
    from tapwright.formats.importers.job import find_sources

    host = read_host()
    found = [recordings(path, host) for path in paths]
    others: list[Path] = []
    importers = _select_importers(format_name, tasks)
    sources = list(find_sources(found, importers, on_companion=others.append))
    _tell_others(others)
    work = import_and_report(sources, out, format_, strict=strict, trust_pictures=trust_pictures)
    sys.exit(asyncio.run(work))


def _tell_others(files: "Sequence[Path]") -> None:
    """Tell of the files beside the recordings that hold none; pictures are the recordings' own."""
    from tapwright.formats.importers.unknown_files import file_kind, is_picture

    kinds = Counter(file_kind(file) for file in files if not is_picture(file))
    if kinds:
        most = [f"{number} {kind}" for kind, number in kinds.most_common(_SHOWN)]
        more = ", …" if len(kinds) > _SHOWN else ""
        print_message(f"{kinds.total()} other files were not read: {', '.join(most)}{more}")


def _select_importers(format_name: str, tasks: Path | None) -> "Sequence[EpisodeImporter]":
    from tapwright.formats import formats
    from tapwright.formats.format import EpisodeImporter
    from tapwright.formats.mobile_env.episodes import MOBILE_ENV
    from tapwright.formats.mobile_env.resave import (
        VocabularyReader,
        read_definitions,
        read_vocabularies,
    )

    if format_name == "auto":
        members = [format_ for _, format_ in formats.installed()]
    else:
        members = [formats.get(format_name)]
    importers = [format_ for format_ in members if isinstance(format_, EpisodeImporter)]
    if not importers:
        raise UsageError(f"{format_name} is not a format that episodes are imported from")
    if tasks is None:
        return importers
    if MOBILE_ENV not in importers:
        raise UsageError(f"--tasks applies to mobile-env, not to {format_name}")
    reader = VocabularyReader(read_vocabularies(tasks), read_definitions(tasks))
    return [reader if one is MOBILE_ENV else one for one in importers]


async def import_and_report(
    sources: "Sequence[ImportSource]",
    out: Path,
    format_: Format,
    *,
    strict: bool = False,
    trust_pictures: bool = False,
) -> int:
    """Import under a progress bar, and print the result; the exit code."""
    from tapwright.formats.importers.job import UNREADABLE, import_sources

    rows: list[dict[str, Cell]] = []
    unreadable: list[UnreadableEpisode] = []
    episodes = count(1)
    with show_progress("import", len(sources)) as advance:
        async for ended in import_sources(
            sources,
            EpisodeStore(out),
            strict=strict,
            trust_pictures=trust_pictures,
            on_episode=lambda: advance(0, f"{next(episodes)} episodes"),
        ):
            advance(1)
            unreadable += ended.unreadable
            rows.append(
                {
                    "source": ended.source,
                    "new": ended.new,
                    "there": ended.existing,
                    "unreadable": len(ended.unreadable),
                }
            )
            for one in ended.unreadable[:_SHOWN]:
                print_message(f"{one.reason} [{one.code}]")
            if len(ended.unreadable) > _SHOWN:
                print_message(f"{ended.source}: and {len(ended.unreadable) - _SHOWN} more")
    print_rows(rows, format_, key="source")
    if len(unreadable) > 1:
        first = unreadable[0]
        print_message(f"{len(unreadable)} unreadable, the first: {first.reason} [{first.code}]")
    if strict and unreadable:
        print_message("stopped there (--strict); without it the others are imported")
    hint(
        f"cat {quote_path(out / UNREADABLE)}"
        if unreadable
        else f"tapwright episodes ls {quote_path(out)}"
    )
    return 1 if unreadable else 0
