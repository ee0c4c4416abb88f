"""What `tapwright doctor --fix` installs: Debian's packages, or Playwright's browser.

Python packages are not among it: the tool that made the environment (pip, uv, conda) installs them.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec

from tapwright.cli.errors import INSTALL
from tapwright.cli.output import print_message

_HEADLESS = "chromium-headless-shell"


def fix_chromium() -> None:
    """Install a Chromium: Playwright's, where the extra `browser` is, else Debian's.

    Raises:
        TapwrightError: neither could be installed; the hint has the lines.
    """
    if find_spec("playwright") is not None:
        print_message(f"playwright install {_HEADLESS}")
        done = _run([sys.executable, "-m", "playwright", "install", _HEADLESS])
        if not done.returncode:
            return
        print_message(f"Playwright could not download it: {_last_line(done)}")
    # Without root it runs in its sandbox, and where the kernel lends none, in this package's.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    install_debian([_HEADLESS] if is_root else [_HEADLESS, "chromium-sandbox"])


def fix_desktop() -> None:
    """Install what a desktop here lacks."""
    from tapwright.devices.desktop.programs import PACKAGES, missing_packages

    if missing_packages():
        install_debian(PACKAGES)


FIXES: Mapping[str, Callable[[], None]] = {
    "chromium": fix_chromium,
    "adb": lambda: install_debian(["adb"]),
    "webdriver": lambda: install_debian(["chromium-driver"]),
    "desktop": fix_desktop,
}


def install_debian(packages: Sequence[str]) -> None:
    """Install Debian packages, as root or by a sudo that asks for no password.

    Raises:
        TapwrightError: this user may not, this is no Debian, or it failed; the hint has the line.
    """
    names = " ".join(packages)
    line = f"apt-get install --no-install-recommends {names}"
    apt = shutil.which("apt-get")
    if apt is None:
        raise INSTALL(
            "there is no apt-get here, so nothing was installed",
            hint=f"install what Debian calls {names}",
        )
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if sudo and (shutil.which("sudo") is None or _run([*sudo, "true"]).returncode):
        raise INSTALL(f"this user may not install {names}", hint=f"sudo {line}")
    print_message(line)
    for words in (
        ["update", "-qq"],
        ["install", "-qq", "-y", "--no-install-recommends", *packages],
    ):
        done = _run([*sudo, apt, *words])
    if done.returncode:
        raise INSTALL(f"apt-get failed: {_last_line(done)}", hint=f"as root: {line}")


def _run(words: list[str]) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def _last_line(done: "subprocess.CompletedProcess[bytes]") -> str:
    return "".join(done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:])
