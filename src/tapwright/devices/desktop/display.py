"""A screen in memory: Xvfb with a cookie of its own, on a free display, reached by no network.

Its pixels lie in a file that Xvfb maps (`-fbdir`), in the XWD format
(https://gitlab.freedesktop.org/xorg/proto/xorgproto, include/X11/XWDFile.h), so that a picture
costs no request.
"""

import mmap
import os
import secrets
import struct
import subprocess
import time
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tapwright.core.geometry import Size
from tapwright.devices.desktop.children import Children
from tapwright.devices.errors import DESKTOP_UNUSABLE
from tapwright.errors import DeviceLostError

__all__ = ["VirtualScreen", "encode_png"]

_START_S = 20.0
_HEADER = struct.Struct(">25I")
_COLOR_ENTRY = 12
_FAMILY_WILD = 0xFFFF


class VirtualScreen:
    """An Xvfb of `size` in `folder`, which is its own; it ends with the `children`.

    `name` is its address (":3"), `authority` the file with its cookie, `pid` its process.
    """

    def __init__(
        self, size: Size, *, programs: Mapping[str, Path], children: Children, folder: Path
    ) -> None:
        self.size = size
        self.authority = folder / "authority"
        self.log = folder / "xvfb.log"
        self._pixels = folder / "Xvfb_screen0"
        report = folder / "display"
        cookie = secrets.token_bytes(16)
        self.authority.touch(0o600)
        self.authority.write_bytes(_authority(cookie))
        self.pid = children.start(
            [
                str(programs["Xvfb"]), "-displayfd", "3", "-screen", "0", f"{size}x24",
                "-auth", str(self.authority), "-nolisten", "tcp",
                "-noreset", "-dpi", "96", "-fbdir", str(folder),
            ],
            environment={"PATH": os.defpath},
            folder=folder,
            log=self.log,
            report=report,
        )  # fmt: skip
        self.name = f":{self._number(report, children)}"
        # python-xlib reads no cookie but the user's; this lets in what runs as the same user.
        self._admit_user(programs["xhost"])
        self._open_pixels()

    def picture(self) -> npt.NDArray[np.uint8]:
        """A copy of what the screen shows: height x width x (blue, green, red, unused)."""
        return self._frame.copy()

    def _number(self, report: Path, children: Children) -> int:
        # Xvfb writes the number and the line's end apart.
        until = time.monotonic() + _START_S
        while time.monotonic() < until:
            text = report.read_bytes() if report.exists() else b""
            if text.endswith(b"\n"):
                return int(text)
            if children.status(self.pid) is not None:
                break
            time.sleep(0.005)
        lines = self.log.read_text("utf-8", "replace").split("\n") if self.log.exists() else []
        cause = next((line for line in reversed(lines) if line.strip()), "it printed nothing")
        raise DESKTOP_UNUSABLE(
            f"Xvfb did not start within {_START_S:g} s: {cause[:300]}",
            hint=f"run it by hand: Xvfb -displayfd 1 -screen 0 {self.size}x24",
        )

    def _admit_user(self, xhost: Path) -> None:
        try:
            done = subprocess.run(
                [str(xhost), f"+si:localuser:#{os.geteuid()}"],
                env={"DISPLAY": self.name, "XAUTHORITY": str(self.authority), "PATH": os.defpath},
                capture_output=True,
                timeout=_START_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DESKTOP_UNUSABLE(f"xhost did not run: {error}") from error
        if done.returncode:
            cause = done.stderr.decode("utf-8", "replace").strip()
            raise DESKTOP_UNUSABLE(f"xhost could not open the display {self.name}: {cause}")

    def _open_pixels(self) -> None:
        with self._pixels.open("rb") as file:
            pixels = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        fields = _HEADER.unpack_from(pixels)
        header_size, width, height, depth, stride = (fields[n] for n in (0, 4, 5, 11, 12))
        if (width, height, depth) != (self.size.width, self.size.height, 32):
            raise DeviceLostError(f"Xvfb's screen is {width}x{height} with {depth} bits a pixel")
        start = header_size + fields[19] * _COLOR_ENTRY
        rows = np.frombuffer(pixels, np.uint8, stride * height, start).reshape(height, stride)
        self._frame = rows[:, : width * 4].reshape(height, width, 4)


def encode_png(picture: npt.NDArray[np.uint8]) -> bytes:
    """A picture of `VirtualScreen`, of the shape (height, width, 4) with blue first, as PNG: no
    filters and little compression, in a tenth of the time that others take.
    """  # noqa: D205
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + width * 3), np.uint8)
    rows[:, 1:].reshape(height, width, 3)[:] = picture[:, :, 2::-1]
    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.data, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def _authority(cookie: bytes) -> bytes:
    """A file as xauth(1) writes it, with one cookie for every display."""
    fields = (b"", b"", b"MIT-MAGIC-COOKIE-1", cookie)
    return struct.pack(">H", _FAMILY_WILD) + b"".join(
        struct.pack(">H", len(field)) + field for field in fields
    )
