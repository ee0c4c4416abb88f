"""`tapwright devices`: which there are, and a look at one."""

from pathlib import Path

import click

from tapwright.cli.clipboard import clipboard
from tapwright.cli.film import film
from tapwright.cli.options import adb_client, device_option, open_device
from tapwright.cli.output import Cell, Format, format_option, hint, print_record, print_rows
from tapwright.cli.serve_devices import serve
from tapwright.devices.errors import AdbMissingError
from tapwright.errors import DeviceError, UsageError
from tapwright.files.atomic import write_atomically


@click.group()
def devices() -> None:
    """List devices, look at one, film it, read its clipboard, offer some to other machines."""


devices.add_command(clipboard)
devices.add_command(film)
devices.add_command(serve)


@devices.command(epilog="\b\nExample:\n  tapwright devices ls --format json")
@format_option
def ls(format_: Format) -> None:
    """List what --device takes: the kinds of devices, and the phones connected over adb.

    A phone that cannot be driven is listed, too, with what is wrong and the way out.
    """
    from tapwright.devices import devices as registry

    about = {
        "adb": "an Android phone or emulator over adb (adb:SERIAL@HOST:PORT)",
        "fake": "scripted screens in memory, for tests and tutorials",
        "miniwob": "the pages of MiniWoB++ (miniwob:click-test,x2)",
        "phone": "the built-in phone: eight apps in Chromium (phone:1080x2400)",
        "remote": "a device of another machine (remote:ws://HOST:8790/NAME)",
        "replay": "a recorded episode served as a device (replay:STORE/ID)",
    }
    rows: list[dict[str, Cell]] = [
        {
            "device": name,
            "what": about.get(name, "from a plug-in"),
            "state": "",
            "way_out": "",
        }
        for name in registry.names()
    ]
    rows += _connected()
    print_rows(rows, format_, key="device")


def _connected() -> list[dict[str, Cell]]:
    """A row for each phone that adb knows; none, and a word about it, where there is no adb."""
    from tapwright.devices.adb.health import check_phones

    try:
        phones = check_phones(adb_client())
    except AdbMissingError:
        return []  # doctor says so, and most need none
    except DeviceError as error:
        hint(f"phones over adb: {error}; {error.hint}")
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


@devices.command()
@device_option
@format_option
def info(device: str, format_: Format) -> None:
    """Open a device and tell its name, screen, app in front and apps."""
    with open_device(device) as opened:
        opened.reset()
        seen = opened.observe()
        record = {
            "device": opened.name,
            "size": str(seen.size),
            "orientation": seen.orientation,
            "app": seen.app,
            "elements": len(seen.ui_tree.nodes) if seen.ui_tree else 0,
            "apps": ", ".join(opened.apps()),
        }
    print_record(record, format_, key="device")


@devices.command(epilog="\b\nExample:\n  tapwright devices shot --device phone --app notes -o shot")
@device_option
@click.option("--app", default="", help="Bring this app to the front first.")
@click.option("--language", help="The language to set; without it the device's own.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("shot"),
    show_default=True,
    help="Where to write, without an extension.",
)
def shot(device: str, app: str, language: str | None, out: Path) -> None:
    """Save a screenshot and the view hierarchy of the same moment."""
    if not out.name:
        raise UsageError(f"{out} is no name for a file", hint=f"-o {out / 'shot'}")
    with open_device(device) as opened:
        if language is None:
            opened.reset(app=app)
        else:
            opened.reset(app=app, language=language)
        seen = opened.observe()
    _write(out.with_suffix(f".{seen.screenshot.extension}"), seen.screenshot.data)
    if seen.ui_tree is not None:
        _write(out.with_suffix(".xml"), seen.ui_tree.xml.encode("utf-8", "surrogatepass"))
    else:
        hint(f"{device} has no view hierarchy, so there is a picture only")


def _write(path: Path, data: bytes) -> None:
    write_atomically(path, data)
    click.echo(path)
