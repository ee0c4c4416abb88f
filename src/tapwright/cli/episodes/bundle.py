"""`tapwright episodes bundle`: episodes as a static site."""

from pathlib import Path

import click

from tapwright.cli.directories import open_store, selected_store_argument
from tapwright.cli.options import PATH, out_option
from tapwright.cli.output import print_site, show_progress
from tapwright.cli.selecting import choose_ids, exit_if_unreadable, selection_options
from tapwright.store.selection import Selection


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes bundle episodes -o site\n"
    "  tapwright episodes bundle episodes notes-1 notes-2 -o two-notes --open"
)
@selected_store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@selection_options
@out_option("The output directory, which must not exist yet.", kind=PATH, required=True)
@click.option("--open", "open_", is_flag=True, help="Open it in the browser.")
def bundle(
    store: Path, episode_ids: tuple[str, ...], selection: Selection, out: Path, *, open_: bool
) -> None:
    """Write episodes (all by default) as a static site that needs no server.

    OUT/index.html opens from the disk, and from any static web server; nothing outside of the
    directory is loaded. The pages are those of `tapwright serve`, without edits.
    """
    from tapwright.web.bundle import write_bundle
    from tapwright.web.library.library import Library

    episodes = open_store(store)
    ids, readable = choose_ids(episodes, selection, episode_ids)
    with show_progress("write episodes", len(ids)) as advance:
        write_bundle(out, Library(episodes), episodes=ids, advance=advance)
    print_site(out, open_=open_)
    exit_if_unreadable(readable)
