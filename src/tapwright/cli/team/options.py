"""The team's database as an option."""

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from tapwright.web.team.team import Team


F = TypeVar("F", bound="Callable[..., Any]")


ROLES = click.Choice(["annotator", "reviewer", "admin"])


def team_option(command: F) -> F:
    """`--team URL`, also from the environment."""
    return click.option(
        "--team",
        "url",
        default="sqlite:///team.db",
        show_default=True,
        envvar="TAPWRIGHT_TEAM",
        show_envvar=True,
        metavar="URL",
        help="The team's database: sqlite:///FILE or postgresql://USER@HOST/NAME.",
    )(command)


def open_team(url: str) -> "Team":
    """The team of a database."""
    from tapwright.web.team.team import Team

    return Team(url)
