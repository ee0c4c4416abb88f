"""`tapwright episodes tag`: words by which people sort a store."""

from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.output import print_message, show_progress
from tapwright.cli.selecting import (
    confirm_change,
    exit_if_unreadable,
    select_ids,
    selection_options,
    yes_option,
)
from tapwright.errors import UsageError
from tapwright.store.catalog import Catalog
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import check_tags, write_tags


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes tag episodes demo-1 demo-2 --add good\n"
    "  tapwright episodes tag episodes --where 'steps > 40' --add long --remove new\n"
    "  tapwright episodes ls episodes --where 'tag(\"long\")'"
)
@store_argument
@click.argument("ids", nargs=-1)
@selection_options
@click.option("--add", multiple=True, metavar="TAG", help="Add this tag; repeatable.")
@click.option("--remove", multiple=True, metavar="TAG", help="Remove this tag; repeatable.")
@yes_option
def tag(
    store: Path,
    ids: tuple[str, ...],
    selection: Selection,
    add: tuple[str, ...],
    remove: tuple[str, ...],
    yes: bool,
) -> None:
    """Add tags to episodes of STORE, and remove them: those named, or those that fit --where.

    Tags lie beside the recording and change nothing in it. The command can be repeated after a
    kill: what is tagged already stays as it is.
    """
    if not add and not remove:
        raise UsageError("there is neither --add nor --remove", hint="for example --add good")
    check_tags((*add, *remove))
    opened = EpisodeStore(store)
    catalog = Catalog(opened)
    chosen, readable = select_ids(catalog, selection, ids)
    directories = [opened.history(id_).directory for id_ in chosen]
    confirm_change(len(chosen), catalog.count(), "tag", yes=yes)
    changed = 0
    with show_progress("tagged", len(chosen)) as advance:
        for directory in directories:
            changed += write_tags(directory, add=add, remove=remove)
            advance(1)
    print_message(f"{changed} changed, {len(chosen) - changed} were so already")
    exit_if_unreadable(readable)
