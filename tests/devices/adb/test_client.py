import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.devices.adb.client import AdbClient, AttachedPhone, find_adb, refusal_error
from tapwright.devices.adb.connection import Deadline
from tapwright.devices.errors import AdbMissingError, AdbServerError
from tapwright.errors import DeviceError, DeviceLostError
from tests.devices.adb.conftest import OKAY, Pretended, block, refused

TWO = """\
emulator-5554          device product:sdk_gphone64 model:sdk_gphone64_x86_64 device:emu transport_id:1
192.168.1.20:5555      device product:panther model:Pixel_7 device:panther transport_id:2
"""  # noqa: E501 - as adb writes it
ILL = """\
R58M123ABC             unauthorized usb:1-4 transport_id:3
0123456789ABCDEF       offline usb:1-2 transport_id:4
HT7                    no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html] usb:1-1 transport_id:5
bad                    recovery transport_id:9
"""  # noqa: E501


def test_what_is_connected_is_read_with_its_state(pretended: Pretended) -> None:
    pretended.answers["host:devices-l"] = block(TWO + ILL)
    found = pretended.client.attached()
    assert found[:2] == [
        AttachedPhone("emulator-5554", "device", "sdk gphone64 x86 64"),
        AttachedPhone("192.168.1.20:5555", "device", "Pixel 7"),
    ]
    assert [one.state.split()[0] for one in found[2:]] == [
        "unauthorized", "offline", "no", "recovery",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("listed", "serial", "error", "said"),
    [
        ("", "", DeviceError, "no phone is connected"),
        ("", "X1", DeviceError, "no phone of the serial 'X1'"),
        (TWO, "", DeviceError, "2 phones are connected, and none was named"),
        ("X1 device\nX1 device\n", "X1", DeviceError, "2 phones have the serial 'X1'"),
        (ILL, "R58M123ABC", DeviceError, "has not allowed this computer"),
        (ILL, "HT7", DeviceError, "may not open the phone's USB device"),
        (ILL, "0123456789ABCDEF", DeviceError, "is offline"),
        (ILL, "bad", DeviceError, "is not running Android"),
        ("X1 something new\n", "X1", DeviceLostError, "something new"),
    ],
)
def test_a_phone_that_cannot_be_driven_is_an_error_with_the_way_out(
    pretended: Pretended, listed: str, serial: str, error: type[DeviceError], said: str
) -> None:
    pretended.answers["host:devices-l"] = block(listed)
    with pytest.raises(error, match=said) as raised:
        pretended.client.choose(serial)
    assert type(raised.value) is error
    assert raised.value.hint


def test_an_address_that_is_not_there_is_connected(pretended: Pretended) -> None:
    pretended.answers["host:devices-l"] = block("")
    pretended.answers["host:connect:10.0.0.9:5555"] = block("failed to connect: No route to host")
    with pytest.raises(DeviceError, match="No route to host"):
        pretended.client.choose("10.0.0.9:5555")
    assert "host:connect:10.0.0.9:5555" in pretended.asked


def test_an_address_that_is_offline_is_connected_when_the_server_has_dropped_it(
    pretended: Pretended,
) -> None:
    states = iter(["offline", "offline", "", "device"])

    def tell_phones(client: socket.socket) -> None:
        state = next(states)
        client.sendall(block(f"10.0.0.9:5555 {state}\n" if state else ""))

    drop, join = "host:disconnect:10.0.0.9:5555", "host:connect:10.0.0.9:5555"
    listed = "host:devices-l"
    pretended.answers = {listed: tell_phones, drop: block("done"), join: block("done")}
    assert pretended.client.choose("10.0.0.9:5555").state == "device"
    assert pretended.asked == [listed, drop, listed, listed, join, listed]


def test_the_only_phone_needs_no_name(pretended: Pretended) -> None:
    pretended.answers["host:devices-l"] = block("X1   device\n")
    assert pretended.client.choose().serial == "X1"


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 400 Bad Request\r\n", b"OKAYzzzz", b"OKAY0004late", b"OKAYffff", b"OK", b""],
    ids=["another server", "no length", "no number", "too little", "half a word", "nothing"],
)
def test_what_is_no_adb_server_is_told_apart(pretended: Pretended, answer: bytes) -> None:
    def say(client: socket.socket) -> None:
        client.sendall(answer)
        client.shutdown(socket.SHUT_RDWR)

    pretended.answers["host:version"] = say
    with pytest.raises(AdbServerError):
        pretended.client.version()


@pytest.mark.slow
def test_a_server_that_is_silent_is_given_up(pretended: Pretended) -> None:
    pretended.answers["host:version"] = lambda client: None
    with pytest.raises(AdbServerError, match=r"did not respond .* within 0.5 s"):
        pretended.hasty_client.version()


def test_a_server_that_refuses_is_quoted(pretended: Pretended) -> None:
    pretended.answers["host:version"] = refused("unknown host service")
    with pytest.raises(AdbServerError, match="unknown host service"):
        pretended.client.version()


def test_an_old_server_is_told(pretended: Pretended) -> None:
    pretended.answers["host:version"] = block("0020")
    with pytest.raises(AdbServerError, match=r"1\.0\.32"):
        pretended.client.check_version()
    pretended.answers["host:version"] = block("0029")
    assert pretended.client.check_version() == 41


def test_a_server_elsewhere_is_never_started() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    listening.close()
    server = AdbClient("127.0.0.2", port, program=Path("/nowhere/adb"))
    with pytest.raises(AdbServerError, match="cannot be reached") as raised:
        server.version()
    assert "ssh -L" in raised.value.hint


def test_a_name_that_no_machine_can_have_is_told() -> None:
    with pytest.raises(AdbServerError, match=r"no machine has the name 'a\.\.b'"):
        AdbClient("a..b").version()


def test_without_adb_a_person_is_told_where_to_get_it(tmp_path: Path) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    listening.close()
    with pytest.raises(AdbMissingError) as raised:
        AdbClient(port=port, program=tmp_path / "adb").version()
    assert "TAPWRIGHT_ADB" in raised.value.hint
    with pytest.raises(AdbMissingError):
        find_adb(tmp_path)


def test_an_adb_that_does_not_start_is_quoted(tmp_path: Path) -> None:
    program = tmp_path / "adb"
    program.write_text("#!/bin/sh\necho cannot bind >&2; exit 7\n")
    program.chmod(0o755)
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    listening.close()
    with pytest.raises(AdbServerError, match=r"failed \(7\): cannot bind"):
        AdbClient(port=port, program=program).version()


def test_what_a_phone_refuses_is_quoted(pretended: Pretended) -> None:
    pretended.answers["host:transport:X1"] = refused("device 'X1' not found")
    with pytest.raises(DeviceLostError, match="not connected any more"):
        pretended.client.open("X1", "shell,v2,raw:id", Deadline(60.0))
    pretended.answers["host:transport:X1"] = OKAY
    pretended.answers["shell,v2,raw"] = refused("closed")
    with pytest.raises(DeviceLostError, match="adb reports: closed"):
        pretended.client.open("X1", "shell,v2,raw:id", Deadline(60.0))


@given(st.text())
def test_whatever_adb_reports_has_a_way_out(reason: str) -> None:
    assert refusal_error("X1", reason).hint


@pytest.mark.parametrize(("said", "works"), [("OK", True), ("KO: no such snapshot", False)])
def test_an_emulators_console_is_reached_by_the_adb_program(
    tmp_path: Path, said: str, works: bool
) -> None:
    program, asked = tmp_path / "adb", tmp_path / "asked"
    program.write_text(f'#!/bin/sh\necho "$@" > {asked}\necho "{said}"\n')
    program.chmod(0o755)
    client = AdbClient(port=7, program=program)
    if works:
        client.emulator("emulator-5554", "avd", "snapshot", "load", "clean")
    else:
        with pytest.raises(DeviceError, match="no such snapshot"):
            client.emulator("emulator-5554", "avd", "snapshot", "load", "clean")
    assert asked.read_text() == ("-H 127.0.0.1 -P 7 -s emulator-5554 emu avd snapshot load clean\n")
