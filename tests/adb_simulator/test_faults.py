import pytest

from tapwright.core.actions import Swipe
from tapwright.devices.fake import FakeDevice
from tapwright_adb_simulator import (
    AdbPhone,
    Drop,
    Endless,
    Fault,
    Hang,
    Instead,
    Slow,
    Truncated,
    Unplug,
    WrongLength,
)
from tapwright_adb_simulator.frames import HEADER, MAX_DATA, UNCHECKED_VERSION, AdbFrame
from tests.adb_simulator.wire import Wire

SWIPE = "input swipe 10 500 10 100"


def test_a_phone_unplugged_in_a_swipe_has_swiped_and_says_nothing(
    phone: AdbPhone, wire: Wire, device: FakeDevice
) -> None:
    phone.faults["input swipe"] = Unplug()
    assert wire.shell("input tap 1 1")[0] == 0
    with pytest.raises(ConnectionError):
        wire.shell(SWIPE)
    assert isinstance(device.performed[-1], Swipe)
    with pytest.raises(ConnectionError):
        Wire(phone)
    phone.plug()
    with Wire.greeted(phone) as again:
        assert again.shell("true")[0] == 0


def test_a_connection_lost_after_some_bytes_can_be_made_anew(phone: AdbPhone, wire: Wire) -> None:
    phone.faults["screencap"] = Drop(after_bytes=1000)
    here, there = wire.open("exec:screencap -p")
    said = wire.said(here, there)
    assert len(next(said)) == 1000
    with pytest.raises(ConnectionError):
        next(said)
    with Wire.greeted(phone) as again:
        assert again.shell("true")[0] == 0


@pytest.mark.parametrize("fault", [Hang(), Slow(60.0)])
def test_a_command_that_does_not_answer_is_not_done_and_holds_up_no_other(
    phone: AdbPhone, wire: Wire, device: FakeDevice, fault: Fault
) -> None:
    phone.faults["input"] = fault
    here, there = wire.open("shell:input tap 1 1")
    assert wire.shell("echo meanwhile")[1] == "meanwhile\n"
    wire.send(AdbFrame(b"CLSE", here, there))
    assert wire.receive().word == b"CLSE"
    assert device.performed == []


def test_a_slow_command_is_done_later(phone: AdbPhone, wire: Wire, device: FakeDevice) -> None:
    phone.faults[""] = Slow(0.01)
    assert wire.shell("input tap 1 1; echo done")[1] == "done\n"
    assert len(device.performed) == 1


def test_an_endless_answer_goes_on_until_nobody_reads(phone: AdbPhone, wire: Wire) -> None:
    phone.faults["uiautomator"] = Endless(b"<node>")
    here, there = wire.open("exec:uiautomator dump /dev/tty")
    said = wire.said(here, there)
    assert {next(said) for _ in range(50)} == {b"<node>"}
    wire.send(AdbFrame(b"CLSE", here, there))
    assert wire.receive().word == b"CLSE"
    assert wire.shell("true")[0] == 0


def test_an_answer_can_be_cut_or_replaced(phone: AdbPhone, wire: Wire, device: FakeDevice) -> None:
    phone.faults["screencap"] = Truncated(keep_bytes=50)
    phone.faults["uiautomator"] = Instead(b"no xml", exit_code=3)
    phone.faults["sync:"] = Truncated(keep_bytes=4)
    assert wire.ask("exec:screencap -p") == device.scenes[0].picture[:50]
    assert wire.shell("uiautomator dump") == (3, "no xml", "")
    here, there = wire.open("sync:")
    wire.send(AdbFrame(b"WRTE", here, there, b"STAT\1\0\0\0/QUIT\0\0\0\0"))
    assert wire.receive().word == b"OKAY"
    assert b"".join(wire.said(here, there)) == b"STAT"


def test_a_frame_can_say_that_it_is_longer_than_any(phone: AdbPhone, wire: Wire) -> None:
    phone.faults["echo"] = WrongLength()
    wire.open("shell:echo hello")
    assert HEADER.unpack(wire.socket.recv(HEADER.size))[3] > MAX_DATA


def test_the_longest_beginning_counts_and_finds_programs_in_the_middle(
    phone: AdbPhone, wire: Wire
) -> None:
    phone.faults[""] = Instead(b"any")
    phone.faults["input t"] = Instead(b"t")
    phone.faults["input tap"] = Instead(b"tap")
    lines = ("true", "input text a", "input tap 1 1", "cd /; exec input 'tap' 1 1")
    assert [wire.shell(line)[1] for line in lines] == ["any", "t", "tap", "tap"]


def test_a_greeting_can_be_garbage_or_stay_away(phone: AdbPhone) -> None:
    phone.faults["CNXN"] = Instead(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    with Wire(phone) as wire:
        wire.send(AdbFrame(b"CNXN", UNCHECKED_VERSION, MAX_DATA, b"host::"))
        assert wire.socket.recv(8) == b"HTTP/1.1"
    phone.go_offline()
    with Wire(phone) as wire:
        wire.send(AdbFrame(b"CNXN", UNCHECKED_VERSION, MAX_DATA, b"host::"))
        wire.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            wire.receive()


def test_a_device_that_is_lost_is_a_phone_that_was_unplugged() -> None:
    with AdbPhone(FakeDevice(lost_after=1)) as phone, Wire.greeted(phone) as wire:
        with pytest.raises(ConnectionError):
            wire.shell("input tap 1 1; input tap 2 2; screencap -p")
        with pytest.raises(ConnectionError):
            Wire(phone)


class Broken(FakeDevice):
    def apps(self):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError


def test_a_mistake_in_ones_own_device_comes_out_at_the_end() -> None:
    with (
        pytest.raises(ZeroDivisionError),
        AdbPhone(Broken()) as phone,
        Wire.greeted(phone) as wire,
        pytest.raises(ConnectionError),
    ):
        wire.shell("pm list packages")
