"""`tapwright doctor`: what this machine has, and how to mend what is missing."""

import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version

import click

from tapwright.cli.host import read_host
from tapwright.cli.output import Cell, Format, format_option, print_rows
from tapwright.devices.errors import AdbServerError, DeviceOfflineError
from tapwright.errors import MissingExtraError, TapwrightError

_NEEDED = ("python", "chromium", "fonts")
_CHECKS = (*_NEEDED, "adb", "phones", "video")


@click.command(epilog="\b\nExample:\n  tapwright doctor --check chromium")
@click.option("--check", type=click.Choice(_CHECKS), help="Check this alone.")
@format_option
def doctor(check: str | None, format_: Format) -> None:
    """Check what this machine has, and say what to mend.

    Ends with 1 when something that the built-in phone needs is missing, or what --check names.
    adb and phones are for real phones and emulators, video is for their live picture.
    """
    rows = [_look(name) for name in (_CHECKS if check is None else (check,))]
    print_rows(rows, format_, key="check")
    needed = _NEEDED if check is None else (check,)
    if not all(row["ok"] for row in rows if row["check"] in needed):
        sys.exit(1)


def _look(name: str) -> dict[str, Cell]:
    try:
        found = _LOOKS[name]()
    except TapwrightError as error:
        return {"check": name, "ok": False, "found": str(error), "way_out": error.hint}
    return {"check": name, "ok": True, "found": found, "way_out": ""}


def _python() -> str:
    return f"{sys.version.split()[0]}, tapwright {version('tapwright')}"


def _chromium() -> str:
    from tapwright.devices.chromium import find_chromium

    return str(read_host().chromium_path() or find_chromium())


def _fonts() -> str:
    from tapwright.drawing.text import find_font

    return f"{find_font('A').name}, and for Chinese {find_font('中').name}"


def _adb() -> str:
    from tapwright.devices.adb.client import find_adb, program_version

    client = read_host().adb_client()
    program = find_adb(client.program)
    version = program_version(program)
    serving = f"1.0.{client.check_version()}"
    if serving != version:
        raise AdbServerError(
            f"{program} is {version} and {client} is {serving}: each use of the one ends the other",
            hint=f"adb kill-server, and use one adb everywhere: TAPWRIGHT_ADB={program}",
        )
    return f"{program} {version}, {client}"


def _phones() -> str:
    from tapwright.devices.adb.health import look_at_all

    phones = look_at_all(read_host().adb_client())
    told = "; ".join(f"{one.serial}: {one.state}" for one in phones)
    ill = [one for one in phones if one.way_out]
    if ill:
        ways_out = "; ".join(f"{one.serial}: {one.way_out}" for one in ill)
        raise DeviceOfflineError(told, hint=ways_out)
    return told or "none is connected"


def _video() -> str:
    try:
        return f"PyAV {version('av')}"
    except PackageNotFoundError as error:
        raise MissingExtraError("the live picture", "video") from error


_LOOKS: Mapping[str, Callable[[], str]] = {
    "python": _python,
    "chromium": _chromium,
    "fonts": _fonts,
    "adb": _adb,
    "phones": _phones,
    "video": _video,
}
