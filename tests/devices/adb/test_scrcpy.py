"""The live picture. No scrcpy server is here, so PyAV makes its stream, and a zip file its jar."""

import io
import socket
import struct
import zipfile
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.geometry import Size
from tapwright.devices.adb.scrcpy import (
    Packet,
    VideoSession,
    VideoStream,
    jar_version,
    read_stream,
)
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.errors import LiveStreamError
from tapwright.errors import DeviceLostError
from tests.devices.adb.conftest import OKAY, Pretended


def session(width: int, height: int) -> bytes:
    return struct.pack(">III", 1 << 31, width, height)


def packet(data: bytes, time_us: int = 0, *, key: bool = False, config: bool = False) -> bytes:
    return struct.pack(">QI", time_us | key << 61 | config << 62, len(data)) + data


def read_from(data: bytes):  # type: ignore[no-untyped-def]
    stream = io.BytesIO(data)

    def read(count: int) -> bytes:
        got = stream.read(count)
        if len(got) < count:
            raise DeviceLostError("the stream ended")
        return got

    return read


def filmed(colours: list[int]) -> bytes:
    """A stream of one plain picture for each shade of grey, as a phone's encoder makes it."""
    encoder = av.CodecContext.create("libx264", "w")
    encoder.width, encoder.height, encoder.pix_fmt = 64, 128, "yuv420p"
    encoder.framerate = Fraction(30)
    encoder.options = {"preset": "ultrafast", "tune": "zerolatency"}
    stream = b"h264" + session(64, 128)
    frames = [np.full((128, 64, 3), shade, dtype=np.uint8) for shade in colours]
    made = [av.VideoFrame.from_ndarray(frame, format="rgb24") for frame in frames]
    for number, frame in enumerate([*made, None]):
        for one in encoder.encode(frame):
            stream += packet(bytes(one), number * 33_333, key=one.is_keyframe)
    return stream


def test_a_stream_is_read_and_decodes_to_what_was_filmed() -> None:
    shades, decoder = [10, 200, 90], av.CodecContext.create("h264", "r")
    stream = filmed(shades)
    read = read_stream(read_from(stream), serial="X1")
    assert next(read) == VideoSession(Size(64, 128))
    pieces = [piece for _, piece in zip(shades, read, strict=False) if isinstance(piece, Packet)]
    assert [piece.key for piece in pieces] == [True, False, False]
    frames = [
        frame
        for data in [*(piece.data for piece in pieces), None]
        for frame in decoder.decode(None if data is None else av.Packet(data))
    ]
    seen = [int(frame.to_ndarray(format="rgb24").mean()) for frame in frames]
    assert seen == pytest.approx(shades, abs=4)
    with pytest.raises(DeviceLostError):
        next(read)


@given(st.binary(max_size=60))
def test_garbage_ends_in_a_named_error(data: bytes) -> None:
    for start in (b"", b"h264", b"h264" + session(2, 2)):
        with pytest.raises((LiveStreamError, DeviceLostError)):
            list(read_stream(read_from(start + data), serial="X1"))


@pytest.mark.parametrize(
    "data",
    [
        b"h265",
        b"h264" + session(0, 9),
        b"h264" + packet(b""),
        b"h264" + struct.pack(">QI", 0, 1 << 31),
    ],
)
def test_what_is_no_h264_of_scrcpy_is_told(data: bytes) -> None:
    with pytest.raises(LiveStreamError):
        list(read_stream(read_from(data + bytes(99)), serial="X1"))


def jar(folder: Path, name: str = "scrcpy-server-v4.1", version: str = "4.1") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        text = struct.pack("<H", len(version)) + version.encode("utf-16-le") + b"\0\0"
        archive.writestr("AndroidManifest.xml", b"\3\0\x08\0" + text)
        archive.writestr("classes.dex", b"dex\n035\0")
    return path


def test_a_jar_is_of_the_version_that_it_says(tmp_path: Path) -> None:
    assert jar_version(jar(tmp_path)) == "4.1"
    assert jar_version(jar(tmp_path, "scrcpy-server-v4.0.1.jar", "4.0.1")) == "4.0.1"
    with pytest.raises(LiveStreamError, match="another version"):
        jar_version(jar(tmp_path, "scrcpy-server-v4.2"))
    with pytest.raises(LiveStreamError, match="not named after"):
        jar_version(jar(tmp_path, "scrcpy-server-v3.1", "3.1"))
    (tmp_path / "scrcpy-server-v4.3").write_bytes(b"no zip")
    with pytest.raises(LiveStreamError, match="not a scrcpy server"):
        jar_version(tmp_path / "scrcpy-server-v4.3")


def test_the_server_is_copied_started_and_listened_to(pretended: Pretended, tmp_path: Path) -> None:
    def take(client: socket.socket) -> None:
        client.sendall(OKAY)
        got = b""
        while b"DONE" not in got[-8:]:
            got += client.recv(65536)
        client.sendall(b"OKAY\0\0\0\0")

    def run(client: socket.socket) -> None:
        client.sendall(OKAY)
        client.recv(1)

    def show(client: socket.socket) -> None:
        client.sendall(OKAY + filmed([1, 2]))
        client.recv(1)

    pretended.answers["host:transport:X1"] = OKAY
    pretended.answers["sync"] = take
    pretended.answers["exec"] = run
    pretended.answers["localabstract"] = show
    seen = []
    with VideoStream(PhoneShell(pretended.client, "X1"), jar(tmp_path)) as live:
        for event in live:
            seen.append(event)
            if len(seen) == 3:
                live.close()
    assert [type(event) for event in seen] == [VideoSession, Packet, Packet]
    with VideoStream(PhoneShell(pretended.client, "X1"), jar(tmp_path)) as live:
        time_s, picture = next(live.frames())
    assert (time_s, picture.size) == (0.0, (64, 128))
    started, _ = [one for one in pretended.asked if one.startswith("exec:")]
    assert " com.genymobile.scrcpy.Server 4.1 scid=" in started
