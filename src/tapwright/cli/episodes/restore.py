"""`tapwright episodes restore`: what is in the trash, put back or deleted for good."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import output
from tapwright.cli.directories import check_local, store_argument
from tapwright.cli.selecting import ask
from tapwright.core.language import counted
from tapwright.errors import NothingFoundError, UsageError, quote_path
from tapwright.store.errors import EpisodeExistsError, EpisodeMissingError

if TYPE_CHECKING:
    from tapwright.store.trash import TrashedEpisode


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes restore episodes\n"
    "  tapwright episodes restore episodes notes-1\n"
    "  tapwright episodes restore episodes --empty --yes"
)
@store_argument
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--removal", default="", help="All that one `episodes rm` took, by its number.")
@click.option("--empty", is_flag=True, help="Delete them for good instead; without an ID all.")
@click.option("--yes", is_flag=True, help="Delete without asking.")
@output.format_option
def restore(
    store: Path, ids: tuple[str, ...], removal: str, empty: bool, yes: bool, format_: output.Format
) -> None:
    """Put episodes back from the trash of STORE; without an ID, list what is in it.

    Of several with one id the one that went last comes back. One whose id the store has again stays
    in the trash and is named; the command then ends with 1. The same command after a kill goes on.
    """
    from tapwright.store.trash import list_trash

    check_local(store)
    trashed = list_trash(store)
    wanted = _choose(store, trashed, ids, removal)
    if empty:
        _delete(store, wanted, yes=yes)
    elif ids or removal:
        _restore(store, wanted, format_)
    else:
        rows: list[dict[str, output.Cell]] = [
            {
                "episode": one.id,
                "removed": one.time,
                "removal": one.removal,
                "reason": one.reason,
                "entry": one.entry,
            }
            for one in wanted
        ]
        output.print_rows(rows, format_, key="episode")
        output.hint(f"put one back: tapwright episodes restore {quote_path(store)} ID")


def _choose(
    store: Path, trashed: "Sequence[TrashedEpisode]", ids: Sequence[str], removal: str
) -> "list[TrashedEpisode]":
    if ids and removal:
        raise UsageError("there are both an ID and --removal", hint="leave one out")
    if not trashed:
        raise NothingFoundError(
            f"{store}: nothing is in its trash", hint="tapwright episodes rm puts episodes there"
        )
    if removal:
        found = [one for one in trashed if one.removal == removal]
        if not found:
            raise NothingFoundError(
                f"{store}: nothing of the removal {removal!r} is in its trash",
                hint=f"tapwright episodes restore {quote_path(store)}",
            )
        return found
    if not ids:
        return list(trashed)
    latest = {one.id: one for one in trashed} | {one.entry: one for one in trashed}
    for id_ in ids:
        if id_ not in latest:
            raise EpisodeMissingError(
                f"{store}: no episode {id_!r} is in its trash",
                hint=f"tapwright episodes restore {quote_path(store)}",
                values={"id": id_},
            )
    return [latest[id_] for id_ in dict.fromkeys(ids)]


def _restore(store: Path, wanted: "Sequence[TrashedEpisode]", format_: output.Format) -> None:
    from tapwright.store.trash import restore_episode

    rows: list[dict[str, output.Cell]] = []
    left = 0
    with output.show_progress("restore", len(wanted)) as advance:
        for one in wanted:
            try:
                restore_episode(store, one)
            except (EpisodeExistsError, EpisodeMissingError) as error:
                output.print_failure(one.id, error, error.code)
                left += 1
            else:
                rows.append({"episode": one.id})
            advance(1)
    output.print_rows(rows, format_, key="episode")
    output.print_message(f"{len(rows)} put back" + (f", {left} left in the trash" if left else ""))
    sys.exit(1 if left else 0)


def _delete(store: Path, wanted: "Sequence[TrashedEpisode]", *, yes: bool) -> None:
    from tapwright.store.trash import delete_trashed

    output.print_message(f"delete for good: {counted(len(wanted), 'episode')}")
    if not yes:
        ask("what is deleted cannot be put back", "Delete them?")
    with output.show_progress("delete", len(wanted)) as advance:
        for one in wanted:
            delete_trashed(store, one)
            advance(1)
    output.print_message(f"{len(wanted)} deleted")
