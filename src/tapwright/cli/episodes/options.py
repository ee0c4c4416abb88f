"""Options and arguments that several commands on episodes share."""

from pathlib import Path

import click

from tapwright.errors import UsageError
from tapwright.store.lines import read_header

width_option = click.option(
    "--width",
    "width_px",
    type=click.IntRange(80, 4096),
    default=540,
    show_default=True,
    help="Width in pixels.",
)


def split_store(store: Path, ids: "tuple[str, ...] | list[str]") -> tuple[Path, list[str]]:
    """The store and the ids of STORE ID… or STORE/ID."""
    header = store / "episode.json"
    if ids or not header.exists():
        return store, list(ids)
    return store.parent, [read_header(header).id]


def split_episode(store: Path, episode_id: str | None) -> tuple[Path, str]:
    """The store and the id of STORE ID or STORE/ID.

    Raises:
        UsageError: there is no id.
    """
    root, ids = split_store(store, [] if episode_id is None else [episode_id])
    if not ids:
        raise UsageError(f"{store}: which episode?", hint="STORE ID, or STORE/ID")
    return root, ids[0]
