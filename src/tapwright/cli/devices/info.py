"""`tapwright devices info`: the properties of a device."""

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import device_option
from tapwright.cli.output import Format, format_option, print_record
from tapwright.workflows.devices import open_device


@click.command()
@device_option
@format_option
def info(device: str, format_: Format) -> None:
    """Open a device and show its name, screen, foreground app and apps."""
    with open_device(device, read_host()) as opened:
        opened.reset()
        observation = opened.observe()
        record = {
            "device": opened.name,
            "size": str(observation.size),
            "orientation": observation.orientation,
            "app": observation.app,
            "elements": len(observation.ui_tree.nodes) if observation.ui_tree else 0,
            "apps": ", ".join(opened.apps()),
        }
    print_record(record, format_, key="device")
