"""A phone's screen as it moves: H.264 from scrcpy's server, which its user brings along.

Follows the protocol of scrcpy 4 (https://github.com/Genymobile/scrcpy/blob/v4.0/doc/develop.md),
which changes with each major version; the server refuses any other version than its own. Only the
video is asked for, and now and then a key picture: touches go the way that they always go.
"""

import re
import secrets
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Self, TypeAlias

from PIL import Image

from tapwright.devices.adb.connection import AdbConnection, Deadline
from tapwright.devices.adb.shell import MAX_OUTPUT, PhoneShell
from tapwright.devices.errors import LiveStreamError
from tapwright.errors import DeviceError, DeviceLostError, MissingExtraError
from tapwright.geometry import Size

__all__ = ["Packet", "VideoSession", "VideoStream", "jar_version", "read_stream"]

_JAR = "/data/local/tmp/tapwright-scrcpy.jar"
_NAME = re.compile(r"scrcpy-server(?:-v|-)?(?P<version>4\.\d+(?:\.\d+)?)(?:\.jar)?", re.ASCII)
_HEAD = struct.Struct(">QI")
_SESSION, _CONFIG, _KEY = 1 << 63, 1 << 62, 1 << 61
_RESET_VIDEO = b"\x11"
_UP_S = 8.0
_LOOK_AGAIN_S = 0.1


@dataclass(frozen=True, slots=True)
class VideoSession:
    """From here on the pictures have this size, as the phone is turned now."""

    size: Size


@dataclass(frozen=True, slots=True)
class Packet:
    """A piece of H.264 in Annex B: a picture, or with `config` what a decoder must know first.

    `time_s` counts from some moment of the phone's; a `key` picture needs none before it.
    """

    data: bytes
    time_s: float
    key: bool
    config: bool


Event: TypeAlias = VideoSession | Packet


def jar_version(jar: Path) -> str:
    """The version of a scrcpy server, as its file is called and its manifest says.

    Raises:
        LiveStreamError: it is none, is of another major version, or is called after another one.
    """
    name = _NAME.fullmatch(jar.name)
    if name is None:
        raise LiveStreamError(
            f"{jar.name} is not called after a version of scrcpy 4",
            hint="keep the name of the release: scrcpy-server-v4.1",
        )
    try:
        with zipfile.ZipFile(jar) as archive:
            manifest = archive.read("AndroidManifest.xml")
            archive.getinfo("classes.dex")
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise LiveStreamError(
            f"{jar} is no scrcpy server: {error}",
            hint="it is a file of https://github.com/Genymobile/scrcpy/releases",
        ) from error
    version = name["version"]
    # A binary manifest counts its characters before them, in one of two encodings.
    narrow = bytes([len(version)]) * 2 + version.encode() + b"\0"
    wide = struct.pack("<H", len(version)) + version.encode("utf-16-le") + b"\0\0"
    if narrow not in manifest and wide not in manifest:
        raise LiveStreamError(
            f"{jar.name} says in its manifest that it is of another version than {version}",
            hint="download it again, and keep its name",
        )
    return version


def read_stream(read: Callable[[int], bytes], *, who: str) -> Iterator[Event]:
    """What a scrcpy server sends; `read` gives exactly as many bytes as it is asked for.

    Raises:
        LiveStreamError: it is not H.264 in scrcpy 4's framing.
        DeviceLostError: from `read`, when the stream ends.
    """
    codec = read(4)
    if codec != b"h264":
        raise LiveStreamError(f"{who}: the stream is {codec!r}; expected h264")
    while True:
        marks, length = _HEAD.unpack(read(_HEAD.size))
        if marks & _SESSION:
            width, height = marks & 0xFFFFFFFF, length
            if not (0 < width <= 16384 and 0 < height <= 16384):
                raise LiveStreamError(f"{who}: a picture of {width}x{height}")
            yield VideoSession(Size(width, height))
            continue
        if not 0 < length <= MAX_OUTPUT:
            raise LiveStreamError(f"{who}: a picture of {length:,} bytes")
        yield Packet(
            data=read(length),
            time_s=(marks & (_KEY - 1)) / 1_000_000,
            key=bool(marks & _KEY),
            config=bool(marks & _CONFIG),
        )


class VideoStream:
    """The moving screen of a phone, at most `max_side` pixels long; iterate over it once.

    Raises:
        LiveStreamError: the jar is no scrcpy server of version 4, or does not start.
        DeviceError: the phone cannot be reached.
    """

    def __init__(self, shell: PhoneShell, jar: Path, *, max_side: int = 1280) -> None:
        version = jar_version(jar)
        shell.push(jar, _JAR)
        self.who = shell.serial
        self._closed = False
        name = f"{secrets.randbits(31):08x}"
        self._program = shell.stream(
            "env", f"CLASSPATH={_JAR}", "app_process", "/", "com.genymobile.scrcpy.Server", version,
            f"scid={name}", "log_level=warn", "audio=false",
            "clipboard_autosync=false",
            "tunnel_forward=true", "send_dummy_byte=false", "send_device_meta=false",
            f"max_size={max_side}",
            deadline=Deadline(_UP_S),
        )  # fmt: skip
        try:
            self._video = self._reached(shell, f"localabstract:scrcpy_{name}")
            try:
                self._control = self._reached(shell, f"localabstract:scrcpy_{name}")
            except BaseException:
                self._video.close()
                raise
        except BaseException:
            self._program.close()
            raise

    def __iter__(self) -> Iterator[Event]:
        """Sessions and packets as they come, until `close`."""
        try:
            yield from read_stream(self._video.read, who=self.who)
        except DeviceLostError:
            if not self._closed:
                raise

    def pictures(self) -> Iterator[tuple[float, Image.Image]]:
        """Each picture with its time in seconds since the first, decoded, until `close`.

        Raises:
            MissingExtraError: PyAV is not installed.
            LiveStreamError: what comes cannot be decoded.
        """
        try:
            import av
        except ImportError as error:
            raise MissingExtraError("the live picture", "video") from error
        decoder = av.CodecContext.create("h264", "r")
        begun_s: float | None = None
        for event in self:
            if isinstance(event, VideoSession):
                continue
            try:
                frames = decoder.decode(av.Packet(event.data))
            except av.error.FFmpegError as error:
                raise LiveStreamError(f"{self.who}: no H.264 that decodes: {error}") from error
            begun_s = event.time_s if begun_s is None and not event.config else begun_s
            for frame in frames:
                picture: Image.Image = frame.to_image()  # type: ignore[no-untyped-call]
                yield event.time_s - (begun_s or 0.0), picture

    def renew(self) -> None:
        """Have the phone begin the stream anew, with a session and a key picture; from any thread.

        Raises:
            DeviceLostError: the stream has ended.
        """
        self._control.send(_RESET_VIDEO)

    def close(self) -> None:
        """End the stream; from any thread."""
        self._closed = True
        self._control.hang_up()
        self._video.hang_up()
        self._program.hang_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
        self._control.close()
        self._video.close()
        self._program.close()

    def _reached(self, shell: PhoneShell, service: str) -> AdbConnection:
        deadline = Deadline(_UP_S)
        while True:
            try:
                connection = shell.client.open(shell.serial, service, Deadline(_UP_S))
            except DeviceError as error:
                if deadline.left():
                    sleep(_LOOK_AGAIN_S)
                    continue
                raise LiveStreamError(
                    f"{self.who}: scrcpy's server does not start: {error}",
                    hint="try the jar with scrcpy itself; without it screenshots are taken",
                ) from error
            # The screen may stand still for hours.
            connection.deadline = None
            return connection
