"""`tapwright team ls`: the members."""

import click

from tapwright.cli.output import Cell, Format, list_format_option, print_rows
from tapwright.cli.team.options import open_team, team_option
from tapwright.errors import NothingFoundError


@click.command()
@list_format_option
@team_option
def ls(format_: Format, url: str) -> None:
    """List the members of the team, and how much they recorded."""
    opened = open_team(url)
    works = {work.name: work for work in opened.queue.members()}
    rows: list[dict[str, Cell]] = []
    for one in opened.accounts.members():
        work = works.get(one.name)
        rows.append(
            {
                "name": one.name,
                "role": one.role,
                "done": work.done if work else 0,
                "held": work.held if work else 0,
                "lapsed": work.lapsed if work else 0,
            }
        )
    if not rows:
        raise NothingFoundError("the team has no members", hint="tapwright team add NAME")
    print_rows(rows, format_, key="name")
