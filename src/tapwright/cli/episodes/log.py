"""`tapwright episodes log`: the versions of an episode."""

from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.episodes.options import split_episode
from tapwright.cli.output import Cell, Format, format_option, print_rows
from tapwright.store.store import EpisodeStore


@click.command(epilog="\b\nExample:\n  tapwright episodes log episodes notes-1")
@store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@format_option
def log(store: Path, episode_id: str | None, format_: Format) -> None:
    """List the changes of an episode since it was recorded, oldest first.

    `version` is the one that was current from then on; that of the last line is current now.
    """
    root, id_ = split_episode(store, episode_id)
    history = EpisodeStore(root).history(id_)
    rows: list[dict[str, Cell]] = [
        {"version": history.recorded, "change": "recorded", "from": None, "edit": "", "time": ""}
    ]
    rows += [
        {
            "version": change.version,
            "change": change.change,
            "from": change.parent,
            "edit": change.edit,
            "time": change.time,
        }
        for change in history.changes
    ]
    print_rows(rows, format_, key="version")
