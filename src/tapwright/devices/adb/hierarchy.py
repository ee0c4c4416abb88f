"""A phone's view hierarchy: by Android's `uiautomator dump`, or by uiautomator2's faster service.

`uiautomator` writes to a file here and not to `/dev/tty`, which a shell without a terminal does not
have. While the service runs, Android lets nobody else dump.
"""

from typing import Literal, TypeAlias

from tapwright.devices.adb.service import ask_service
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.errors import BadDeviceOutputError

__all__ = ["TreeSource", "dump_hierarchy"]

TreeSource: TypeAlias = Literal["uiautomator", "u2"]

_FILE = "/data/local/tmp/tapwright-window.xml"
_NOT_NOW = ("could not get idle state", "null root node")
_U2_DEPTH = 50


def dump_hierarchy(shell: PhoneShell, source: TreeSource) -> str:
    """The XML of what is on the screen; "" while the screen does not stand still for a dump.

    Raises:
        BadDeviceOutputError: what came is no view hierarchy.
        DeviceError: the phone cannot be reached, or the service does not run.
    """
    said = _by_service(shell) if source == "u2" else _by_dump(shell)
    if not said:
        return ""
    start, end = said.find("<?xml"), said.rfind("</hierarchy>")
    if start < 0:
        start = said.find("<hierarchy")
    if start < 0 or end < start:
        raise BadDeviceOutputError(
            f"{shell.serial}: no view hierarchy came but {' '.join(said.split())[:200]!r}",
            hint="is another tool driving the phone? only one can; with uiautomator2's service "
            f"running: adb:{shell.serial},u2",
        )
    return said[start : end + len("</hierarchy>")]


def _by_dump(shell: PhoneShell) -> str:
    # The old file goes first: a dump that fails says so, and ends as if it had not.
    output = shell.script(
        [("rm", "-f", _FILE), ("uiautomator", "dump", _FILE), ("cat", _FILE)]
    )  # fmt: skip
    errors = output.errors.decode("utf-8", "replace")
    # What stands in the file are the words of apps, not those of uiautomator.
    said = errors + output.text.partition("<")[0]
    if any(words in said for words in _NOT_NOW):
        return ""
    return output.text if not output.code else errors + output.text


def _by_service(shell: PhoneShell) -> str:
    answer = ask_service(shell, "dumpWindowHierarchy", False, _U2_DEPTH)
    if not isinstance(answer, str):
        raise BadDeviceOutputError(f"{shell.serial}: uiautomator2's service gave no hierarchy")
    return answer
