"""`tapwright devices ls`: what `--device` takes."""

import click

from tapwright.cli.host import read_host
from tapwright.cli.output import Cell, Format, hint, list_format_option, print_rows
from tapwright.devices.errors import AdbMissingError
from tapwright.errors import DeviceError


@click.command(epilog="\b\nExample:\n  tapwright devices ls --format json")
@list_format_option
def ls(format_: Format) -> None:
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
    rows: list[dict[str, Cell]] = [
        {
            "device": name,
            "what": about.get(name, "from a plug-in"),
            "state": "",
            "way_out": "",
        }
        for name in registry.names()
    ]
    rows += _list_phones()
    print_rows(rows, format_, key="device")


def _list_phones() -> list[dict[str, Cell]]:
    """A row for each phone that adb knows; none where there is no adb."""
    from tapwright.devices.adb.health import check_phones

    try:
        phones = check_phones(read_host().adb_client())
    except AdbMissingError:
        return []  # doctor reports it, and most need none
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
