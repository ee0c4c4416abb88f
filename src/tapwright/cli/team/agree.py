"""`tapwright team agree`: how far people agree who recorded the same tasks."""

from pathlib import Path

import click

from tapwright.cli.output import Format, format_option, print_record
from tapwright.cli.team.options import open_team, team_option
from tapwright.errors import NothingFoundError


@click.command()
@click.argument("store", type=click.Path(path_type=Path, file_okay=False), default=Path("episodes"))
@format_option
@team_option
def agree(store: Path, format_: Format, url: str) -> None:
    """Measure the agreement of people who recorded the same tasks into STORE."""
    from tapwright.store.store import EpisodeStore
    from tapwright.web.team.overlap import measure_overlap

    shared = measure_overlap(open_team(url).queue.items(), EpisodeStore(store))
    if not shared.tasks:
        raise NothingFoundError(
            "no task was recorded by two people", hint="tapwright team assign --copies 2"
        )
    record = {
        "tasks": len(shared.tasks),
        "same_outcome": shared.same_outcome,
        "alpha_of_outcomes": shared.alpha,
        "same_way": shared.action_similarity,
        "missing_episodes": len(shared.missing),
    }
    print_record(record, format_, key="tasks")
