"""`tapwright sites`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "ls": ("tapwright.cli.sites.ls:ls", "List sites, and which are installed"),
    "install": ("tapwright.cli.sites.install:install", "Install sites"),
    "start": ("tapwright.cli.sites.start:start", "Serve sites until Ctrl+C"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def sites() -> None:
    """Install and start real web applications, filled with examples; no network is used."""
