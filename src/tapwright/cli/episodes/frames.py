"""`tapwright episodes frames`: every step with its action marked."""

from pathlib import Path

import click

from tapwright.cli.directories import open_store
from tapwright.cli.episodes.options import read_pickle, store_or_pickle_argument, width_option
from tapwright.cli.options import PATH, out_option
from tapwright.cli.output import print_line, show_progress
from tapwright.cli.selecting import choose_ids, exit_if_unreadable, selection_options
from tapwright.store.selection import Selection


@click.command()
@store_or_pickle_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@selection_options
@out_option("The output directory.", kind=PATH, default="frames")
@width_option
def frames(
    store: Path, episode_ids: tuple[str, ...], selection: Selection, out: Path, width_px: int
) -> None:
    """Draw every step of episodes (all by default) with its action marked, one JPEG each.

    Of a PICKLE of Mobile-Env every record but the head is drawn, `1.jpg` and so on, in a folder
    TASK:N%TRAJECTORIES#RECORDS for each trajectory; ID is a trajectory's number, from 0.
    """
    from tapwright.files.names import distinct_name
    from tapwright.visualize.frames import draw_frames

    if store.is_file():
        trajectories, readable = read_pickle(store, episode_ids)
        for one in trajectories:
            folder = out / one.id
            folder.mkdir(parents=True, exist_ok=True)
            for _ in draw_frames(one, folder, width_px=width_px, first=1):
                pass
            print_line(folder)
        exit_if_unreadable(readable)
        return
    episodes = open_store(store)
    ids, readable = choose_ids(episodes, selection, episode_ids)
    with show_progress("draw frames", len(ids)) as advance:
        for id_ in ids:
            episode = episodes.read(id_)
            for _ in draw_frames(episode, out / distinct_name(id_), width_px=width_px):
                pass
            advance(1)
    print_line(out)
    exit_if_unreadable(readable)
