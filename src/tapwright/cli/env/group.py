"""`tapwright env`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "serve": ("tapwright.cli.env.serve:serve", "Serve a suite of tasks as an OpenEnv environment"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def env() -> None:
    """Serve tasks on devices to trainers."""
