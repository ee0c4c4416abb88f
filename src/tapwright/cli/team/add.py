"""`tapwright team add`: a new member with a token."""

from typing import TYPE_CHECKING

import click

from tapwright.cli.output import hint, print_line
from tapwright.cli.team.options import ROLES, open_team, team_option
from tapwright.errors import quote_path

if TYPE_CHECKING:
    from tapwright.web.auth import Role


@click.command()
@click.argument("name")
@click.option(
    "--role", type=ROLES, default="annotator", show_default=True, help="What the account may do."
)
@team_option
def add(name: str, role: "Role", url: str) -> None:
    """Add member NAME, and print the token that they sign in with.

    The token is printed only once: its hash is stored. An annotator records, a reviewer also edits
    and reviews, an admin also manages the team.
    """
    opened = open_team(url)
    print_line(opened.accounts.add(name, role))
    served = f"tapwright serve --team {quote_path(str(opened.database))}"
    hint(f"give it to {name}, who signs in with it to: {served}")
