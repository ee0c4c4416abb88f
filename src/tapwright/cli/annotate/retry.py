"""`tapwright annotate retry`: query again about steps without annotation."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from shlex import quote

import click

from tapwright.cli.annotate.options import annotator_options
from tapwright.cli.annotate.report import read_annotations_of, report_annotation
from tapwright.cli.directories import store_argument
from tapwright.cli.host import read_host
from tapwright.cli.output import show_progress
from tapwright.errors import NothingFoundError, quote_path
from tapwright.store.store import EpisodeStore
from tapwright.workflows.annotate import annotate_episodes
from tapwright.workflows.annotators import AnnotatorConfig
from tapwright.workflows.episodes import select_episodes


@click.command(epilog="\b\nExample:\n  tapwright annotate retry episodes -m openai/name")
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@annotator_options
def retry(store: Path, episode_ids: tuple[str, ...], config: AnnotatorConfig) -> None:
    """Query again, up to --reasks times, about the steps of STORE without annotation.

    Give the other options as you gave them to `run`: others change the prompt, and then everything
    is queried again.
    """
    episodes = EpisodeStore(store)
    rejected = {
        id_: [one for one in read_annotations_of(store, id_, config.name) if one.codes]
        for id_ in select_episodes(episodes, episode_ids)
    }
    ids = [id_ for id_, steps in rejected.items() if steps]
    if not ids:
        raise NothingFoundError(
            f"{store}: {config.name} has no rejected steps in the episodes that it annotated",
            hint=f"for the others: tapwright annotate run {quote_path(store)} "
            f"--with {quote(config.name)}",
        )
    # Turns that took place are on disk, and cost nothing.
    queries = max(one.asked for steps in rejected.values() for one in steps)
    failures = asyncio.run(
        annotate_episodes(
            episodes,
            replace(config, reasks=config.reasks + queries),
            read_host(),
            ids,
            again=True,
            show_progress=show_progress,
        )
    )
    sys.exit(report_annotation(episodes, config.name, ids, failures))
