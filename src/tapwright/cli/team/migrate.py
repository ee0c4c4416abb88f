"""`tapwright team migrate`: the team into another database."""

import click

from tapwright.cli.output import hint, print_line
from tapwright.cli.team.options import open_team, team_option
from tapwright.errors import NothingFoundError, quote_path


@click.command(
    epilog="\b\nExample:\n"
    "  tapwright team migrate postgresql://tapwright@db.example.org/tapwright --team sqlite:///team.db"
)
@click.argument("to")
@team_option
def migrate(to: str, url: str) -> None:
    """Copy accounts, queue and claims into the database TO, which has no team yet.

    Stop the server first: what it writes meanwhile is not copied. The old database stays as it is.
    """
    from tapwright.web.team.backup import read_team, write_team

    opened = open_team(url)
    rows = read_team(opened.database)
    if not rows:
        raise NothingFoundError(f"{opened.database} has no team", hint="check --team")
    database = open_team(to).database
    write_team(rows, database)
    print_line(f"{database}: {len(rows)} rows")
    hint(f"tapwright serve --team {quote_path(str(database))}")
