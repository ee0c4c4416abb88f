"""`tapwright team`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "add": ("tapwright.cli.team.add:add", "Add a member, and print their token"),
    "agree": (
        "tapwright.cli.team.agree:agree",
        "Measure the agreement of people who recorded the same tasks",
    ),
    "assign": ("tapwright.cli.team.assign:assign", "Append tasks to the queue"),
    "backup": ("tapwright.cli.team.backup:backup", "Write accounts and queue to a file"),
    "ls": ("tapwright.cli.team.ls:ls", "List the members"),
    "migrate": ("tapwright.cli.team.migrate:migrate", "Copy the team into another database"),
    "progress": ("tapwright.cli.team.progress:progress", "List the queue"),
    "remove": ("tapwright.cli.team.remove:remove", "Remove a member"),
    "reopen": ("tapwright.cli.team.reopen:reopen", "Ask for a member's recordings again"),
    "restore": ("tapwright.cli.team.restore:restore", "Read a backup into a new database"),
    "role": ("tapwright.cli.team.role:role", "Change a member's role"),
    "rotate": ("tapwright.cli.team.rotate:rotate", "Replace the token of a member"),
    "sessions": ("tapwright.cli.team.sessions:sessions", "List and end members' sessions"),
    "withdraw": ("tapwright.cli.team.withdraw:withdraw", "Withdraw items from the queue"),
}


@click.group(
    name="team",
    cls=LazyGroup,
    table=_COMMANDS,
    epilog="\b\nExample:\n"
    "  tapwright team add anna --role admin\n"
    "  tapwright team assign --suite phone --copies 2\n"
    "  tapwright serve --team sqlite:///team.db",
)
def team() -> None:
    """Manage a team's accounts, and the queue of what they record."""
