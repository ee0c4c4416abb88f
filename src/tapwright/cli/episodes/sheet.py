"""`tapwright episodes sheet`: a contact sheet of episodes."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.directories import open_store, selected_store_argument
from tapwright.cli.options import PATH, option, out_option
from tapwright.cli.output import print_line, show_progress
from tapwright.cli.selecting import choose_ids, exit_if_unreadable, selection_options
from tapwright.store.selection import Selection

if TYPE_CHECKING:
    from tapwright.core.episode import Episode
    from tapwright.store.store import EpisodeStore


@click.command()
@selected_store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@selection_options
@out_option("The output file.", kind=PATH, default="sheet.jpg")
@option("--columns", type=click.IntRange(1, 50), default=12, help="Steps per row.")
def sheet(
    store: Path, episode_ids: tuple[str, ...], selection: Selection, out: Path, columns: int
) -> None:
    """Draw episodes (all by default) as a contact sheet: every step on one picture.

    What does not fit on one picture goes on several: sheet-1.jpg, sheet-2.jpg, …
    """
    from tapwright.visualize.contact_sheet import draw_contact_sheet

    episodes = open_store(store)
    ids, readable = choose_ids(episodes, selection, episode_ids)
    with show_progress("draw", len(ids)) as advance:
        for path in draw_contact_sheet(_read(episodes, ids, advance), out, columns=columns):
            print_line(path)
    exit_if_unreadable(readable)


def _read(
    episodes: "EpisodeStore", ids: Sequence[str], advance: Callable[[int], None]
) -> "Iterator[Episode]":
    for id_ in ids:
        yield episodes.read(id_)
        advance(1)
