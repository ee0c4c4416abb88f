"""A server of scrcpy for the phone on the wire: its screen as H.264, encoded by PyAV.

Speaks the protocol of scrcpy 4 (https://github.com/Genymobile/scrcpy/blob/v4.0/doc/develop.md):
video and control over one socket, in this order; a session before each stream, the decoder's
parameters in a packet of their own. It looks for a change ten times a second. Of control messages
it knows the one that asks for a key picture.
"""

import asyncio
import struct
import time
import zipfile
from collections.abc import Sequence
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from tapwright_adb_simulator.connection import Stream

if TYPE_CHECKING:
    from av.video.codeccontext import VideoCodecContext

    from tapwright_adb_simulator.shell import System

__all__ = ["ScrcpyServer", "UnknownOption", "version_of", "write_jar"]

_SESSION, _CONFIG, _KEY = 1 << 63, 1 << 62, 1 << 61
_RESET_VIDEO = 17
_LOOK_S = 0.1
_KNOWN = {
    "scid": "", "max_size": "0", "log_level": "info", "audio": "true",
    "clipboard_autosync": "true", "tunnel_forward": "false", "send_dummy_byte": "true",
    "send_device_meta": "true",
}  # fmt: skip
_NEEDED = {
    "audio": "false", "tunnel_forward": "true", "send_dummy_byte": "false",
    "send_device_meta": "false", "clipboard_autosync": "false",
}  # fmt: skip


class UnknownOption(Exception):  # noqa: N818 - an answer to the client
    """The server knows no such option, or not this value of it."""


def write_jar(path: Path, version: str = "4.1") -> Path:
    """Write what passes for scrcpy's server of a version, here and on the phone on the wire."""
    manifest = struct.pack("<H", len(version)) + version.encode("utf-16-le") + b"\0\0"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("AndroidManifest.xml", b"\3\0\x08\0" + manifest)
        archive.writestr("classes.dex", b"dex\n035\0")
    return path


def version_of(jar: bytes) -> str:
    """The version that a jar of `write_jar` is of; "" for any other file."""
    try:
        with zipfile.ZipFile(BytesIO(jar)) as archive:
            return archive.read("AndroidManifest.xml")[6:-2].decode("utf-16-le")
    except (KeyError, ValueError, zipfile.BadZipFile):
        return ""


class ScrcpyServer:
    """One run of the server, with its options as "name=value".

    Raises:
        UnknownOption: it has no such option, or only other values of it.
    """

    def __init__(self, system: "System", options: Sequence[str]) -> None:
        given = dict(option.partition("=")[::2] for option in options)
        settings = {**_KNOWN, **given}
        for name, value in settings.items():
            if name not in _KNOWN or _NEEDED.get(name, value) != value:
                raise UnknownOption(f"{name}={value} is not known here")
        self._system = system
        self._max_side = int(settings["max_size"])
        self.name = f"localabstract:scrcpy_{settings['scid']}"
        self._taken = 0
        self._controlled = asyncio.Event()
        self._renewed = True
        self._streams: list[Stream] = []

    async def serve(self, stream: Stream) -> None:
        """The video for who comes first, the control for who comes next."""
        self._streams.append(stream)
        self._taken += 1
        if self._taken == 1:
            if await stream.until_gone(self._controlled.wait()):
                await self._show(stream)
        elif self._taken == 2:
            self._controlled.set()
            while data := await stream.read():
                self._renewed = self._renewed or _RESET_VIDEO in data

    def end(self) -> None:
        """Close both."""
        for stream in self._streams:
            stream.end()

    async def _show(self, stream: Stream) -> None:
        await stream.write(b"h264")
        encoder: _Encoder | None = None
        last: Image.Image | bytes | None = None
        while not stream.gone.is_set():
            seen = await self._system.run(self._system.handset.picture)
            if self._renewed or seen != last:
                last = seen if isinstance(seen, Image.Image | bytes) else None
                picture = await asyncio.to_thread(_shrunk, last, self._max_side)
                if self._renewed or encoder is None or encoder.size != picture.size:
                    self._renewed = False
                    encoder = _Encoder(picture.size)
                    await stream.write(encoder.begun())
                await stream.write(await asyncio.to_thread(encoder.packets, picture))
            await stream.until_gone(asyncio.sleep(_LOOK_S))


class _Encoder:
    """x264 without delay: each picture gives a packet at once."""

    def __init__(self, size: tuple[int, int]) -> None:
        import av

        self._av = av
        self.size = size
        encoder: VideoCodecContext = av.CodecContext.create("libx264", "w")
        encoder.width, encoder.height, encoder.pix_fmt = *size, "yuv420p"
        encoder.time_base = Fraction(1, 1_000_000)
        encoder.options = {"preset": "ultrafast", "tune": "zerolatency", "crf": "18"}
        encoder.flags |= av.codec.context.Flags.global_header
        encoder.open()
        self._encoder = encoder

    def begun(self) -> bytes:
        """The session, and what a decoder must know first."""
        head = bytes(self._encoder.extradata or b"")
        return struct.pack(">III", 1 << 31, *self.size) + _packet(head, _CONFIG)

    def packets(self, picture: Image.Image) -> bytes:
        """A picture as it is sent."""
        frame = self._av.VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]
        frame.pts = time_us = time.monotonic_ns() // 1000
        return b"".join(
            _packet(bytes(one), time_us | (_KEY if one.is_keyframe else 0))
            for one in self._encoder.encode(frame)
        )


def _packet(data: bytes, marks: int) -> bytes:
    return struct.pack(">QI", marks, len(data)) + data


def _shrunk(seen: Image.Image | bytes | None, max_side: int) -> Image.Image:
    """With even sides, as video has them, none longer than `max_side` unless that is 0."""
    image = seen if isinstance(seen, Image.Image) else Image.open(BytesIO(seen or b""))
    scale = min(1.0, max_side / max(image.size)) if max_side else 1.0
    width, height = (max(2, int(side * scale) // 2 * 2) for side in image.size)
    return image.convert("RGB").resize((width, height))
