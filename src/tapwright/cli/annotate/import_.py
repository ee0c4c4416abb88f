"""`tapwright annotate import`: a react.json as annotations."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.output import print_message
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore


@click.command(
    name="import",
    epilog="\b\nExample:\n  tapwright annotate import episodes notes-1 react.json --as anna",
)
@store_argument
@click.argument("episode_id", metavar="ID")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--as", "name", required=True, help="The annotator's name.")
def import_(store: Path, episode_id: str, file: Path, name: str) -> None:
    """Import the react.json FILE as annotations of the episode ID.

    It is checked against the recording like a model's answer. A step that fails the checks is
    reported and not imported; the command then ends with 1.
    """
    from tapwright.annotate.react_json import read_react
    from tapwright.annotate.run import write_annotations

    episode = EpisodeStore(store).read(episode_id)
    annotations = read_react(episode, file)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    write_annotations(
        store / directory_name(episode_id), episode, annotations, name, "react.json", now
    )
    rejected = [one for one in annotations if one.codes]
    for one in rejected:
        print_message(f"{episode_id}, step {one.step}: {', '.join(one.codes)}")
    print_message(f"{len(annotations) - len(rejected)} of {len(annotations)} steps")
    sys.exit(1 if rejected else 0)
