"""A phone's view hierarchy: by Android's `uiautomator dump`, or by uiautomator2's faster service.

`uiautomator` writes to a file here and not to `/dev/tty`, which a shell without a terminal does not
have. While the service runs, Android lets nobody else dump.
"""

from typing import Literal, TypeAlias

from tapwright.devices.adb.service import call_service
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.errors import BadDeviceOutputError

__all__ = ["TreeSource", "dump_hierarchy"]

TreeSource: TypeAlias = Literal["uiautomator", "u2"]

_FILE = "/data/local/tmp/tapwright-window.xml"
_NOT_NOW = ("could not get idle state", "null root node")
_U2_DEPTH = 50


def dump_hierarchy(shell: PhoneShell, source: TreeSource) -> str:
    """The XML of the screen; "" while the screen keeps changing, which prevents a dump.

    Raises:
        BadDeviceOutputError: the output is not a view hierarchy.
        DeviceError: the phone cannot be reached, or the service does not run.
    """
    xml = _query_service(shell) if source == "u2" else _run_dump(shell)
    if not xml:
        return ""
    start, end = xml.find("<?xml"), xml.rfind("</hierarchy>")
    if start < 0:
        start = xml.find("<hierarchy")
    if start < 0 or end < start:
        raise BadDeviceOutputError(
            f"{shell.serial}: expected a view hierarchy, got {' '.join(xml.split())[:200]!r}",
            hint="is another tool driving the phone? only one can; with uiautomator2's service "
            f"running: adb:{shell.serial},u2",
        )
    return xml[start : end + len("</hierarchy>")]


def _run_dump(shell: PhoneShell) -> str:
    # The old file is removed first: a dump that fails prints so, and exits with 0 all the same.
    output = shell.script(
        [("rm", "-f", _FILE), ("uiautomator", "dump", _FILE), ("cat", _FILE)]
    )  # fmt: skip
    errors = output.errors.decode("utf-8", "replace")
    # What is in the file is text of apps, not messages of uiautomator.
    messages = errors + output.text.partition("<")[0]
    if any(words in messages for words in _NOT_NOW):
        return ""
    return output.text if not output.code else errors + output.text


def _query_service(shell: PhoneShell) -> str:
    answer = call_service(shell, "dumpWindowHierarchy", False, _U2_DEPTH)
    if not isinstance(answer, str):
        raise BadDeviceOutputError(f"{shell.serial}: uiautomator2's service returned no hierarchy")
    return answer
