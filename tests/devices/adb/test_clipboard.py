"""The clipboard of a phone on the wire, on which something passes for uiautomator2's service."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapwright.cli.main import cli
from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.device import AndroidPhone
from tapwright.devices.adb.live import open_phone
from tapwright.devices.device import ClipboardDevice
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.devices.fake import FakeDevice
from tapwright.errors import DeviceError, UsageError
from tapwright_adb_simulator import AdbPhone, AdbServer, Stream


class Clipboard:
    """What a phone answers at the service's port."""

    def __init__(self) -> None:
        self.text: object = None

    async def serve(self, stream: Stream) -> None:
        """One request of HTTP, one answer."""
        said = b""
        while b"\r\n\r\n" not in said:
            said += await stream.read()
        head, _, body = said.partition(b"\r\n\r\n")
        (length,) = (int(one[16:]) for one in head.split(b"\r\n") if one[:15] == b"Content-Length:")
        while len(body) < length:
            body += await stream.read()
        call = json.loads(body)
        if call["method"] == "setClipboard":
            _, self.text = call["params"]
        answer = json.dumps({"result": self.text if call["method"] == "getClipboard" else None})
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(answer)}\r\n\r\n".encode()
        await stream.write(head + answer.encode())


@pytest.fixture
def service() -> Clipboard:
    return Clipboard()


@pytest.fixture
def phone(adb: AdbServer, service: Clipboard) -> Iterator[AndroidPhone]:
    services = {"tcp:9008": service.serve}
    with AdbPhone(FakeDevice(), services=services) as there:
        client = AdbClient(port=adb.port, program=Path(adb.program), timeout_s=60)
        with open_phone(there.address, client=client) as ours:
            yield ours


@given(st.text())
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_comes_back_from_the_clipboard(phone: AndroidPhone, text: str) -> None:
    phone.set_clipboard(text)
    assert phone.clipboard() == text


def test_a_clipboard_that_holds_nothing_is_an_empty_text(phone: AndroidPhone) -> None:
    assert isinstance(phone, ClipboardDevice)
    assert phone.clipboard() == ""


def test_a_clipboard_that_is_no_text_is_told(phone: AndroidPhone, service: Clipboard) -> None:
    service.text = 5
    with pytest.raises(BadDeviceOutputError, match="not text"):
        phone.clipboard()


def test_without_the_service_the_way_to_it_is_told(adb: AdbServer) -> None:
    with AdbPhone(FakeDevice()) as there:
        client = AdbClient(port=adb.port, program=Path(adb.program), timeout_s=60)
        with (
            open_phone(there.address, client=client) as ours,
            pytest.raises(DeviceError, match="does not run") as raised,
        ):
            ours.clipboard()
        assert "uiautomator2 init" in raised.value.hint


def test_a_device_without_one_says_so() -> None:
    done = CliRunner().invoke(cli, ["devices", "clipboard", "--device", "fake"])
    assert isinstance(done.exception, UsageError)
    assert "has no accessible clipboard" in str(done.exception)
