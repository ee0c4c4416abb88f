"""`tapwright doctor`: checks this machine's set-up, with a way out for what is missing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import click

from tapwright.cli import output
from tapwright.cli.errors import INSTALL
from tapwright.cli.host import read_host
from tapwright.cli.project.place import find_project_file
from tapwright.devices.errors import DEVICE_OFFLINE, AdbServerError
from tapwright.errors import MissingExtraError, TapwrightError

_REQUIRED = ("python", "chromium", "fonts")
_CHECKS = (*_REQUIRED, "project", "adb", "phones", "video", "webdriver", "desktop")
_FIXED = ("chromium", "adb", "webdriver", "desktop")
"""What `--fix` installs: Debian's packages, or Playwright's browser.

Python packages are not among it: the tool that made the environment (pip, uv, conda) installs them.
"""
_HEADLESS = "chromium-headless-shell"


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright doctor --check chromium\n"
    "  tapwright doctor --fix\n"
    "  tapwright doctor --fix desktop"
)
@click.option("--check", type=click.Choice(_CHECKS), help="Run this check only.")
@click.option(
    "--fix",
    type=click.Choice(["required", *_FIXED, "all"]),
    is_flag=False,
    flag_value="required",
    help="Install what is missing: what is required, or what this check needs, or all.",
)
@output.format_option
def doctor(check: str | None, fix: str | None, format_: output.Format) -> None:
    """Check this machine's set-up, with a way out for each thing that is missing.

    Exits with 1 when a required check fails, or the one that --check names. Required is what the
    built-in phone needs, and the browser is started to see that it works; project is the
    tapwright.toml of this directory; adb and phones are for real phones and emulators, video is
    for their live picture, webdriver for `webdriver:URL`, desktop for a Linux desktop.

    --fix installs Debian's packages, as root or by a sudo that asks for no password, and else
    prints the line to run; with the extra `browser` it asks Playwright for Chromium. Python
    packages are left to you: the way out has the line.
    """
    unfixed = _fix(fix) if fix is not None else False
    if check is None and fix in _FIXED:
        check = fix
    rows = [_run_check(name) for name in (_CHECKS if check is None else (check,))]
    output.print_rows(rows, format_, key="check")
    if unfixed or not all(row["ok"] for row in rows if row["required"] or check):
        sys.exit(1)


def _fix(which: str) -> bool:
    """Install what failed checks need; whether something could not be installed, which is told."""
    wanted = {"required": _REQUIRED, "all": _FIXED}.get(which, (which,))
    unfixed = False
    for name in wanted:
        if name not in _FIXED or _run_check(name)["ok"]:
            continue
        try:
            _FIXES[name]()
        except TapwrightError as error:
            unfixed = True
            output.print_failure(name, f"{error}; {error.hint}", error.code)
    return unfixed


def _run_check(name: str) -> dict[str, output.Cell]:
    row: dict[str, output.Cell] = {"check": name, "required": name in _REQUIRED}
    try:
        found = _RUNNERS[name]()
    except TapwrightError as error:
        return {**row, "ok": False, "found": str(error), "way_out": error.hint}
    return {**row, "ok": True, "found": found, "way_out": ""}


def _python() -> str:
    return f"{sys.version.split()[0]}, tapwright {version('tapwright')}"


def _chromium() -> str:
    from tapwright.devices.phone.device import Phone

    # Opening it compares what it draws with what was requested.
    with Phone(executable=read_host().chromium_path()) as phone:
        browser = phone.browser
        return f"{browser.executable} {browser.version.rpartition('/')[2]}"


def _fonts() -> str:
    from tapwright.drawing.text import find_font

    return f"{find_font('A').name}, and for Chinese {find_font('中').name}"


def _project() -> str:
    file = find_project_file()
    if file is None:
        return "no tapwright.toml here or above (tapwright init)"
    root = click.get_current_context().find_root().command
    assert isinstance(root, click.Group)
    from tapwright.cli.project.file import read_project
    from tapwright.cli.project.trusted_files import is_trusted, way_out
    from tapwright.cli.project.values import check_project

    project = read_project(file, root.list_commands(click.Context(root)))
    check_project(project, root)
    return str(file) if is_trusted(project) else f"{file} {way_out(file)}"


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
    from tapwright.devices.adb.health import check_phones

    phones = check_phones(read_host().adb_client())
    states = "; ".join(f"{phone.serial}: {phone.state}" for phone in phones)
    unusable = [phone for phone in phones if phone.way_out]
    if unusable:
        ways_out = "; ".join(f"{phone.serial}: {phone.way_out}" for phone in unusable)
        raise DEVICE_OFFLINE(states, hint=ways_out)
    return states or "none is connected"


def _video() -> str:
    try:
        return f"PyAV {version('av')}"
    except PackageNotFoundError as error:
        raise MissingExtraError("the live picture", "video") from error


def _webdriver() -> str:
    from tapwright.devices.webdriver.connection import server_programs

    return ", ".join(server_programs())


def _desktop() -> str:
    from tapwright.devices.desktop.programs import check_programs

    return check_programs()


_RUNNERS: Mapping[str, Callable[[], str]] = {
    "python": _python,
    "chromium": _chromium,
    "fonts": _fonts,
    "project": _project,
    "adb": _adb,
    "phones": _phones,
    "video": _video,
    "webdriver": _webdriver,
    "desktop": _desktop,
}


def _fix_chromium() -> None:
    """Install a Chromium: Playwright's, where the extra `browser` is, else Debian's.

    Raises:
        TapwrightError: neither could be installed; the hint has the lines.
    """
    if find_spec("playwright") is not None:
        output.print_message(f"playwright install {_HEADLESS}")
        done = _run([sys.executable, "-m", "playwright", "install", _HEADLESS])
        if not done.returncode:
            return
        output.print_message(f"Playwright could not download it: {_last_line(done)}")
    # Without root it runs in its sandbox, and where the kernel lends none, in this package's.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    _install_debian([_HEADLESS] if is_root else [_HEADLESS, "chromium-sandbox"])


def _fix_desktop() -> None:
    """Install what a desktop here lacks."""
    from tapwright.devices.desktop.programs import PACKAGES, missing_packages

    if missing_packages():
        _install_debian(PACKAGES)


def _install_debian(packages: Sequence[str]) -> None:
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
    output.print_message(line)
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


_FIXES: Mapping[str, Callable[[], None]] = {
    "chromium": _fix_chromium,
    "adb": lambda: _install_debian(["adb"]),
    "webdriver": lambda: _install_debian(["chromium-driver"]),
    "desktop": _fix_desktop,
}
