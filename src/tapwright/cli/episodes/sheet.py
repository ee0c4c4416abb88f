"""`tapwright episodes sheet`: a contact sheet of episodes."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.output import print_line, show_progress
from tapwright.episode import Episode
from tapwright.store.store import EpisodeStore
from tapwright.workflows.episodes import select_episodes


@click.command()
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("sheet.jpg"),
    show_default=True,
    help="The output file.",
)
@click.option(
    "--columns", type=click.IntRange(1, 50), default=12, show_default=True, help="Steps per row."
)
def sheet(store: Path, episode_ids: tuple[str, ...], out: Path, columns: int) -> None:
    """Draw episodes (all by default) as a contact sheet: every step on one picture.

    What does not fit on one picture goes on several: sheet-1.jpg, sheet-2.jpg, …
    """
    from tapwright.visualize.contact_sheet import draw_contact_sheet

    episodes = EpisodeStore(store)
    ids = select_episodes(episodes, episode_ids)
    with show_progress("draw", len(ids)) as advance:
        for path in draw_contact_sheet(_read(episodes, ids, advance), out, columns=columns):
            print_line(path)


def _read(
    episodes: EpisodeStore, ids: Sequence[str], advance: Callable[[int], None]
) -> Iterator[Episode]:
    for id_ in ids:
        yield episodes.read(id_)
        advance(1)
