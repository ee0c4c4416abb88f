"""`tapwright suites`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "ls": ("tapwright.cli.suites.ls:ls", "List suites, what they need, and which are installed"),
    "install": ("tapwright.cli.suites.install:install", "Install a suite in an environment"),
    "check": ("tapwright.cli.suites.check:check", "Start a suite, and list or set up its tasks"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def suites() -> None:
    """Suites with harnesses of their own, each in a Python environment of its own.

    `tapwright eval run NAME` plays one: the suite sets tasks up and judges them.
    """
