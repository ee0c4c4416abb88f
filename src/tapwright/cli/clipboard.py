"""`tapwright devices clipboard`: what is on a device's clipboard, or put a text there."""

import click

from tapwright.cli.options import device_option, open_device
from tapwright.errors import UsageError


@click.command(
    epilog="\b\nExamples:\n  tapwright devices clipboard --device adb\n"
    "  tapwright devices clipboard --device adb --set 'See you at 8'"
)
@device_option
@click.option("--set", "text", metavar="TEXT", help="Put this text there.")
def clipboard(device: str, text: str | None) -> None:
    """Print a device's clipboard, or put a text there.

    A phone over adb lets it be read and written while uiautomator2's service runs on it.
    """
    from tapwright.devices.device import ClipboardDevice

    with open_device(device) as opened:
        if not isinstance(opened, ClipboardDevice):
            raise UsageError(
                f"{opened.name} has no clipboard that can be reached",
                hint="a phone over adb has one: --device adb; elsewhere type the text",
            )
        if text is None:
            click.echo(opened.clipboard())
        else:
            opened.set_clipboard(text)
