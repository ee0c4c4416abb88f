"""`tapwright doctor`: checks this machine's set-up, with a way out for what is missing."""

import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version

import click

from tapwright.cli.fixes import FIXES
from tapwright.cli.host import read_host
from tapwright.cli.output import Cell, Format, format_option, print_failure, print_rows
from tapwright.cli.project.place import find_project_file
from tapwright.devices.errors import DEVICE_OFFLINE, AdbServerError
from tapwright.errors import MissingExtraError, TapwrightError

_REQUIRED = ("python", "chromium", "fonts")
_CHECKS = (*_REQUIRED, "project", "adb", "phones", "video", "webdriver", "desktop")


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright doctor --check chromium\n"
    "  tapwright doctor --fix\n"
    "  tapwright doctor --fix desktop"
)
@click.option("--check", type=click.Choice(_CHECKS), help="Run this check only.")
@click.option(
    "--fix",
    type=click.Choice(["required", *FIXES, "all"]),
    is_flag=False,
    flag_value="required",
    help="Install what is missing: what is required, or what this check needs, or all.",
)
@format_option
def doctor(check: str | None, fix: str | None, format_: Format) -> None:
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
    if check is None and fix in FIXES:
        check = fix
    rows = [_run_check(name) for name in (_CHECKS if check is None else (check,))]
    print_rows(rows, format_, key="check")
    if unfixed or not all(row["ok"] for row in rows if row["required"] or check):
        sys.exit(1)


def _fix(which: str) -> bool:
    """Install what failed checks need; whether something could not be installed, which is told."""
    wanted = {"required": _REQUIRED, "all": tuple(FIXES)}.get(which, (which,))
    unfixed = False
    for name in wanted:
        if name not in FIXES or _run_check(name)["ok"]:
            continue
        try:
            FIXES[name]()
        except TapwrightError as error:
            unfixed = True
            print_failure(name, f"{error}; {error.hint}", error.code)
    return unfixed


def _run_check(name: str) -> dict[str, Cell]:
    row: dict[str, Cell] = {"check": name, "required": name in _REQUIRED}
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
    from tapwright.cli.project.trust import is_trusted, way_out
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
    from tapwright.devices.webdriver.programs import server_programs

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
