"""Live video of a phone's screen: H.264 from scrcpy's server, which the user provides.

Follows the protocol of scrcpy 4 (https://github.com/Genymobile/scrcpy/blob/v4.0/doc/develop.md),
which changes with each major version; the server refuses any other version than its own. Only
the video is requested, and key frames now and then: touches go through `input` as always.
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

from tapwright.core.geometry import Size
from tapwright.devices.adb.connection import AdbConnection, Deadline
from tapwright.devices.adb.shell import MAX_OUTPUT, PhoneShell
from tapwright.devices.errors import LiveStreamError
from tapwright.errors import DeviceError, DeviceLostError, MissingExtraError

__all__ = ["Packet", "VideoSession", "VideoStream", "jar_version", "read_stream"]

_JAR = "/data/local/tmp/tapwright-scrcpy.jar"
_NAME = re.compile(r"scrcpy-server(?:-v|-)?(?P<version>4\.\d+(?:\.\d+)?)(?:\.jar)?", re.ASCII)
_HEAD = struct.Struct(">QI")
_SESSION, _CONFIG, _KEY = 1 << 63, 1 << 62, 1 << 61
_RESET_VIDEO = b"\x11"
_UP_S = 8.0
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class VideoSession:
    """The size of the frames that follow, as the phone is rotated now."""

    size: Size


@dataclass(frozen=True, slots=True)
class Packet:
    """A piece of H.264 in Annex B: a frame, or with `config` the decoder's configuration.

    `time_s` is on the phone's clock; a `key` frame needs none before it.
    """

    data: bytes
    time_s: float
    key: bool
    config: bool


Event: TypeAlias = VideoSession | Packet


def jar_version(jar: Path) -> str:
    """The version of a scrcpy server, by its file name and its manifest.

    Raises:
        LiveStreamError: it is not one, of another major version, or named after another one.
    """
    name = _NAME.fullmatch(jar.name)
    if name is None:
        raise LiveStreamError(
            f"{jar.name} is not named after a version of scrcpy 4",
            hint="keep the name of the release: scrcpy-server-v4.1",
        )
    try:
        with zipfile.ZipFile(jar) as archive:
            manifest = archive.read("AndroidManifest.xml")
            archive.getinfo("classes.dex")
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise LiveStreamError(
            f"{jar} is not a scrcpy server: {error}",
            hint="it is a file of https://github.com/Genymobile/scrcpy/releases",
        ) from error
    version = name["version"]
    # A binary manifest counts its characters before them, in one of two encodings.
    narrow = bytes([len(version)]) * 2 + version.encode() + b"\0"
    wide = struct.pack("<H", len(version)) + version.encode("utf-16-le") + b"\0\0"
    if narrow not in manifest and wide not in manifest:
        raise LiveStreamError(
            f"{jar.name} is of another version than {version} by its manifest",
            hint="download it again, and keep its name",
        )
    return version


def read_stream(read: Callable[[int], bytes], *, serial: str) -> Iterator[Event]:
    """Read the stream of a scrcpy server; `read(n)` returns exactly n bytes.

    Raises:
        LiveStreamError: it is not H.264 in scrcpy 4's framing.
        DeviceLostError: from `read`, when the stream ends.
    """
    codec = read(4)
    if codec != b"h264":
        raise LiveStreamError(f"{serial}: the stream is {codec!r}; expected h264")
    while True:
        flags, length = _HEAD.unpack(read(_HEAD.size))
        if flags & _SESSION:
            width, height = flags & 0xFFFFFFFF, length
            if not (0 < width <= 16384 and 0 < height <= 16384):
                raise LiveStreamError(f"{serial}: a frame of {width}x{height}")
            yield VideoSession(Size(width, height))
            continue
        if not 0 < length <= MAX_OUTPUT:
            raise LiveStreamError(f"{serial}: a frame of {length:,} bytes")
        yield Packet(
            data=read(length),
            time_s=(flags & (_KEY - 1)) / 1_000_000,
            key=bool(flags & _KEY),
            config=bool(flags & _CONFIG),
        )


class VideoStream:
    """The live video of a phone, at most `max_side` pixels a side; iterate over it once.

    Raises:
        LiveStreamError: the jar is not a scrcpy server of version 4, or does not start.
        DeviceError: the phone cannot be reached.
    """

    def __init__(self, shell: PhoneShell, jar: Path, *, max_side: int = 1280) -> None:
        version = jar_version(jar)
        shell.push(jar, _JAR)
        self.serial = shell.serial
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
            self._video = self._connect(shell, f"localabstract:scrcpy_{name}")
            try:
                self._control = self._connect(shell, f"localabstract:scrcpy_{name}")
            except BaseException:
                self._video.close()
                raise
        except BaseException:
            self._program.close()
            raise

    def __iter__(self) -> Iterator[Event]:
        """Sessions and packets as they come, until `close`."""
        try:
            yield from read_stream(self._video.read, serial=self.serial)
        except DeviceLostError:
            if not self._closed:
                raise

    def frames(self) -> Iterator[tuple[float, Image.Image]]:
        """Decode each frame; yields it with its time in seconds since the first, until `close`.

        Raises:
            MissingExtraError: PyAV is not installed.
            LiveStreamError: the stream cannot be decoded.
        """
        try:
            import av
        except ImportError as error:
            raise MissingExtraError("the live picture", "video") from error
        decoder = av.CodecContext.create("h264", "r")
        start_s: float | None = None
        for event in self:
            if isinstance(event, VideoSession):
                continue
            try:
                frames = decoder.decode(av.Packet(event.data))
            except av.error.FFmpegError as error:
                raise LiveStreamError(f"{self.serial}: no H.264 that decodes: {error}") from error
            start_s = event.time_s if start_s is None and not event.config else start_s
            for frame in frames:
                picture: Image.Image = frame.to_image()  # type: ignore[no-untyped-call]
                yield event.time_s - (start_s or 0.0), picture

    def renew(self) -> None:
        """Restart the stream with a session and a key frame; from any thread.

        Raises:
            DeviceLostError: the stream has ended.
        """
        self._control.send(_RESET_VIDEO)

    def close(self) -> None:
        """End the stream; from any thread."""
        self._closed = True
        self._control.shutdown()
        self._video.shutdown()
        self._program.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
        self._control.close()
        self._video.close()
        self._program.close()

    def _connect(self, shell: PhoneShell, service: str) -> AdbConnection:
        deadline = Deadline(_UP_S)
        while True:
            try:
                connection = shell.client.open(shell.serial, service, Deadline(_UP_S))
            except DeviceError as error:
                if deadline.left():
                    sleep(_POLL_S)
                    continue
                raise LiveStreamError(
                    f"{self.serial}: scrcpy's server does not start: {error}",
                    hint="try the jar with scrcpy itself; without it screenshots are taken",
                ) from error
            # The screen may stand still for hours.
            connection.deadline = None
            return connection
