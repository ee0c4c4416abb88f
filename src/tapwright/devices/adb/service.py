"""uiautomator2's service on a phone, where it runs: JSON-RPC over HTTP, at a port of the phone.

The service is what `uiautomator2` (https://github.com/openatx/uiautomator2, 3.7) starts there.
"""

import http.client
import io
import json

from pydantic import JsonValue

from tapwright.devices.adb.connection import Deadline
from tapwright.devices.adb.shell import MAX_OUTPUT, PhoneShell
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.errors import DeviceError, DeviceLostError

__all__ = ["call_service"]

_PORT = 9008


def call_service(shell: PhoneShell, method: str, *parameters: JsonValue) -> JsonValue:
    """Call the service; returns its result.

    Raises:
        BadDeviceOutputError: it refuses the call, or sends something else.
        DeviceError: the phone cannot be reached, or the service does not run.
    """
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(parameters)}
    ).encode()
    request = (
        "POST /jsonrpc/0 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode()
    data = bytearray()
    try:
        connection = shell.client.open(shell.serial, f"tcp:{_PORT}", Deadline(shell.timeout_s))
    except DeviceLostError as error:
        raise DeviceError(
            f"{shell.serial}: uiautomator2's service does not run: {error}",
            hint="for trees: pip install uiautomator2 && uiautomator2 init; or leave `,u2` away",
        ) from error
    with connection:
        connection.send(request + body)
        while chunk := connection.read_some():
            data += chunk
            if len(data) > MAX_OUTPUT:
                raise BadDeviceOutputError(
                    f"{shell.serial}: uiautomator2's service responds to {method} endlessly"
                )
    try:
        answer = json.loads(_body(bytes(data)))
    except (http.client.HTTPException, ValueError, RecursionError) as error:
        raise BadDeviceOutputError(
            f"{shell.serial}: uiautomator2's service sends no JSON: {error}"
        ) from error
    match answer:
        case {"error": error}:
            raise BadDeviceOutputError(
                f"{shell.serial}: uiautomator2's service: {str(error)[:300]}"
            )
        case {"result": result}:
            return result  # type: ignore[no-any-return]
    raise BadDeviceOutputError(
        f"{shell.serial}: uiautomator2's service sends no result of {method}"
    )


def _body(response: bytes) -> bytes:
    parsed = http.client.HTTPResponse(_Socket(response))  # type: ignore[arg-type]
    parsed.begin()
    return parsed.read()


class _Socket:
    """The part of a socket that HTTPResponse uses."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(self._data)
