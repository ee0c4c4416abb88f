"""`tapwright devices`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "clipboard": ("tapwright.cli.devices.clipboard:clipboard", "Read or set a device's clipboard"),
    "describe": (
        "tapwright.cli.devices.describe:describe",
        "List what the built-in phone's apps log, keep and show",
    ),
    "film": ("tapwright.cli.devices.film:film", "Film a device's screen"),
    "info": ("tapwright.cli.devices.info:info", "Show the properties of a device"),
    "ls": ("tapwright.cli.devices.ls:ls", "List what --device takes"),
    "serve": ("tapwright.cli.devices.serve:serve", "Serve devices to other machines"),
    "shot": ("tapwright.cli.devices.shot:shot", "Save a screenshot and its view hierarchy"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def devices() -> None:
    """List devices, inspect one, film it, use its clipboard, serve some to other machines."""
