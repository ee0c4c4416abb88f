"""`tapwright team restore`: a backup into a new database."""

from pathlib import Path

import click

from tapwright.cli.output import hint, print_line
from tapwright.cli.team.options import open_team, team_option
from tapwright.errors import quote_path


@click.command(
    epilog="\b\nExample:\n  tapwright team restore team-2026-11-23.jsonl --team sqlite:///new.db"
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@team_option
def restore(file: Path, url: str) -> None:
    """Read FILE, a backup, into a database that has no team yet.

    The whole file is checked before the database is made or touched. Members keep their tokens
    and sign in again.
    """
    from tapwright.web.team.backup import read_backup, write_team

    rows = read_backup(file)
    database = open_team(url).database
    write_team(rows, database)
    print_line(f"{database}: {len(rows)} rows")
    hint(f"tapwright serve --team {quote_path(str(database))}")
