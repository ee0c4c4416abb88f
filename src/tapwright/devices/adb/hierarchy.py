"""A phone's view hierarchy: by Android's `uiautomator dump`, or by uiautomator2's faster service.

`uiautomator` writes to a file here and not to `/dev/tty`, which a shell without a terminal does not
have. The service is what `uiautomator2` (https://github.com/openatx/uiautomator2, 3.7) starts on a
phone; while it runs, Android lets nobody else dump.
"""

import http.client
import io
import json
from typing import Literal, TypeAlias

from tapwright.devices.adb.connection import Deadline
from tapwright.devices.adb.shell import MAX_OUTPUT, PhoneShell
from tapwright.errors import DeviceAnswerError, DeviceError, DeviceLostError

__all__ = ["TreeSource", "dump_hierarchy"]

TreeSource: TypeAlias = Literal["uiautomator", "u2"]

_FILE = "/data/local/tmp/tapwright-window.xml"
_NOT_NOW = ("could not get idle state", "null root node")
_U2_PORT = 9008
_U2_DEPTH = 50


def dump_hierarchy(shell: PhoneShell, source: TreeSource) -> str:
    """The XML of what is on the screen; "" while the screen does not stand still for a dump.

    Raises:
        DeviceAnswerError: what came is no view hierarchy.
        DeviceError: the phone cannot be reached, or the service does not run.
    """
    said = _by_service(shell) if source == "u2" else _by_dump(shell)
    if not said:
        return ""
    start, end = said.find("<?xml"), said.rfind("</hierarchy>")
    if start < 0:
        start = said.find("<hierarchy")
    if start < 0 or end < start:
        raise DeviceAnswerError(
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
    if any(words in errors or words in output.text for words in _NOT_NOW):
        return ""
    return output.text if not output.code else errors + output.text


def _by_service(shell: PhoneShell) -> str:
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "dumpWindowHierarchy", "params": [False, _U2_DEPTH]}
    ).encode()
    request = (
        "POST /jsonrpc/0 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode()
    data = bytearray()
    try:
        connection = shell.client.open(
            shell.serial, f"tcp:{_U2_PORT}", Deadline(shell.timeout_s)
        )  # fmt: skip
    except DeviceLostError as error:
        raise DeviceError(
            f"{shell.serial}: uiautomator2's service does not run: {error}",
            hint="start it: python -m uiautomator2 init; or leave `,u2` away",
        ) from error
    with connection:
        connection.send(request + body)
        while piece := connection.read_some():
            data += piece
            if len(data) > MAX_OUTPUT:
                raise DeviceAnswerError(f"{shell.serial}: its view hierarchy has no end")
    try:
        answer = json.loads(_body(bytes(data)))
    except (http.client.HTTPException, ValueError) as error:
        raise DeviceAnswerError(
            f"{shell.serial}: uiautomator2's service speaks no JSON: {error}"
        ) from error
    match answer:
        case {"result": str(xml)}:
            return xml
        case {"error": error}:
            raise DeviceAnswerError(f"{shell.serial}: uiautomator2's service: {str(error)[:300]}")
    raise DeviceAnswerError(f"{shell.serial}: uiautomator2's service gave no hierarchy")


def _body(response: bytes) -> bytes:
    parsed = http.client.HTTPResponse(_Read(response))  # type: ignore[arg-type]
    parsed.begin()
    return parsed.read()


class _Read:
    """What HTTPResponse wants of a socket."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(self._data)
