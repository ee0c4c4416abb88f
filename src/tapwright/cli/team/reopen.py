"""`tapwright team reopen`: completed items back into the queue."""

import click

from tapwright.cli.team.options import open_team, team_option


@click.command(epilog="\b\nExample:\n  tapwright team reopen 3 4 --from anna")
@click.argument("items", nargs=-1, required=True, type=click.IntRange(1, 2**31 - 1))
@click.option("--from", "name", required=True, metavar="NAME", help="Who recorded them.")
@team_option
def reopen(items: tuple[int, ...], name: str, url: str) -> None:
    """Ask for NAME's recordings of ITEMS again, because they failed or were rejected.

    The recordings count no longer and stay in the store; the items return to the queue, for NAME or
    for anybody.
    """
    queue = open_team(url).queue
    for item in items:
        queue.reopen(item, name)
