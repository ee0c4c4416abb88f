"""`tapwright team remove`: remove a member."""

from typing import TYPE_CHECKING

import click

from tapwright.cli.team.options import open_team, team_option

if TYPE_CHECKING:
    pass


@click.command()
@click.argument("name")
@team_option
def remove(name: str, url: str) -> None:
    """Remove member NAME. Their recordings stay theirs; their open items return to the queue."""
    open_team(url).accounts.remove(name)
