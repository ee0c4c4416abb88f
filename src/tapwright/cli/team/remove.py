"""`tapwright team remove`: remove a member."""

import click

from tapwright.cli.team.options import open_team, team_option


@click.command()
@click.argument("name")
@team_option
def remove(name: str, url: str) -> None:
    """Remove member NAME. Their recordings stay theirs; their open items return to the queue."""
    open_team(url).accounts.remove(name)
