"""`tapwright team backup`: accounts and queue as one file."""

from pathlib import Path

import click

from tapwright.cli.output import print_line
from tapwright.cli.team.options import open_team, team_option
from tapwright.errors import NothingFoundError


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright team backup team-2026-11-23.jsonl\n"
    "  tapwright team restore team-2026-11-23.jsonl --team sqlite:///new.db"
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@team_option
def backup(file: Path, url: str) -> None:
    """Write the team's accounts, queue and claims to FILE, while the server runs or not.

    The file has the hashes of tokens and no token. Recordings are directories of their own: copy
    the store as well.
    """
    from tapwright.web.team.backup import read_team, write_backup

    opened = open_team(url)
    rows = read_team(opened.database)
    if not rows:
        raise NothingFoundError(f"{opened.database} has no team", hint="check --team")
    write_backup(rows, file)
    print_line(f"{file}: {len(rows)} rows")
