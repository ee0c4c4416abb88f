"""`tapwright team withdraw`: items out of the queue."""

import click

from tapwright.cli.team.options import open_team, team_option


@click.command()
@click.argument("items", nargs=-1, required=True, type=click.IntRange(1, 2**31 - 1))
@team_option
def withdraw(items: tuple[int, ...], url: str) -> None:
    """Withdraw ITEMS from the queue; whoever holds one may complete it."""
    queue = open_team(url).queue
    for item in items:
        queue.withdraw(item)
