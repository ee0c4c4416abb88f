import os
import struct
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapwright.devices.fake import FakeDevice
from tapwright_adb_simulator import AdbPhone
from tapwright_adb_simulator.frames import (
    CHECKED_VERSION,
    HEADER,
    MAX_DATA,
    UNCHECKED_VERSION,
    AdbFrame,
)
from tests.adb_simulator.test_frames import FRAMES
from tests.adb_simulator.test_keys import key as key  # a fixture
from tests.adb_simulator.test_keys import public_line, sign
from tests.adb_simulator.wire import Wire


def test_a_greeting_tells_what_the_phone_is_and_can(phone: AdbPhone) -> None:
    with Wire(phone) as wire:
        wire.send(AdbFrame(b"CNXN", UNCHECKED_VERSION, MAX_DATA, b"host::"))
        hello = wire.receive()
    assert (hello.word, hello.arg0, hello.arg1) == (b"CNXN", UNCHECKED_VERSION, MAX_DATA)
    assert hello.payload == (
        b"device::ro.product.name=tapwright_phone;ro.product.model=Tapwright Phone;"
        b"ro.product.device=tapwright_phone;"
        b"features=shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir"
    )


BREACHES: dict[str, Callable[[Wire], None]] = {
    "garbage": lambda wire: wire.socket.sendall(b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n"),
    "a wrong magic": lambda wire: wire.socket.sendall(
        HEADER.pack(b"OPEN", 1, 0, 0, 0, 0)
    ),
    "a payload that is too long": lambda wire: wire.socket.sendall(
        HEADER.pack(b"WRTE", 1, 1, 0xFFFFFFFF, 0, int.from_bytes(b"WRTE", "little") ^ 0xFFFFFFFF)
    ),
    "a second greeting": lambda wire: wire.send(AdbFrame(b"CNXN", UNCHECKED_VERSION, 4096)),
    "a stream without a number": lambda wire: wire.send(AdbFrame(b"OPEN", 0, 0, b"shell:true\0")),
}  # fmt: skip


@pytest.mark.parametrize("breach", BREACHES)
def test_who_breaks_the_protocol_is_hung_up_on(phone: AdbPhone, breach: str) -> None:
    with Wire.greeted(phone) as wire, Wire.greeted(phone) as other:
        BREACHES[breach](wire)
        assert wire.closed
        assert other.shell("echo still here")[1] == "still here\n"


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frames=st.lists(FRAMES, max_size=6), noise=st.binary(max_size=60))
def test_whatever_one_connection_sends_another_is_served(
    phone: AdbPhone, frames: list[AdbFrame], noise: bytes
) -> None:
    with Wire.greeted(phone) as wire, suppress(ConnectionError):
        for frame in frames:
            wire.send(frame)
        wire.socket.sendall(noise)
    with Wire.greeted(phone) as other:
        assert other.shell("echo still here")[1] == "still here\n"


def test_who_does_not_greet_is_hung_up_on(phone: AdbPhone) -> None:
    with Wire(phone) as wire:
        wire.send(AdbFrame(b"OPEN", 1, 0, b"shell:true\0"))
        assert wire.closed


def test_a_second_message_before_the_first_was_taken_ends_the_connection(wire: Wire) -> None:
    here, there = wire.open("shell:sleep 60")
    wire.send(AdbFrame(b"WRTE", here, there, b"one"))
    wire.send(AdbFrame(b"WRTE", here, there, b"two"))
    assert wire.closed


def test_an_answer_to_nothing_ends_the_connection(wire: Wire) -> None:
    here, there = wire.open("shell:sleep 60")
    wire.send(AdbFrame(b"OKAY", here, there))
    assert wire.closed


def test_a_message_to_no_stream_is_answered_with_its_end(wire: Wire) -> None:
    wire.send(AdbFrame(b"WRTE", 77, 99, b"lost"))
    assert wire.receive() == AdbFrame(b"CLSE", 99, 77)
    wire.send(AdbFrame(b"CLSE", 77, 99))
    assert wire.shell("true")[0] == 0


@pytest.mark.parametrize("service", ["tcp:80", "localabstract:any", "jdwp:1", "", "no such"])
def test_what_the_phone_does_not_have_is_refused(wire: Wire, service: str) -> None:
    assert wire.open(service)[1] == 0
    assert wire.shell("true")[0] == 0


def test_nothing_more_is_sent_before_what_was_sent_is_taken(phone: AdbPhone) -> None:
    with Wire.greeted(phone, max_data=4096) as wire:
        wire.shell("mkdir /sdcard/x")
        here, there = wire.open("exec:screencap")
        first = wire.receive()
        assert (first.word, len(first.payload)) == (b"WRTE", 4096)
        other, _ = wire.open("shell:echo meanwhile")  # the next message is not the picture's
        said = wire.receive()
        assert (said.arg1, said.payload) == (other, b"meanwhile\n")
        wire.send(AdbFrame(b"OKAY", other, said.arg0))
        assert wire.receive().word == b"CLSE"
        wire.send(AdbFrame(b"OKAY", here, there))
        assert len(wire.receive().payload) == 4096


def test_a_stream_that_is_closed_in_the_middle_says_no_more(phone: AdbPhone) -> None:
    with Wire.greeted(phone, max_data=4096) as wire:
        here, there = wire.open("exec:screencap")
        assert wire.receive().word == b"WRTE"
        wire.send(AdbFrame(b"CLSE", here, there))
        assert wire.receive() == AdbFrame(b"CLSE", there, here)
        assert wire.shell("true")[0] == 0


def test_the_first_version_wants_sums_and_gets_them(phone: AdbPhone) -> None:
    with Wire.greeted(phone, version=CHECKED_VERSION) as wire:
        wire.send(AdbFrame(b"OPEN", 5, 0, b"shell:echo sum\0"))
        assert wire.receive().word == b"OKAY"
        data = wire.socket.recv(HEADER.size + 4)
        assert HEADER.unpack(data[: HEADER.size])[4] == sum(b"sum\n")
        broken = bytearray(AdbFrame(b"WRTE", 5, 1, b"x").encode())
        broken[-1] ^= 1
        wire.socket.sendall(bytes(broken))
        assert wire.closed


def test_too_many_streams_are_refused_and_the_others_live(wire: Wire) -> None:
    opened = [wire.open("shell:sleep 60") for _ in range(256)]
    assert all(there for _, there in opened)
    assert wire.open("shell:true")[1] == 0
    wire.send(AdbFrame(b"CLSE", *opened[0]))
    while wire.receive().word != b"CLSE":
        pass
    assert wire.open("shell:true")[1] != 0


def test_two_shells_run_at_once(wire: Wire) -> None:
    first = wire.open("shell:cat")
    assert wire.shell("echo second")[1] == "second\n"
    wire.send(AdbFrame(b"WRTE", *first, b"first"))
    assert wire.receive() == AdbFrame(b"OKAY", first[1], first[0])
    assert wire.receive().payload == b"first"


def test_a_packet_of_stdin_that_is_too_long_ends_the_connection(wire: Wire) -> None:
    here, there = wire.open("shell,v2,raw:cat")
    wire.send(AdbFrame(b"WRTE", here, there, struct.pack("<BI", 0, 0xFFFFFFFF)))
    while True:
        try:
            if wire.receive().word == b"OKAY":
                continue
        except ConnectionError:
            break


def test_a_phone_goes_with_its_threads_while_streams_are_open(device: FakeDevice) -> None:
    before = set(threading.enumerate())
    with AdbPhone(device) as phone, Wire.greeted(phone) as wire:
        wire.open("shell:sleep 60")
        wire.open("sync:")
        wire.shell("input tap 1 1")
        phone.__exit__(None, None, None)
        assert wire.closed
        assert set(threading.enumerate()) <= before
        phone.__enter__()


def hello() -> AdbFrame:
    return AdbFrame(b"CNXN", UNCHECKED_VERSION, MAX_DATA, b"host::")


def test_a_key_that_is_known_lets_in(device: FakeDevice, key: rsa.RSAPrivateKey) -> None:
    with AdbPhone(device, keys=[public_line(key).decode()]) as phone, Wire(phone) as wire:
        wire.send(hello())
        asked = wire.receive()
        assert (asked.word, asked.arg0, len(asked.payload)) == (b"AUTH", 1, 20)
        wire.send(AdbFrame(b"AUTH", 2, 0, os.urandom(256)))
        again = wire.receive()
        assert again.payload != asked.payload
        wire.send(AdbFrame(b"AUTH", 2, 0, sign(key, again.payload)))
        assert wire.receive().word == b"CNXN"
        assert wire.shell("true")[0] == 0


def test_a_new_key_waits_for_the_users_yes_and_is_known_from_then_on(
    device: FakeDevice, key: rsa.RSAPrivateKey
) -> None:
    with AdbPhone(device, keys=[]) as phone:
        with Wire(phone) as wire:
            wire.send(hello())
            wire.receive()
            wire.send(AdbFrame(b"AUTH", 3, 0, public_line(key)))
            wire.socket.settimeout(0.05)
            with pytest.raises(TimeoutError):
                wire.receive()
            wire.socket.settimeout(60)
            phone.allow()
            assert wire.receive().word == b"CNXN"
        with Wire(phone) as wire:
            wire.send(hello())
            wire.send(AdbFrame(b"AUTH", 2, 0, sign(key, wire.receive().payload)))
            assert wire.receive().word == b"CNXN"


def test_a_yes_that_comes_before_the_key_is_asked_for_waits_for_it(
    device: FakeDevice, key: rsa.RSAPrivateKey
) -> None:
    with AdbPhone(device, keys=[]) as phone, Wire(phone) as wire, ThreadPoolExecutor(1) as user:
        said = user.submit(phone.allow)
        wire.send(hello())
        wire.receive()
        wire.send(AdbFrame(b"AUTH", 3, 0, public_line(key)))
        assert wire.receive().word == b"CNXN"
        assert said.result() is None


@pytest.mark.parametrize(
    "frame",
    [
        AdbFrame(b"OPEN", 1, 0, b"shell:id\0"),
        AdbFrame(b"AUTH", 3, 0, b"no key"),
        AdbFrame(b"AUTH", 9, 0),
    ],
)
def test_who_does_not_say_who_it_is_is_not_let_in(device: FakeDevice, frame: AdbFrame) -> None:
    with AdbPhone(device, keys=[]) as phone, Wire(phone) as wire:
        wire.send(hello())
        wire.receive()
        wire.send(frame)
        assert wire.closed
        assert phone.commands == []


def test_a_stream_opened_while_the_user_thinks_ends_the_connection(
    device: FakeDevice, key: rsa.RSAPrivateKey
) -> None:
    with AdbPhone(device, keys=[]) as phone, Wire(phone) as wire:
        wire.send(hello())
        wire.receive()
        wire.send(AdbFrame(b"AUTH", 3, 0, public_line(key)))
        wire.send(AdbFrame(b"OPEN", 1, 0, b"shell:id\0"))
        assert wire.closed
