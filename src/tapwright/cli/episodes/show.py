"""`tapwright episodes show`: the steps of one episode."""

from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.episodes.options import split_episode
from tapwright.cli.output import Cell, Format, format_option, print_rows
from tapwright.core.episode import describe_actions
from tapwright.store.store import EpisodeStore


@click.command()
@store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@format_option
def show(store: Path, episode_id: str | None, format_: Format) -> None:
    """Show the steps of one episode as a table. Steps count from 0, as in edits.

    STORE ID may also be written STORE/ID.
    """
    root, id_ = split_episode(store, episode_id)
    episode = EpisodeStore(root).read(id_)
    rows: list[dict[str, Cell]] = [
        {
            "step": number,
            "app": step.observation.app.rpartition(".")[2],
            "action": describe_actions(step.decision.actions),
            "target": step.decision.target,
            "reward": step.reward,
            "instructions": " / ".join(step.instructions),
            "step_instruction": step.step_instruction,
            "reasoning": step.decision.reasoning,
        }
        for number, step in enumerate(episode.steps)
    ]
    print_rows(rows, format_, key="step")
