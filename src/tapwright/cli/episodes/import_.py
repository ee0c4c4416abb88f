"""`tapwright episodes import`: other tools' recordings into a store."""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from tapwright.cli import output
from tapwright.cli.directories import Directory, open_store
from tapwright.cli.host import read_host
from tapwright.cli.options import EXISTING_FOLDER, PATH, admit_by, option, out_option
from tapwright.errors import UsageError, quote_path
from tapwright.workflows.datasets import recordings
from tapwright.workflows.own_names import admit_format

if TYPE_CHECKING:
    from tapwright.formats.format import EpisodeImporter
    from tapwright.formats.importers.account import LeftOut
    from tapwright.formats.importers.job import ImportResult
    from tapwright.formats.importers.sources import ImportSource

_WITH_V = "what was lost is named by the same command with -v"
_SHOWN = 5
"""How many unreadable recordings of a source are printed; unreadable.jsonl has all."""
_NAMES = re.compile(r"'[^']*'|\S*[/\\]\S*|\S*\d\S*")
_LONGEST = 200
_REASONS = 3
"""How many reasons of each kind are printed without --verbose."""


@click.command(
    "import",
    epilog="\b\nExamples:\n"
    "  tapwright episodes import web-dumps/alice.1.pkl -o episodes\n"
    "  tapwright episodes import dumps/ more.zip --from mobile-env -o episodes\n"
    "  tapwright episodes import screenagent -o episodes",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@option(
    "--from",
    "format_name",
    default="auto",
    metavar="FORMAT",
    callback=admit_by(admit_format),
    help="The format: auto, which looks into each file, or agentlab, agentnet, agentnetbench, "
    "aitw, aitz, amex, android-control, androidworld, atif, cube, gui-360, gui-odyssey, guiact, "
    "inspect, mobiagent, mobile-env, multimodal-mind2web, omniact, openenv, osworld, "
    "screenagent, verifiers, weblinx, or a module:attribute of yours.",
)
@option(
    "--tasks",
    type=EXISTING_FOLDER,
    metavar="DIR",
    help="The task definitions (*.textproto) of Mobile-Env's recordings: the vocabularies of typed "
    "words, and what proves success.",
)
@option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Read only files and directories of this name or path below PATH, such as '*.jsonl'.",
)
@option("--exclude", multiple=True, metavar="PATTERN", help="Leave such files and directories out.")
@option(
    "--strict",
    is_flag=True,
    help="Stop at the first recording that cannot be read, or is not whole.",
)
@option(
    "--trust-pictures",
    is_flag=True,
    help="Do not decode every picture once to see that it is whole; faster.",
)
@option("-v", "--verbose", is_flag=True, help="Name everything that was left out, and why.")
@out_option(kind=Directory("none"), default="episodes")
@output.format_option
def import_(
    paths: tuple[Path, ...],
    format_name: str,
    tasks: Path | None,
    only: tuple[str, ...],
    exclude: tuple[str, ...],
    strict: bool,
    trust_pictures: bool,
    verbose: bool,
    out: Path,
    format_: output.Format,
) -> None:
    """Import other tools' recordings into a store of episodes.

    A PATH is a file, a directory that is searched, a zip or tar archive, or the name of a data set
    that `tapwright data get` downloaded. Pictures are kept losslessly. An interrupted command
    continues when repeated, and imports nothing twice.

    Everything is accounted for: of files, episodes, steps, pictures and fields a line says how many
    were seen, read and left out, and why. A recording is kept as far as it goes: a step without an
    action of its own is refused, with the reason, and a picture that is missing has a stand-in.

    What cannot be read is reported and listed in unreadable.jsonl in the store; so is a file of a
    kind that no format recognizes, but for papers, programs, videos and the like. The command then
    ends with 1, as it does when steps or pictures of a recording were lost, and when nothing was
    read at all.
    """
    import asyncio

    from tapwright.formats.importers.sources import Filter, find_sources

    host = read_host()
    found = [recordings(path, host) for path in paths]
    importers = _select_importers(format_name, tasks)
    sources = list(find_sources(found, importers, Filter(only, exclude)))
    work = import_and_report(
        sources, out, format_, strict=strict, trust_pictures=trust_pictures, verbose=verbose
    )
    sys.exit(asyncio.run(work))


def _select_importers(format_name: str, tasks: Path | None) -> "Sequence[EpisodeImporter]":
    from tapwright.formats import formats
    from tapwright.formats.format import EpisodeImporter
    from tapwright.formats.mobile_env import resave
    from tapwright.formats.mobile_env.episodes import MOBILE_ENV

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
    reader = resave.VocabularyReader(
        resave.read_vocabularies(tasks), resave.read_definitions(tasks)
    )
    return [reader if one is MOBILE_ENV else one for one in importers]


async def import_and_report(
    sources: "Sequence[ImportSource]",
    out: Path,
    format_: output.Format,
    *,
    strict: bool = False,
    trust_pictures: bool = False,
    verbose: bool = False,
) -> int:
    """Import under a progress bar, and print the result; the exit code."""
    from tapwright.formats.importers.job import UNREADABLE, import_sources

    results: list[ImportResult] = []
    episodes = count(1)
    with output.show_progress("import", len(sources)) as advance:
        async for ended in import_sources(
            sources,
            open_store(out),
            strict=strict,
            trust_pictures=trust_pictures,
            on_episode=lambda: advance(0, f"{next(episodes)} episodes"),
        ):
            advance(1)
            results.append(ended)
            for one in ended.unreadable[:_SHOWN]:
                _print_line(str(one))
            if len(ended.unreadable) > _SHOWN:
                _print_line(f"{ended.source}: and {len(ended.unreadable) - _SHOWN} more")
    is_json = output.resolve_format(format_) == "json"
    rows = [_make_row(one, whole=is_json) for one in results if is_json or one.is_told]
    output.print_rows(rows, format_, key="source")
    _print_account(results, verbose=verbose)
    unreadable = [one for result in results for one in result.unreadable]
    if len(unreadable) > 1:
        first = unreadable[0]
        _print_line(f"{len(unreadable)} unreadable, the first: {first}")
    if strict and unreadable:
        output.print_message("stopped there (--strict); without it the others are imported")
    whole = all(one.is_complete for one in results) and any(one.is_told for one in results)
    if not any(one.is_told for one in results):
        output.print_message("nothing was read: no file that was taken holds a recording")
    if unreadable:
        output.hint(f"cat {quote_path(out / UNREADABLE)}")
    else:
        output.hint(f"tapwright episodes ls {quote_path(out)}" if whole else _WITH_V)
    return 0 if whole else 1


def _print_line(text: str) -> None:
    """Print one line, whatever a file is called."""
    output.print_message(text.replace("\n", "\\n"))


def _make_row(result: "ImportResult", *, whole: bool) -> dict[str, output.Cell]:
    """The row of a source; a `whole` one has its account, which is nested."""
    row: dict[str, object] = {
        "source": result.source,
        "new": result.new,
        "there": result.existing,
        "unreadable": len(result.unreadable),
    }
    if whole:
        for kind, one in result.totals.items():
            row[kind] = {"seen": one.seen, "read": one.read, "left_out": one.left_out}
        row["left_out"] = [
            {"kind": one.kind, "where": one.where, "reason": one.reason, "count": one.count}
            for one in result.left_out
        ]
    return cast(dict[str, output.Cell], row)


def _print_account(results: "Sequence[ImportResult]", *, verbose: bool) -> None:
    """Print a line for each kind of what was seen: how much was read, and what was left out."""
    from tapwright.formats.importers.account import KINDS

    left: Mapping[str, list[LeftOut]] = defaultdict(list)
    for result in results:
        for one in result.left_out:
            left[one.kind].append(one)
    for kind in KINDS:
        totals = [result.totals[kind] for result in results if kind in result.totals]
        seen, out = sum(one.seen for one in totals), sum(one.left_out for one in totals)
        if not seen:
            continue
        why = f": {_tell_reasons(left[kind])}" if out else ""
        line = f"{kind}: {seen:,} seen, {seen - out:,} read, {out:,} left out"
        _print_line(f"{line}{'' if verbose else why}")
        for one in left[kind] if verbose else ():
            many = f" ({one.count:,})" if one.count > 1 else ""
            told = one.reason if one.where in one.reason else f"{one.where}: {one.reason}"
            _print_line(f"  {told}{many}")


def _tell_reasons(left: "Sequence[LeftOut]") -> str:
    """The most frequent reasons, each with its number; of fields the names.

    Those that differ in names and numbers alone are one, told by the first.
    """
    reasons: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for one in left:
        about = one.where if one.kind == "fields" else one.reason.removeprefix(f"{one.where}: ")
        alike = _NAMES.sub("…", about)
        examples.setdefault(alike, about if len(about) <= _LONGEST else f"{about[:_LONGEST]}…")
        reasons[alike] += one.count
    most = [f"{examples[one]} ({number:,})" for one, number in reasons.most_common(_REASONS)]
    more = len(reasons) - _REASONS
    return "; ".join(most) + (f"; and {more} more kinds, by -v" if more > 0 else "")
