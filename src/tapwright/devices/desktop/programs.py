"""The programs that a desktop consists of, and the Debian packages that they come from."""

import os
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from tapwright.devices.errors import DESKTOP_MISSING
from tapwright.errors import MissingExtraError

__all__ = [
    "INSTALL", "INSTALL_OFFICE", "OFFICE_PACKAGES", "PACKAGES", "check_programs", "find_programs",
    "missing_office", "missing_packages",
]  # fmt: skip

_SERVERS: Mapping[str, str] = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "xhost": "x11-xserver-utils",
    "dbus-daemon": "dbus",
    "xclip": "xclip",
    "at-spi-bus-launcher": "at-spi2-core",
}
"""The programs without which there is no desktop -> the package that has each."""
_APPLICATIONS: Mapping[str, str] = {
    "mousepad": "mousepad",
    "galculator": "galculator",
    "pcmanfm": "pcmanfm",
    "lxterminal": "lxterminal",
}
_OFFICE: Mapping[str, str] = {"localc": "libreoffice-calc", "lowriter": "libreoffice-writer"}

PACKAGES = (*_SERVERS.values(), *_APPLICATIONS.values(), "libatk-adaptor")
"""What Debian has for the desktop and its small applications; the last is for those of GTK 2."""
OFFICE_PACKAGES = (*_OFFICE.values(), "libreoffice-gtk3")
"""What Debian has for the spreadsheet and the word processor, 400 MB more."""
INSTALL = f"apt-get install --no-install-recommends {' '.join(PACKAGES)}"
"""The command that installs the desktop, for root."""
INSTALL_OFFICE = f"apt-get install --no-install-recommends {' '.join(OFFICE_PACKAGES)}"
"""The command that installs the spreadsheet and the word processor, for root."""

# Debian keeps it off the path, and other distributions elsewhere.
_LIBRARY_FOLDERS = ("/usr/libexec", "/usr/lib/at-spi2-core", "/usr/lib/at-spi2")


def find_programs() -> dict[str, Path]:
    """Where each server of the desktop is: "Xvfb" -> /usr/bin/Xvfb.

    Raises:
        DeviceError: some are not installed; the hint has the command that installs them.
        MissingExtraError: the Python packages of the extra `desktop` are not.
    """
    if find_spec("Xlib") is None or find_spec("dbus_fast") is None:
        raise MissingExtraError("the desktop", "desktop")
    found = {name: _find(name) for name in _SERVERS}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        raise DESKTOP_MISSING(
            f"the desktop needs programs that are not installed: {', '.join(missing)}",
            hint=f"as root on Debian: tapwright doctor --fix desktop; or {INSTALL}",
        )
    return {name: path for name, path in found.items() if path is not None}


def missing_packages() -> list[str]:
    """The packages of `PACKAGES` whose program is not installed here, in their order."""
    programs = {**_SERVERS, **_APPLICATIONS}
    return [package for name, package in programs.items() if _find(name) is None]


def missing_office() -> list[str]:
    """The packages of the spreadsheet and the word processor that are not installed here."""
    return [package for name, package in _OFFICE.items() if _find(name) is None]


def check_programs() -> str:
    """What a desktop here has, in words; raises what `find_programs` raises."""
    find_programs()
    lacking = [*missing_packages(), *missing_office()]
    return "Xvfb and applications" + (f", without {', '.join(lacking)}" if lacking else "")


def _find(name: str) -> Path | None:
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *_LIBRARY_FOLDERS))
    found = shutil.which(name, path=path)
    return None if found is None else Path(found)
