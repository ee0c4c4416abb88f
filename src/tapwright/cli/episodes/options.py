"""Options and arguments that several commands on episodes share."""

from pathlib import Path

import click

from tapwright.cli.local_copies import fetch_episodes
from tapwright.cli.options import option
from tapwright.errors import UsageError

width_option = option(
    "--width", "width_px", type=click.IntRange(80, 4096), default=540, help="Width in pixels."
)

version_option = option(
    "--version",
    type=click.IntRange(1),
    metavar="N",
    help="Only while version N is current, so that a repeated command does nothing more.",
)


def split_store(store: Path, ids: "tuple[str, ...] | list[str]") -> tuple[Path, list[str]]:
    """The store and the ids of STORE ID… or STORE/ID."""
    from tapwright.store.addresses import split_address

    if ids or (store.is_dir() and not (store / "episode.json").exists()):
        return store, list(ids)
    root, id_ = split_address(store)
    return root, [id_]


def split_episode(store: Path, episode_id: str | None) -> tuple[Path, str]:
    """The store and the id of STORE ID or STORE/ID.

    Raises:
        UsageError: there is no id.
    """
    root, ids = split_store(store, [] if episode_id is None else [episode_id])
    if not ids:
        raise UsageError(f"{store}: which episode?", hint="STORE ID, or STORE/ID")
    fetch_episodes(root, ids)
    return root, ids[0]
