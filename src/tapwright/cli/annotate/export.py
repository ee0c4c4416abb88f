"""`tapwright annotate export`: annotations as react.json."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from tapwright.cli.annotate.options import annotator_option
from tapwright.cli.directories import open_store, store_argument
from tapwright.cli.options import out_option
from tapwright.cli.output import print_failure, print_message
from tapwright.errors import StoreError
from tapwright.files.atomic import write_atomically
from tapwright.files.names import distinct_name, portable_name
from tapwright.store.errors import no_episodes
from tapwright.store.ids import directory_name


@click.command(
    epilog="\b\nExample:\n  tapwright annotate export episodes --with rules -o reasoning"
)
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@annotator_option
@click.option("--only", type=click.Choice(["approved"]), help="Only approved steps.")
@out_option(default="reasoning")
def export(
    store: Path, episode_ids: tuple[str, ...], annotator: str, only: str | None, out: Path
) -> None:
    """Write annotations of the episodes of STORE as MobiAgent's react.json.

    One directory for each episode, whose path is its id where that can be one, as MobiAgent's
    APP/TYPE/N; `episodes export --to mobiagent` writes actions.json beside it. Steps without
    annotation are left out; `action_index` is the step of an item. Ends with 1 when an episode has
    no annotations or broken ones.
    """
    from tapwright.annotate.react_json import encode_react, render_react
    from tapwright.annotate.review import apply_reviews, read_reviews
    from tapwright.store.annotations import apply_annotations, read_annotations

    episodes = open_store(store)
    written = failed = 0
    for id_ in episode_ids or episodes.ids():
        directory = store / directory_name(id_)
        try:
            episode = apply_annotations(episodes.read(id_), read_annotations(directory, annotator))
            left_out: Mapping[int, str] = {}
            if only:
                episode, left_out = apply_reviews(episode, read_reviews(directory, annotator))
        except StoreError as error:
            failed += 1
            print_failure(id_, error, error.code)
            continue
        items = render_react(episode, left_out=left_out)
        write_atomically(out / _folder(id_) / "react.json", encode_react(items))
        written += 1
    if not written and not failed:
        raise no_episodes(store)
    print_message(f"{written} written, {failed} failed")
    sys.exit(1 if failed else 0)


def _folder(id_: str) -> str:
    """The folder of an episode: its id where each part of that is a name, else a name like it."""
    parts = id_.split("/")
    return id_ if all(portable_name(part) == part for part in parts) else distinct_name(id_)
