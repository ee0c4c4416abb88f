"""`tapwright episodes copy`: episodes from stores into another."""

import sys
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from tapwright.cli import output
from tapwright.cli.directories import Directory, fetch_episodes, open_catalog, open_store
from tapwright.cli.options import option
from tapwright.cli.selecting import nothing_found, selection_options
from tapwright.errors import quote_path
from tapwright.store.selection import Selection

if TYPE_CHECKING:
    from tapwright.curate.copying import SameId


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes copy monday tuesday week\n"
    "  tapwright episodes copy episodes good --where 'outcome == \"success\"'\n"
    "  tapwright episodes copy theirs ours --tag theirs --same-id rename"
)
@click.argument("sources", metavar="SRC...", nargs=-1, required=True, type=Directory("selected"))
@click.argument("target", metavar="DST", type=Directory("selected"))
@selection_options
@option(
    "--same-id",
    type=click.Choice(["refuse", "rename"]),
    default="refuse",
    help="What becomes of an episode whose id has another content in DST; rename: ID-2.",
)
@option("--tag", default="", metavar="TAG", help="Tag the copies with this.")
@output.format_option
def copy(
    sources: tuple[Path, ...],
    target: Path,
    selection: Selection,
    same_id: "SameId",
    tag: str,
    format_: output.Format,
) -> None:
    """Copy the episodes of SRC (all by default, or those that fit --where) into the store DST.

    Versions, tags and annotations come along. On one file system pictures are shared by hard links
    and cost nothing; a later edit of either store leaves the other as it is.

    Nothing is copied twice: an episode that DST has already, under its id or with the same content
    under another, is counted as there. The same command after a kill copies what is left. An
    episode that is refused or cannot be read is named, and the command then ends with 1.
    """
    from tapwright.curate.copying import StoreCopier
    from tapwright.store.tags import check_tags

    check_tags([tag] if tag else [])
    copier = StoreCopier(
        open_store(target), same_id=same_id, tag=tag, fetch=partial(fetch_episodes, target)
    )
    plans = [copier.plan(open_store(source), selection) for source in sources]
    total = sum(len(plan.ids) for plan in plans)
    bad = 0
    for plan in plans:
        fetch_episodes(plan.source.root, plan.ids)
        for name, error in plan.unreadable.items():
            output.print_failure(f"{plan.source.root}, {name}", error, error.code)
            bad += 1
    if not total:
        raise nothing_found(open_catalog(plans[0].source), selection)
    count = "1 store" if len(sources) == 1 else f"{len(sources)} stores"
    output.print_message(f"copy: {total} episodes of {count} to {target}")
    counts = {"copied": 0, "there": 0, "refused": 0}
    with output.show_progress("copy", total) as advance:
        for plan in plans:
            for one in copier.copy(plan):
                counts[one.what] += 1
                if one.error is not None:
                    output.print_failure(f"{one.source}, {one.id}", one.error, one.error.code)
                advance(1)
    files = {"files_linked": copier.links, "files_copied": copier.copies}
    output.print_record({**counts, "unreadable": bad, **files}, format_, key="copied")
    if tag and counts["copied"]:
        where = quote(f'tag("{tag}")')
        output.hint(
            f"take them away again: tapwright episodes rm {quote_path(target)} --where {where}"
        )
    else:
        output.hint(f"tapwright episodes ls {quote_path(target)}")
    sys.exit(1 if bad or counts["refused"] else 0)
