"""The programs of this machine that serve WebDriver, and their versions."""

import re
import shutil
import subprocess

from tapwright.devices.errors import WEB_DRIVER_SERVER

__all__ = ["server_programs"]

_PROGRAMS = ("chromedriver", "appium")
_LIMIT_S = 30.0
_HINT = (
    "for browsers: apt-get install chromium-driver; for phones and desktops: npm install --global "
    "appium, then appium driver install xcuitest, uiautomator2, mac2 or windows"
)


def server_programs() -> list[str]:
    """Each program that is there, with its version: "chromedriver 156.0.8078.79".

    Raises:
        DeviceError: there is none.
    """
    found = []
    for name in _PROGRAMS:
        program = shutil.which(name)
        if program is not None:
            found.append(f"{name} {_version(program)}")
    if not found:
        raise WEB_DRIVER_SERVER("neither chromedriver nor Appium is installed here", hint=_HINT)
    return found


def _version(program: str) -> str:
    try:
        run = subprocess.run(
            [program, "--version"], capture_output=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WEB_DRIVER_SERVER(f"{program} does not tell its version: {error}") from error
    version = re.search(rb"\d+(\.\d+)+", run.stdout)
    if run.returncode or version is None:
        said = (run.stderr or run.stdout).decode("utf-8", "replace").strip()[:200]
        raise WEB_DRIVER_SERVER(f"{program} does not tell its version: {said!r}")
    return version[0].decode()
