"""`tapwright episodes show`: the steps of one episode."""

from pathlib import Path

import click

from tapwright.actions import describe
from tapwright.cli.options import store_argument
from tapwright.cli.output import Cell, Format, format_option, print_rows
from tapwright.store.store import EpisodeStore


@click.command()
@store_argument
@click.argument("episode_id", metavar="ID")
@format_option
def show(store: Path, episode_id: str, format_: Format) -> None:
    """Show the steps of one episode as a table. Steps count from 0, as in edits."""
    episode = EpisodeStore(store).read(episode_id)
    rows: list[dict[str, Cell]] = [
        {
            "step": number,
            "app": step.observation.app.rpartition(".")[2],
            "action": describe(step.decision.action),
            "target": step.decision.target,
            "reward": step.reward,
            "instructions": " / ".join(step.instructions),
            "reasoning": step.decision.reasoning,
        }
        for number, step in enumerate(episode.steps)
    ]
    print_rows(rows, format_, key="step")
