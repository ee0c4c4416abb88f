"""`tapwright team role`: a member's role."""

from typing import TYPE_CHECKING

import click

from tapwright.cli.team.options import ROLES, open_team, team_option

if TYPE_CHECKING:
    from tapwright.web.auth import Role


@click.command()
@click.argument("name")
@click.argument("role", type=ROLES)
@team_option
def role(name: str, role: "Role", url: str) -> None:
    """Change the role of NAME to ROLE."""
    open_team(url).accounts.set_role(name, role)
