"""The protocol of far screens: what decoding gives, and servers that break the protocol."""

import socket
import struct
import time
import zlib
from collections.abc import Callable
from itertools import groupby
from queue import Queue
from threading import Event

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.actions import Action, Hotkey, PressKey, Tap, TypeText
from tapwright.core.geometry import Point
from tapwright.devices.desktop import rfb, rfb_clipboard
from tapwright.devices.desktop.rfb import RemoteScreen
from tapwright.devices.desktop.rfb_pixels import Canvas
from tapwright.devices.desktop.vnc import open_vnc
from tapwright.devices.errors import VncServerError
from tapwright.errors import DeviceLostError
from tests.devices.desktop.far import heard, hello, saying, update

Pixels = npt.NDArray[np.uint8]
RAW, COPY, ZLIB, ZRLE = 0, 1, 6, 16


def length(run: int) -> bytes:
    full, rest = divmod(run - 1, 255)
    return b"\xff" * full + bytes([rest])


def tile(pixels: Pixels, kind: str) -> bytes:
    """A tile as a server writes it; blue, green and red of each pixel."""
    flat = [bytes(one) for one in pixels.reshape(-1, 3)]
    colors = sorted(set(flat))
    if kind == "solid" and len(colors) == 1:
        return b"\1" + colors[0]
    if kind == "palette" and 2 <= len(colors) <= 16:
        bits = 1 if len(colors) == 2 else 2 if len(colors) <= 4 else 4
        rows = []
        for row in pixels:
            text = "".join(f"{colors.index(bytes(one)):0{bits}b}" for one in row)
            text = text.ljust(-(-len(text) // 8) * 8, "0")
            rows.append(int(text, 2).to_bytes(len(text) // 8, "big"))
        return bytes([len(colors)]) + b"".join(colors) + b"".join(rows)
    runs = [(color, len(list(same))) for color, same in groupby(flat)]
    if kind == "palette runs" and 2 <= len(colors) <= 127:
        parts = [
            bytes([colors.index(color)])
            if run == 1
            else bytes([colors.index(color) | 128]) + length(run)
            for color, run in runs
        ]
        return bytes([128 + len(colors)]) + b"".join(colors) + b"".join(parts)
    if kind == "runs":
        return b"\x80" + b"".join(color + length(run) for color, run in runs)
    return b"\0" + b"".join(flat)


@given(
    width=st.integers(1, 130), height=st.integers(1, 70), shades=st.integers(1, 20),
    kinds=st.lists(
        st.sampled_from(["raw", "solid", "palette", "runs", "palette runs"]), min_size=1
    ),
    seed=st.integers(0, 1000),
)  # fmt: skip
def test_tiles_are_drawn_as_they_were_written(
    width: int, height: int, shades: int, kinds: list[str], seed: int
) -> None:
    chance = np.random.default_rng(seed)
    colors = chance.integers(0, 256, (shades, 3), np.uint8)
    picture = colors[np.sort(chance.integers(0, shades, (height, width)), axis=1)]
    parts: list[bytes] = []
    for top in range(0, height, 64):
        for left in range(0, width, 64):
            piece = picture[top : top + 64, left : left + 64]
            parts.append(tile(piece, kinds[len(parts) % len(kinds)]))
    packed = zlib.compress(b"".join(parts))
    canvas = Canvas(width + 3, height + 2)
    drawn = canvas.read(
        (3, 2, width, height), ZRLE, reader(struct.pack(">I", len(packed)) + packed)
    )
    assert drawn is not None
    canvas.draw((3, 2, width, height), drawn)
    assert np.array_equal(canvas.pixels[2:, 3:, :3], picture)


def reader(data: bytes) -> Callable[[int], bytes]:
    rest = bytearray(data)

    def read(count: int) -> bytes:
        part = bytes(rest[:count])
        del rest[:count]
        return part

    return read


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", "does not speak RFB"),
        (b"RFB 003.008\n\0\0\0\0\x04full", "refuses: full"),
        (b"RFB 003.008\n\1\x13", "security type 19"),
        (b"RFB 003.003\n\0\0\0\0\0\0\0\x04gone", "refuses: gone"),
        (hello(name=b"", length=4_000_000_000), "a name of"),
        (hello(60_000, 60_000), "screen is 60000x60000"),
        (hello(0, 10), "screen is 0x10"),
    ],
)
def test_a_server_that_is_none_is_named(said: bytes, told: str) -> None:
    with saying(said) as port, pytest.raises(VncServerError, match=told):
        RemoteScreen("127.0.0.1", port)


CORNER = update((0, 0, 1, 1, RAW, bytes(4)))
"""What answers a look at the corner, as `RemoteScreen` asks for to know that all was read."""

BOMB = zlib.compress(bytes(50_000_000))


CAPS, REQUEST, PEEK, NOTIFY, PROVIDE = (1 << bit for bit in range(24, 29))
TEXT = 1


def about_clipboard(flags: int, body: bytes = b"") -> bytes:
    """A message of the extended clipboard."""
    return struct.pack(">BxxxiI", 3, -(4 + len(body)), flags) + body


def provided(packed: bytes) -> bytes:
    """A message with a text of the extended clipboard."""
    return about_clipboard(PROVIDE | TEXT, packed)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (update((60, 0, 64, 48, RAW, b"")), "of a screen of 64x48"),
        (update((0, 0, 8, 8, COPY, struct.pack(">HH", 60, 0))), "beyond its screen"),
        (update((0, 0, 8, 8, ZLIB, struct.pack(">I", len(BOMB)) + BOMB)), "more pixels"),
        (update((0, 0, 8, 8, ZRLE, struct.pack(">I", len(BOMB)) + BOMB)), "more pixels"),
        (update((0, 0, 8, 8, ZRLE, struct.pack(">I", 4_000_000_000))), "packed bytes"),
        (update((0, 0, 8, 8, ZLIB, b"\0\0\0\x04abcd")), "broken zlib"),
        (update((0, 0, 8, 8, 7, b"")), "encoding 7"),
        (update((0, 0, 60_000, 9, -223, b"")), "screen is 60000x9"),
        (b"\x63", "unknown message 99"),
        (b"\3\0\0\0\x7f\xff\xff\xff", "clipboard has"),
        (b"\3\0\0\0\x80\0\0\0", "clipboard has"),
        (b"\3\0\0\0\xff\xff\xff\xfeab", "2 bytes about its clipboard"),
        (provided(b"abcd"), "broken zlib"),
        (provided(BOMB), "more than"),
        (provided(zlib.compress(struct.pack(">I", 9) + b"short")), "shorter than it says"),
    ],
)
def test_a_server_that_breaks_the_protocol_is_lost(said: bytes, told: str) -> None:
    with saying(hello(), said) as port:
        screen = RemoteScreen("127.0.0.1", port)
        try:
            with pytest.raises(DeviceLostError, match=told):
                screen.await_rest(0.1, 1.0)
        finally:
            screen.close()


@pytest.mark.parametrize("said", [b"", b"RFB 003.0", hello()[:20]])
@pytest.mark.slow_but_one
def test_a_server_that_falls_silent_is_not_waited_for_long(
    said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rfb, "_LIMIT_S", 0.5)
    with saying(said) as port, pytest.raises(VncServerError, match="stopped answering"):
        RemoteScreen("127.0.0.1", port)


@pytest.mark.slow
def test_a_server_that_answers_no_look_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rfb, "_LIMIT_S", 0.5)
    with saying(hello()) as port:
        screen = RemoteScreen("127.0.0.1", port)
        try:
            with pytest.raises(DeviceLostError, match="did not answer"):
                screen.await_rest(0.1, 1.0)
        finally:
            screen.close()


@pytest.mark.slow
def test_a_picture_of_something_else_is_no_answer() -> None:
    told: list[str] = []
    returned = Event()

    def play(client: socket.socket) -> None:
        for kind, body in heard(client):
            if kind == 3 and not body[0] and told == []:  # the whole screen, at the start
                told.append("first")
                client.sendall(CORNER)
            elif kind == 3 and not body[0]:
                client.sendall(update((9, 9, 1, 1, RAW, bytes(4))))  # it changed just then
                returned.wait(0.5)
                told.append("answered")
                client.sendall(CORNER)

    with saying(hello(), then=play) as port:
        screen = RemoteScreen("127.0.0.1", port)
        try:
            screen.await_answer()
            returned.set()
            assert told == ["first", "answered"]
        finally:
            screen.close()


@pytest.mark.parametrize(
    "action", [PressKey(key="enter"), Hotkey(keys=("ctrl", "a")), TypeText(text="a\u4e00"),
               Tap(at=Point(0.5, 0.5))],
    ids=lambda action: action.type,
)  # fmt: skip
@pytest.mark.slow_but_one
def test_an_action_is_done_when_the_server_has_read_it(action: Action) -> None:
    read: list[int] = []
    returned = Event()

    def play(client: socket.socket) -> None:
        for kind, body in heard(client):
            if kind in (4, 5):
                returned.wait(0.2)  # it is slow, as a server on a busy machine is
                read.append(kind)
            elif kind == 3 and not body[0]:
                client.sendall(CORNER)

    with saying(hello(), then=play) as port, open_vnc(f"vnc://127.0.0.1:{port}") as far:
        far.perform(action)
        count = len(read)
        returned.set()
        far.observe()
        assert len(read) == count


def test_a_text_of_theirs_that_comes_late_is_not_sent_for_ours() -> None:
    theirs = zlib.compress(struct.pack(">I", 7) + b"theirs\0")
    sent: Queue[bytes] = Queue()

    def play(client: socket.socket) -> None:
        for kind, body in heard(client):
            if kind == 3 and not body[0]:  # all of a place, which an answer must follow
                client.sendall(CORNER)
            if kind == 6:
                sent.put(body)
                if rfb_clipboard.read_action(int.from_bytes(body[:4], "big")) == "notify":
                    client.sendall(provided(theirs) + about_clipboard(REQUEST | TEXT))

    caps = about_clipboard(CAPS | REQUEST | PEEK | NOTIFY | PROVIDE | TEXT, bytes(4))
    with saying(hello(), caps, about_clipboard(PEEK), then=play) as port:
        screen = RemoteScreen("127.0.0.1", port)
        try:
            screen.set_clipboard("ours")
            assert screen.await_taken(60.0)
            flags, packed = [], b""
            for _ in range(4):
                body = sent.get(timeout=60.0)
                flags.append(int.from_bytes(body[:4], "big"))
                packed = body[4:]
            assert flags[1:] == [NOTIFY, NOTIFY | TEXT, PROVIDE | TEXT]  # nothing, then a text
            assert rfb_clipboard.read_text(packed) == "ours"
            assert screen.clipboard() == "theirs"
        finally:
            screen.close()


@pytest.mark.slow
def test_a_screen_that_never_rests_ends_a_wait_at_its_limit() -> None:
    frames = [
        update((0, 0, 64, 48, RAW, bytes([number % 256]) * 64 * 48 * 4)) for number in range(3000)
    ]

    def play(client: socket.socket) -> None:
        for frame in frames:
            client.sendall(frame)
            time.sleep(0.002)

    with saying(hello(), then=play) as port:
        screen = RemoteScreen("127.0.0.1", port)
        try:
            assert not screen.await_rest(0.5, 1.0)
        finally:
            screen.close()
