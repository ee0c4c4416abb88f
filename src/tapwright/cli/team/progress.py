"""`tapwright team progress`: the state of the queue."""

import click

from tapwright.cli.output import Cell, Format, list_format_option, print_rows
from tapwright.cli.team.options import open_team, team_option
from tapwright.errors import NothingFoundError


@click.command()
@list_format_option
@team_option
def progress(format_: Format, url: str) -> None:
    """List the queue: items done, held, lapsed and waiting."""
    rows: list[dict[str, Cell]] = [
        {
            "item": one.item,
            "suite": one.suite,
            "task": one.task,
            "copies": one.copies,
            "only": one.only,
            "done": ", ".join(name for name, _ in one.done),
            "held": ", ".join(one.held),
            "lapsed": ", ".join(one.lapsed),
            "waiting": one.waiting,
        }
        for one in open_team(url).queue.items()
    ]
    if not rows:
        raise NothingFoundError("the queue is empty", hint="tapwright team assign --suite phone")
    print_rows(rows, format_, key="item")
