"""`tapwright episodes show`: the steps of one episode."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.directories import open_store
from tapwright.cli.episodes.options import read_pickle, split_episode, store_or_pickle_argument
from tapwright.cli.output import Cell, Format, format_option, print_message, print_rows
from tapwright.cli.selecting import exit_if_unreadable

if TYPE_CHECKING:
    from tapwright.core.episode import Episode


@click.command()
@store_or_pickle_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@format_option
def show(store: Path, episode_id: str | None, format_: Format) -> None:
    """Show the steps of one episode as a table. Steps count from 0, as in edits.

    STORE ID may also be written STORE/ID. Of a PICKLE of Mobile-Env the records of each trajectory
    are shown, or of the one whose number, from 0, is ID; record 0 is the head, as in edits.
    """
    from tapwright.core.episode import describe_actions

    if store.is_file():
        trajectories, readable = read_pickle(store, (episode_id,) if episode_id else ())
        print_rows(_show_records(trajectories), format_, key="record")
        exit_if_unreadable(readable)
        return
    root, id_ = split_episode(store, episode_id)
    episode = open_store(root).read(id_)
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
    if episode.evidence:
        print_message(f"outcome: {episode.outcome}, {episode.evidence}")


def _show_records(trajectories: "Sequence[Episode]") -> list[dict[str, Cell]]:
    from tapwright.visualize.frames import describe_step

    rows: list[dict[str, Cell]] = []
    for one in trajectories:
        head: dict[str, Cell] = {"trajectory": one.id, "record": 0, "event": "head"}
        rows.append({**head, "reward": 0.0, "instructions": one.instruction})
        rows += [
            {
                "trajectory": one.id,
                "record": number,
                "event": describe_step(step),
                "reward": step.reward,
                "instructions": " / ".join(step.instructions),
            }
            for number, step in enumerate(one.steps, start=1)
        ]
    return rows
