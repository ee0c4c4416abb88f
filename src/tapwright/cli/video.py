"""The option of commands that write videos."""

import click

__all__ = ["codec_option"]

codec_option = click.option(
    "--codec",
    type=click.Choice(("vp9", "h264")),
    default="vp9",
    show_default=True,
    help="h264 is for players that lack VP9, in MP4 files; libx264 encodes it, under the GPL.",
)
