"""`tapwright tasks`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "ls": ("tapwright.cli.tasks.ls:ls", "List the tasks of a suite, or of definition files"),
    "show": (
        "tapwright.cli.tasks.show:show",
        "Show one task: instruction, setup, check and solution",
    ),
    "init-conf": (
        "tapwright.cli.tasks.init_conf:init_conf",
        "Write a conf file to fill in for a template",
    ),
    "expand": ("tapwright.cli.tasks.expand:expand", "Expand templates into task definitions"),
    "judge": (
        "tapwright.cli.tasks.judge:judge",
        "Judge a recorded episode by events or milestones",
    ),
    "check": ("tapwright.cli.tasks.check:check", "Find defects in definitions and templates"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def tasks() -> None:
    """List, show, expand, check and judge tasks."""
