"""`tapwright episodes redo`: the version that the last undo left."""

from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.episodes.options import split_episode, version_option
from tapwright.cli.episodes.undo import print_change
from tapwright.cli.output import Format, format_option
from tapwright.curate.edit.undo import redo_edit
from tapwright.store.store import EpisodeStore


@click.command(epilog="\b\nExample:\n  tapwright episodes redo episodes notes-1")
@store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@version_option
@format_option
def redo(store: Path, episode_id: str | None, version: int | None, format_: Format) -> None:
    """Return an episode to the version that the last undo left, with the other part of a split."""
    root, id_ = split_episode(store, episode_id)
    print_change(id_, redo_edit(EpisodeStore(root), id_, version), format_)
