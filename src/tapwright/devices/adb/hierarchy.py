"""A phone's view hierarchy: by Android's `uiautomator dump`, or by uiautomator2's faster service.

It is read out of whatever is printed around it: linker's warnings, log lines, a dump before it.
Characters that XML forbids, which apps do show, are left out with a warning; the halves of an emoji
that Android writes as two numbers are one character again.

`uiautomator` writes to a file here and not to `/dev/tty`, which a shell without a terminal does not
have. While the service runs, Android lets nobody else dump.
"""

import re
import warnings
from typing import Literal, TypeAlias

from tapwright.core.geometry import Size
from tapwright.devices.adb.service import call_service
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.errors import BadDeviceOutputError

__all__ = ["HierarchyWarning", "TreeSource", "dump_hierarchy", "scale_bounds"]

TreeSource: TypeAlias = Literal["uiautomator", "u2"]

_FILE = "/data/local/tmp/tapwright-window.xml"
_NOT_NOW = ("could not get idle state", "null root node", "Killed", "TimeoutException")
_START, _END = "<hierarchy", "</hierarchy>"
_EMPTY = re.compile(r"<hierarchy\b[^<>]*+/>")
_HALVES = re.compile(r"&#(5[5-6]\d{3});&#(5[6-7]\d{3});")
_NUMBERED = re.compile(r"&#(?:x([0-9a-fA-F]{1,8})|(\d{1,8}));")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BOUNDS = re.compile(r'\bbounds="\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]"')
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
    tree = _cut_out(xml)
    if not tree:
        raise BadDeviceOutputError(
            f"{shell.serial}: expected a view hierarchy, got {' '.join(xml.split())[:200]!r}",
            hint="is another tool driving the phone? only one can; with uiautomator2's service "
            f"running: adb:{shell.serial},u2",
        )
    return _mend(tree, shell.serial)


class HierarchyWarning(UserWarning):
    """A hierarchy holds what XML cannot carry."""


def scale_bounds(xml: str, size: Size, to: Size) -> str:
    """The hierarchy of a screen of `size` with bounds in the pixels of a picture of another."""
    if size == to:
        return xml

    def scale(found: re.Match[str]) -> str:
        sides = (size.width, size.height) * 2, (to.width, to.height) * 2
        left, top, right, bottom = (
            round(int(edge) * new / old)
            for edge, old, new in zip(found.groups(), *sides, strict=True)
        )
        return f'bounds="[{left},{top}][{right},{bottom}]"'

    return _BOUNDS.sub(scale, xml)


def _cut_out(text: str) -> str:
    """The last whole hierarchy in a text, without what stands around it; "" without one."""
    end = text.rfind(_END)
    start = text.rfind(_START, 0, end) if end >= 0 else -1
    if start >= 0:
        return text[start : end + len(_END)]
    empty = _EMPTY.search(text)
    return empty[0] if empty else ""


def _mend(xml: str, serial: str) -> str:
    """The hierarchy without the characters that XML forbids, raw or as numbers."""
    xml = _HALVES.sub(_join_halves, xml)
    dropped = 0

    def keep(found: re.Match[str]) -> str:
        nonlocal dropped
        number = int(found[1], 16) if found[1] else int(found[2])
        allowed = number <= 0x10FFFF and not _FORBIDDEN.match(chr(number))
        dropped += not allowed
        return found[0] if allowed else ""

    xml, raw = _FORBIDDEN.subn("", _NUMBERED.sub(keep, xml) if "&#" in xml else xml)
    if raw + dropped:
        warnings.warn(
            f"{serial}: {raw + dropped} characters of the view hierarchy left out, which XML "
            "forbids",
            HierarchyWarning,
            stacklevel=2,
        )
    return xml


def _join_halves(found: re.Match[str]) -> str:
    high, low = int(found[1]), int(found[2])
    if not (0xD800 <= high < 0xDC00 <= low < 0xE000):
        return found[0]
    return chr(0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00)


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
