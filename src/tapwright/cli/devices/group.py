"""`tapwright devices`: its commands."""

from pathlib import Path

import click

from tapwright.cli import output
from tapwright.cli.host import read_host
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import PATH, device_option, out_option
from tapwright.devices.errors import AdbMissingError
from tapwright.errors import DeviceError, UsageError
from tapwright.files.atomic import write_atomically

_COMMANDS = {
    "clipboard": "Read or set a device's clipboard",
    "describe": "List what the built-in phone's apps log, keep and show",
    "film": "Film a device's screen",
    "info": "Show the properties of a device",
    "ls": "List what --device takes",
    "serve": "Serve devices to other machines",
    "shot": "Save a screenshot and its view hierarchy",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def devices() -> None:
    """List devices, inspect one, film it, use its clipboard, serve some to other machines."""


@click.command(epilog="\b\nExample:\n  tapwright devices ls --format json")
@output.list_format_option
def ls(format_: output.Format) -> None:
    """List what --device takes: the kinds of devices, and the phones connected over adb.

    A phone that cannot be used is listed, too, with its state and how to fix it.
    """
    from tapwright.devices import devices as registry

    about = {
        "adb": "an Android phone or emulator over adb (adb:SERIAL@HOST:PORT)",
        "desktop": "a Linux desktop with applications (desktop:1920x1080, desktop:vnc://HOST)",
        "fake": "scripted screens in memory, for tests and tutorials",
        "miniwob": "the pages of MiniWoB++ (miniwob:click-test,x2)",
        "osworld": "a desktop of OSWorld's server (osworld:URL)",
        "phone": "the built-in phone: eight apps in Chromium (phone:1080x2400)",
        "remote": "a device of another machine (remote:ws://HOST:8790/NAME)",
        "replay": "a recorded episode served as a device (replay:STORE/ID)",
        "sites": "installed web applications in a browser (sites:trac,oscar,1440x900)",
        "web": "any web page in Chromium (web:https://example.org,1280x800)",
        "webdriver": "phones, computers and browsers of a WebDriver server (webdriver:URL,FILE)",
    }
    rows: list[dict[str, output.Cell]] = [
        {"device": name, "what": about.get(name, "from a plug-in"), "state": "", "way_out": ""}
        for name in registry.names()
    ]
    rows += _list_phones()
    output.print_rows(rows, format_, key="device")


def _list_phones() -> list[dict[str, output.Cell]]:
    """A row for each phone that adb knows; none where there is no adb."""
    from tapwright.devices.adb.health import check_phones

    try:
        phones = check_phones(read_host().adb_client())
    except AdbMissingError:
        return []  # doctor reports it, and most need none
    except DeviceError as error:
        output.hint(f"phones over adb: {error}; {error.hint}")
        return []
    return [
        {
            "device": f"adb:{one.serial}",
            "what": one.model,
            "state": one.state,
            "way_out": one.way_out,
        }
        for one in phones
    ]


@click.command()
@device_option
@output.format_option
def info(device: str, format_: output.Format) -> None:
    """Open a device and show its name, screen, foreground app and apps."""
    from tapwright.workflows.devices import open_device

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
    output.print_record(record, format_, key="device")


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright devices describe phone\n"
    "  tapwright devices describe phone --app shop --format json"
)
@click.argument("device", metavar="DEVICE")
@click.option("--app", "apps", multiple=True, help="Only this app; repeatable.")
@output.format_option
def describe(device: str, apps: tuple[str, ...], format_: output.Format) -> None:
    """List what the apps of the built-in phone log, keep and show.

    A task is written on these: the tag and the message of each log line, with … for what varies;
    the paths of the apps' state, with the value after a reset; the ids of the elements.
    """
    from tapwright.devices.phone.description import describe_apps, describe_state
    from tapwright.devices.phone.device import Phone
    from tapwright.workflows.devices import open_device

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
    rows: list[dict[str, output.Cell]] = [
        {"app": one.app, "kind": one.kind, "name": one.name, "example": one.example}
        for one in found
        if not apps or one.app in apps
    ]
    output.print_rows(rows, format_, key="name")


@click.command(epilog="\b\nExample:\n  tapwright devices shot --device phone --app notes -o shot")
@device_option
@click.option("--app", default="", help="Open this app first.")
@click.option("--language", help="The language to set; by default the device's own.")
@out_option("The output path, without an extension.", kind=PATH, default="shot")
def shot(device: str, app: str, language: str | None, out: Path) -> None:
    """Save a screenshot and the view hierarchy of the same moment."""
    from tapwright.workflows.devices import open_device

    if not out.name:
        raise UsageError(f"{out} is not a file name", hint=f"-o {out / 'shot'}")
    with open_device(device, read_host()) as opened:
        if language is None:
            opened.reset(app=app)
        else:
            opened.reset(app=app, language=language)
        observation = opened.observe()
    _write(out.with_suffix(f".{observation.screenshot.extension}"), observation.screenshot.data)
    if observation.ui_tree is not None:
        _write(out.with_suffix(".xml"), observation.ui_tree.xml.encode("utf-8", "surrogatepass"))
    else:
        output.hint(f"{device} has no view hierarchy, so only a picture was saved")


def _write(path: Path, data: bytes) -> None:
    write_atomically(path, data)
    output.print_line(path)


@click.command(
    epilog="\b\nExamples:\n  tapwright devices clipboard --device adb\n"
    "  tapwright devices clipboard --device adb --set 'See you at 8'"
)
@device_option
@click.option("--set", "text", metavar="TEXT", help="Set the clipboard to this text.")
def clipboard(device: str, text: str | None) -> None:
    """Print a device's clipboard, or set it.

    A phone over adb needs uiautomator2's service running on it.
    """
    from tapwright.devices.device import ClipboardDevice
    from tapwright.workflows.devices import open_device

    with open_device(device, read_host()) as opened:
        if not isinstance(opened, ClipboardDevice):
            raise UsageError(
                f"{opened.name} has no accessible clipboard",
                hint="a phone over adb has one: --device adb; elsewhere type the text",
            )
        if text is None:
            output.print_data(f"{opened.clipboard()}\n")
        else:
            opened.set_clipboard(text)
