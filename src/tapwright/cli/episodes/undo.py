"""`tapwright episodes undo`: back to the version before the last edit."""

from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.episodes.options import split_episode, version_option
from tapwright.cli.output import Format, format_option, print_record
from tapwright.curate.edit.undo import Undone, undo_edit
from tapwright.store.store import EpisodeStore


@click.command(epilog="\b\nExample:\n  tapwright episodes undo episodes notes-1")
@store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@version_option
@format_option
def undo(store: Path, episode_id: str | None, version: int | None, format_: Format) -> None:
    """Return an episode to the version before its last edit; restores a removed one, too.

    The second part of a split is hidden with it; one that was edited since has to be undone first.
    """
    root, id_ = split_episode(store, episode_id)
    print_change(id_, undo_edit(EpisodeStore(root), id_, version), format_)


def print_change(id_: str, undone: Undone, format_: Format) -> None:
    """Print which version of an episode is current now, which was before, and what went along."""
    change = undone.change
    record: dict[str, object] = {
        "episode": id_,
        "version": change.version,
        "was": change.parent,
    }
    if undone.parts:
        record["with"] = ", ".join(undone.parts)
    print_record(record, format_, key="version")
