import struct

import pytest

from tapwright_adb_simulator import AdbPhone
from tapwright_adb_simulator.frames import AdbFrame
from tests.adb_simulator.wire import Wire

HEAD = struct.Struct("<4sI")


def order(word: bytes, text: str) -> bytes:
    return HEAD.pack(word, len(text.encode())) + text.encode()


def ask(wire: Wire, *orders: bytes) -> bytes:
    """All that is said to these orders and a QUIT, sent in one message."""
    here, there = wire.open("sync:")
    wire.send(AdbFrame(b"WRTE", here, there, b"".join(orders) + HEAD.pack(b"QUIT", 0)))
    assert wire.receive().word == b"OKAY"
    return b"".join(wire.said(here, there))


def test_a_file_is_sent_told_about_and_received(phone: AdbPhone, wire: Wire) -> None:
    data = bytes(range(256)) * 300
    parts = [data[at : at + 65536] for at in range(0, len(data), 65536)]
    said = ask(
        wire,
        order(b"SEND", "/sdcard/new/a,33188"),
        *[HEAD.pack(b"DATA", len(part)) + part for part in parts],
        HEAD.pack(b"DONE", 1_700_000_000),
        order(b"STAT", "/sdcard/new/a"),
        order(b"STA2", "/sdcard/new/a"),
        order(b"RECV", "/sdcard/new/a"),
    )
    assert said[:8] == HEAD.pack(b"OKAY", 0)
    assert said[8:24] == b"STAT" + struct.pack("<III", 0o100644, len(data), 1_700_000_000)
    error, _, _, mode, links, _, _, size, *times = struct.unpack("<IQQIIIIQqqq", said[28:96])
    assert (said[24:28], error, mode, links, size) == (b"STA2", 0, 0o100644, 1, len(data))
    assert times == [1_700_000_000] * 3
    rest, received = said[96:], b""
    while rest[:4] == b"DATA":
        (length,) = struct.unpack_from("<I", rest, 4)
        assert length <= 65536
        received += rest[8 : 8 + length]
        rest = rest[8 + length :]
    assert (received, rest) == (data, HEAD.pack(b"DONE", 0))
    assert phone.commands == [
        "sync: SEND /sdcard/new/a,33188", "sync: STAT /sdcard/new/a", "sync: STA2 /sdcard/new/a",
        "sync: RECV /sdcard/new/a",
    ]  # fmt: skip


def test_a_folder_is_listed_in_both_versions(wire: Wire) -> None:
    wire.shell("mkdir /sdcard/x; echo -n abc > /sdcard/x/a")
    said = ask(wire, order(b"LIST", "/sdcard/x"))
    names = []
    while said[:4] == b"DENT":
        mode, size, _, length = struct.unpack_from("<IIII", said, 4)
        names.append((said[20 : 20 + length], mode & 0o170000, size))
        said = said[20 + length :]
    assert names == [(b".", 0o040000, 0), (b"..", 0o040000, 0), (b"a", 0o100000, 3)]
    assert said == b"DONE" + bytes(16)
    said = ask(wire, order(b"LIS2", "/sdcard/x"))
    assert said.count(b"DNT2") == 3
    assert said.endswith(b"DONE" + bytes(72))


def test_what_is_not_there_is_said_to_be_nothing(wire: Wire) -> None:
    assert ask(wire, order(b"STAT", "/none")) == b"STAT" + bytes(12)
    assert ask(wire, order(b"LST2", "/none")) == b"LST2" + struct.pack("<I", 2) + bytes(64)
    assert ask(wire, order(b"LIST", "/none")) == b"DONE" + bytes(16)
    reason = b"open failed: No such file or directory"
    assert ask(wire, order(b"RECV", "/none")) == HEAD.pack(b"FAIL", len(reason)) + reason


@pytest.mark.parametrize(
    ("orders", "reason"),
    [
        ((HEAD.pack(b"STAT", 5000),), b"path too long"),
        ((order(b"WHAT", "/"),), b"unknown command WHAT"),
        ((order(b"SEND", "/sdcard/a,420"), HEAD.pack(b"DATA", 65537)), b"invalid data message"),
        (
            (order(b"SEND", "/sdcard,420"), HEAD.pack(b"DONE", 0)),
            b"couldn't create file: Is a directory",
        ),
    ],
)
def test_an_order_that_cannot_be_followed_fails(
    wire: Wire, orders: tuple[bytes, ...], reason: bytes
) -> None:
    assert ask(wire, *orders) == HEAD.pack(b"FAIL", len(reason)) + reason


def test_a_file_that_stops_in_the_middle_is_not_kept(wire: Wire) -> None:
    here, there = wire.open("sync:")
    half = order(b"SEND", "/sdcard/half,420") + HEAD.pack(b"DATA", 100) + bytes(50)
    wire.send(AdbFrame(b"WRTE", here, there, half))
    assert wire.receive().word == b"OKAY"
    wire.send(AdbFrame(b"CLSE", here, there))
    assert wire.receive().word == b"CLSE"
    assert wire.shell("ls /sdcard/half")[0] == 1
