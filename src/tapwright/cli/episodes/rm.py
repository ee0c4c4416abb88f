"""`tapwright episodes rm`: episodes into the trash."""

import secrets
import sys
from pathlib import Path

import click

from tapwright.cli import output
from tapwright.cli.directories import check_local, open_catalog, open_store, selected_store_argument
from tapwright.cli.episodes.options import split_store
from tapwright.cli.selecting import confirm_change, select_ids, selection_options, yes_option
from tapwright.errors import UsageError, quote_path
from tapwright.store.errors import EditConflictError, EpisodeMissingError
from tapwright.store.selection import EVERYTHING, Selection


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes rm episodes notes-1 --reason 'the phone hung'\n"
    "  tapwright episodes rm episodes --where 'tag(\"bad\") or steps == 0'\n"
    "  tapwright episodes restore episodes"
)
@selected_store_argument
@click.argument("ids", metavar="[ID]...", nargs=-1)
@selection_options
@click.option("--reason", default="", help="Why they go, for who looks into the trash.")
@yes_option
@output.format_option
def rm(
    store: Path,
    ids: tuple[str, ...],
    selection: Selection,
    reason: str,
    yes: bool,
    format_: output.Format,
) -> None:
    """Move episodes of STORE to its trash: those named, or those that fit --where.

    Each goes as a whole, in one step, with its versions, tags and annotations; `episodes restore`
    puts it back, or empties the trash. Its id may be recorded again. An episode that cannot be read
    goes when it is named. The same command after a kill moves what is left.

    One that is being recorded or edited stays and is named; the command then ends with 1.
    """
    from tapwright.store.trash import find_directory, trash_episode

    check_local(store)
    root, named = split_store(store, ids)
    if not named and selection == EVERYTHING:
        raise UsageError(
            f"{store}: which episodes?", hint="name them, or select them: --where 'steps == 0'"
        )
    catalog = open_catalog(open_store(root))
    chosen, readable = select_ids(catalog, selection, named)
    for id_ in named:
        find_directory(root, id_)
    confirm_change(len(chosen), catalog.count(), "rm", yes=yes)
    removal = secrets.token_hex(4)
    rows: list[dict[str, output.Cell]] = []
    left = 0
    with output.show_progress("rm", len(chosen)) as advance:
        for id_ in chosen:
            try:
                gone = trash_episode(root, id_, reason=reason or selection.where, removal=removal)
            except (EditConflictError, EpisodeMissingError) as error:
                output.print_failure(id_, error, error.code)
                left += 1
            else:
                rows.append({"episode": gone.id, "entry": gone.entry})
            advance(1)
    output.print_rows(rows, format_, key="episode")
    output.print_message(f"{len(rows)} moved to the trash" + (f", {left} left" if left else ""))
    if rows:
        output.hint(
            f"put them back: tapwright episodes restore {quote_path(root)} --removal {removal}"
        )
    sys.exit(1 if left or not readable else 0)
