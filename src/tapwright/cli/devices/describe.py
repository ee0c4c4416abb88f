"""`tapwright devices describe`: what a task can be written on."""

import click

from tapwright.cli.host import read_host
from tapwright.cli.output import Cell, Format, format_option, print_rows
from tapwright.errors import UsageError
from tapwright.workflows.devices import open_device


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright devices describe phone\n"
    "  tapwright devices describe phone --app shop --format json"
)
@click.argument("device", metavar="DEVICE")
@click.option("--app", "apps", multiple=True, help="Only this app; repeatable.")
@format_option
def describe(device: str, apps: tuple[str, ...], format_: Format) -> None:
    """List what the apps of the built-in phone log, keep and show.

    A task is written on these: the tag and the message of each log line, with … for what varies;
    the paths of the apps' state, with the value after a reset; the ids of the elements.
    """
    from tapwright.devices.phone.description import describe_apps, describe_state
    from tapwright.devices.phone.device import Phone

    with open_device(device, read_host()) as opened:
        if not isinstance(opened, Phone):
            raise UsageError(
                f"{opened.name} tells nothing of its apps; only the built-in phone does",
                hint="tapwright devices shot shows what is on its screen",
            )
        opened.reset()
        found = [*describe_apps(), *describe_state(opened.state(""))]
    names = sorted({one.app for one in found})
    unknown = [app for app in apps if app not in names]
    if unknown:
        raise UsageError(f"the phone has no app {unknown[0]!r}", hint=", ".join(names))
    rows: list[dict[str, Cell]] = [
        {"app": one.app, "kind": one.kind, "name": one.name, "example": one.example}
        for one in found
        if not apps or one.app in apps
    ]
    print_rows(rows, format_, key="name")
