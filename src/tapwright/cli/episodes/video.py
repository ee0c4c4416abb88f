"""`tapwright episodes video`: a video of each episode."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.directories import open_store
from tapwright.cli.episodes.options import read_pickle, store_or_pickle_argument, width_option
from tapwright.cli.options import PATH, codec_option, option, out_option
from tapwright.cli.output import print_line, print_message, show_progress
from tapwright.cli.selecting import choose_ids, exit_if_unreadable, selection_options
from tapwright.store.selection import Selection

if TYPE_CHECKING:
    from tapwright.visualize.encoding import VideoCodec


@click.command(epilog="\b\nExample:\n  tapwright episodes video episodes -o videos --fps 1")
@store_or_pickle_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@selection_options
@out_option("The output directory.", kind=PATH, default="videos")
@option("--fps", type=click.FloatRange(0.05, 60), default=2.0, help="Steps per second.")
@codec_option
@width_option
def video(
    store: Path,
    episode_ids: tuple[str, ...],
    selection: Selection,
    out: Path,
    fps: float,
    codec: "VideoCodec",
    width_px: int,
) -> None:
    """Make a video of each episode (all by default), every step with its action marked.

    Of a PICKLE of Mobile-Env there is one of each trajectory, with a picture for each record but
    the head; ID is a trajectory's number, from 0.

    The videos are WebM files (VP9), or MP4 files (H.264) with `--codec h264`.
    """
    from tapwright.files.names import distinct_name
    from tapwright.visualize.encoding import video_suffix
    from tapwright.visualize.video import write_video

    if store.is_file():
        trajectories, readable = read_pickle(store, episode_ids)
        for one in trajectories:
            if not one.steps:
                print_message(f"{one.id}: has its head alone, and no video")
                continue
            path = out / f"{one.id}{video_suffix(codec)}"
            print_line(write_video(one, path, width_px=width_px, fps=fps, codec=codec, first=1))
        exit_if_unreadable(readable)
        return
    episodes = open_store(store)
    ids, readable = choose_ids(episodes, selection, episode_ids)
    with show_progress("make videos", len(ids)) as advance:
        for id_ in ids:
            path = out / f"{distinct_name(id_)}{video_suffix(codec)}"
            write_video(episodes.read(id_), path, width_px=width_px, fps=fps, codec=codec)
            print_line(path)
            advance(1)
    exit_if_unreadable(readable)
