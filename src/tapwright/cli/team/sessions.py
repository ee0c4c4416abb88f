"""`tapwright team sessions`: where members are signed in, and to sign them out there."""

from datetime import UTC, datetime

import click

from tapwright.cli.output import Format, list_format_option, print_rows
from tapwright.cli.team.options import open_team, team_option
from tapwright.errors import NothingFoundError


@click.command(
    epilog="\b\nExamples:\n  tapwright team sessions\n  tapwright team sessions --end 3f0c91d2ab47"
)
@click.option("--end", "ends", multiple=True, metavar="ID", help="Sign out there; repeatable.")
@list_format_option
@team_option
def sessions(ends: tuple[str, ...], format_: Format, url: str) -> None:
    """List the browsers in which members are signed in, the latest of each first.

    A session ends by itself two weeks after signing in. `tapwright team rotate NAME` ends all
    sessions of a member, and replaces the token.
    """
    accounts = open_team(url).accounts
    for id_ in ends:
        accounts.end_session(id_)
    rows = [
        {"session": one.id, "name": one.name, "since": _time(one.since), "until": _time(one.until)}
        for one in accounts.sessions()
    ]
    if not rows and not ends:
        raise NothingFoundError("nobody is signed in")
    print_rows(rows, format_, key="session")


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="minutes")
