"""A client of a screen elsewhere, by the Remote Framebuffer Protocol (RFB, "VNC") 3.3 to 3.8.

https://www.rfc-editor.org/rfc/rfc6143. The libraries on PyPI wait without limits and take any
length that a server names; this one reads in a thread, each wait has an end, and what is too large
is refused.
"""

import select
import socket
import struct
import time
from contextlib import suppress
from threading import Condition, Lock, Thread

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, modes

from tapwright.core.geometry import Size
from tapwright.devices.desktop import rfb_clipboard as clipboards
from tapwright.devices.desktop.rfb_pixels import DESKTOP_SIZE, ENCODINGS, Canvas
from tapwright.devices.errors import VncServerError
from tapwright.errors import DeviceLostError

__all__ = ["RemoteScreen"]

_LIMIT_S = 10.0
_MAX_TEXT = clipboards.MAX_TEXT
_IDENTITY = 0xFFFE0003 - (1 << 32)
_NONE, _PASSWORD = 1, 2
_FORMAT = struct.pack(">4B3H3B3x", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
_ALL, _CHANGES = 0, 1
_CORNER = (0, 0, 1, 1)


class RemoteScreen:
    """The screen of a server, as it was last told; `name` is what the server calls it.

    Used from one thread at a time, `picture` from any. `password` is for servers that ask for one.

    Raises:
        VncServerError: nothing there speaks RFB, or it does not let us in.
    """

    def __init__(self, host: str, port: int, *, password: str = "") -> None:
        self.address = f"{host}:{port}"
        self._change = Condition()
        self._error: Exception | None = None
        self._asked = True
        self._updated_s = time.monotonic()
        self._text = self._offered = ""
        self._extended = self._taken = False
        self._sending = Lock()
        self._server = ""
        try:
            self._socket = socket.create_connection((host, port), _LIMIT_S)
        except OSError as error:
            raise VncServerError(
                f"no VNC server can be reached at {self.address}: {error}",
                hint="a display :1 is port 5901; through ssh: ssh -L 5901:127.0.0.1:5901 HOST",
            ) from error
        self._until = time.monotonic() + _LIMIT_S
        try:
            self._begin(password)
        except BaseException:
            self._socket.close()
            raise
        self._reader = Thread(target=self._follow, name="vnc", daemon=True)
        self._reader.start()
        self._request(_ALL)

    @property
    def size(self) -> Size:
        """The screen's, which the server may change."""
        return self._canvas.size

    @property
    def is_libvncserver(self) -> bool:
        """Whether it says that it is made with LibVNCServer, as x11vnc is; it says so in time."""
        return "LibVNCServer" in self._server

    def picture(self) -> npt.NDArray[np.uint8]:
        """A copy of what the screen shows: height x width x (blue, green, red, unused).

        Raises:
            DeviceLostError: the server is gone.
        """
        with self._change:
            self._check()
            return self._canvas.pixels.copy()

    def await_rest(self, still_s: float, limit_s: float) -> bool:
        """Wait until nothing has changed for `still_s`; false when `limit_s` ended it.

        Raises:
            DeviceLostError: the server is gone, or answers nothing.
        """
        with self._change:
            self.await_answer()
            until = time.monotonic() + limit_s
            while True:
                self._check()
                now = time.monotonic()
                wait_s = min(self._updated_s + still_s, until) - now
                if wait_s <= 0:
                    return now >= self._updated_s + still_s
                self._change.wait(wait_s)

    def await_answer(self) -> None:
        """Wait until the server has read all that was sent.

        Raises:
            DeviceLostError: the server is gone, or answers nothing.
        """
        with self._change:
            self._await_corner()  # the first picture has it, and may still be on its way
            self._asked = True
            self._request(_ALL, _CORNER)  # what is alive answers this at once
            self._await_corner()

    def _await_corner(self) -> None:
        """Wait until the corner that was asked for is here: other pictures are no answer."""
        if not self._change.wait_for(lambda: not self._asked or self._error, _LIMIT_S):
            self._error = self._lost(f"it did not answer in {_LIMIT_S:g} s")
        self._check()

    def move(self, x: int, y: int, buttons: int) -> None:
        """The pointer is at a pixel, with the `buttons` pressed: bit 0 is the left one."""
        self._send(struct.pack(">BBHH", 5, buttons, x, y))

    def key(self, keysym: int, *, down: bool) -> None:
        """A key by the number of its character in X goes down, or up."""
        self._send(struct.pack(">BBxxI", 4, down, keysym))

    def clipboard(self) -> str:
        """The text that was last told of, by the server or by us; "" before."""
        with self._change:
            self._check()
            return self._text

    def has_extended_clipboard(self) -> bool:
        """Whether texts go there in UTF-8, when they are asked for; else in Latin-1, at once."""
        self.await_answer()
        # LibVNCServer 0.9.14 says that it has one also for x11vnc, which takes nothing of it.
        return self._extended and not self.is_libvncserver

    def set_clipboard(self, text: str) -> None:
        """Give the server a text.

        Raises:
            UnicodeEncodeError: it takes Latin-1 alone, or ASCII, and the text is not.
        """
        extended = self.has_extended_clipboard()
        # x11vnc hands the bytes out as UTF-8, whatever they are.
        data = b"" if extended else text.encode("ascii" if self.is_libvncserver else "latin-1")
        with self._change:
            self._text = self._offered = text
            self._taken = False
        if extended:
            self._send(clipboards.offer())
        else:
            self._send(struct.pack(">BxxxI", 6, len(data)) + data)

    def await_taken(self, limit_s: float) -> bool:
        """Wait until the server has asked for the text, for any program; false when it did not."""
        with self._change:
            self._change.wait_for(lambda: self._taken or self._error, limit_s)
            self._check()
            return self._taken

    def close(self) -> None:
        """End the connection; more than once is allowed."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._reader.join(_LIMIT_S)

    def _begin(self, password: str) -> None:
        version = self._read(12)
        if not version.startswith(b"RFB 003.") or not version[8:11].isdigit():
            raise VncServerError(f"{self.address} does not speak RFB: it says {version[:12]!r}")
        minor = int(version[8:11])
        minor = 8 if minor >= 8 else 7 if minor == 7 else 3
        self._send(b"RFB 003.%03d\n" % minor)
        if minor == 3:
            kind = self._number()
            kinds = bytes([kind]) if kind < 256 else b""
        else:
            kinds = self._read(self._read(1)[0])
        if not kinds or kinds == b"\0":
            raise VncServerError(f"{self.address} refuses: {self._reason()}")
        self._let_in(kinds, minor, password)
        self._send(b"\1")  # others may watch
        width, height, _, length = struct.unpack(">HH16sI", self._read(24))
        if length > _MAX_TEXT:
            raise VncServerError(f"{self.address} has a name of {length:,} bytes")
        self.name = self._read(length).decode("utf-8", "replace")
        self._canvas = Canvas(width, height)
        known = (*ENCODINGS, _IDENTITY, clipboards.EXTENDED)
        encodings = struct.pack(f">BxH{len(known)}i", 2, len(known), *known)
        self._send(struct.pack(">B3x", 0) + _FORMAT + encodings)

    def _let_in(self, kinds: bytes, minor: int, password: str) -> None:
        if _NONE in kinds and not password:
            kind = _NONE
        elif _PASSWORD in kinds:
            kind = _PASSWORD
        elif _NONE in kinds:
            kind = _NONE
        else:
            raise VncServerError(
                f"{self.address} lets nobody in by a VNC password or without one, only by "
                f"security type {', '.join(map(str, kinds))}",
                hint="start it with -SecurityTypes VncAuth, and reach it through ssh",
            )
        if minor > 3:
            self._send(bytes([kind]))
        if kind == _PASSWORD:
            if not password:
                raise VncServerError(
                    f"{self.address} asks for a password", hint="set TAPWRIGHT_VNC_PASSWORD"
                )
            self._send(_encrypt(password, self._read(16)))
        if (kind == _PASSWORD or minor == 8) and self._number():
            reason = self._reason() if minor == 8 else "wrong password"
            raise VncServerError(
                f"{self.address} does not let us in: {reason}",
                hint="its password is taken from TAPWRIGHT_VNC_PASSWORD",
            )

    def _reason(self) -> str:
        return self._read(min(self._number(), 1000)).decode("utf-8", "replace")

    def _number(self) -> int:
        return int.from_bytes(self._read(4), "big")

    def _read(self, count: int) -> bytes:
        """So many bytes, by the deadline of what is read; they are waited for, not more."""
        data = bytearray()
        while len(data) < count:
            left_s = max(self._until - time.monotonic(), 0)
            try:
                if not select.select([self._socket], [], [], left_s)[0]:
                    raise TimeoutError(f"nothing more came in {_LIMIT_S:g} s")
                part = self._socket.recv(min(count - len(data), 1 << 20))
            except (OSError, ValueError) as error:
                raise VncServerError(f"{self.address} stopped answering: {error}") from error
            if not part:
                raise VncServerError(f"{self.address} ended the connection")
            data += part
        return bytes(data)

    def _send(self, data: bytes) -> None:
        try:
            with self._sending:  # the reading thread answers
                self._socket.sendall(data)
        except OSError as error:
            raise self._lost(str(error)) from error

    def _request(self, kind: int, place: tuple[int, int, int, int] | None = None) -> None:
        whole = (0, 0, self.size.width, self.size.height)
        self._send(struct.pack(">BB4H", 3, kind, *(place or whole)))

    def _follow(self) -> None:
        """Read what the server tells until it ends."""
        try:
            while True:
                self._await_message()
                self._until = time.monotonic() + _LIMIT_S
                self._take(self._read(1)[0])
        except (VncServerError, DeviceLostError, OSError, ValueError) as error:
            with self._change:
                self._error = self._error or self._lost(str(error))
                self._change.notify_all()

    def _await_message(self) -> None:
        select.select([self._socket], [], [])  # where nothing happens, nothing is told
        if not self._socket.recv(1, socket.MSG_PEEK):
            raise VncServerError("it ended the connection")

    def _take(self, kind: int) -> None:
        match kind:
            case 0:
                _, count = struct.unpack(">BH", self._read(3))
                for _ in range(count):
                    self._until = time.monotonic() + _LIMIT_S
                    self._take_rectangle()
                with self._change:
                    self._change.notify_all()
                self._request(_CHANGES)
            case 1:
                _, _, count = struct.unpack(">BHH", self._read(5))
                self._read(6 * count)
            case 2:
                pass  # a bell
            case 3:
                length = struct.unpack(">3xi", self._read(7))[0]
                if abs(length) > _MAX_TEXT:
                    raise VncServerError(f"the server's clipboard has {abs(length):,} bytes")
                if length < 0:
                    self._take_clipboard(self._read(-length))
                else:
                    self._keep_text(self._read(length).decode("latin-1"))
            case _:
                raise VncServerError(f"the server sent the unknown message {kind}")

    def _take_clipboard(self, body: bytes) -> None:
        if len(body) < 4:
            raise VncServerError(f"the server sent {len(body)} bytes about its clipboard")
        match clipboards.read_action(int.from_bytes(body[:4], "big")):
            case "caps":
                self._extended = True
                self._send(clipboards.offer(first=True))
            case "notify":
                self._send(clipboards.ask())
            case "peek":
                self._send(clipboards.offer() if self._offered else clipboards.offer_nothing())
            case "request":
                self._send(clipboards.send(self._offered))  # `_text` may be theirs by now
                with self._change:
                    self._taken = True
                    self._change.notify_all()
            case "provide":
                self._keep_text(clipboards.read_text(body[4:]))

    def _keep_text(self, text: str) -> None:
        with self._change:
            self._text = text
            self._change.notify_all()

    def _take_rectangle(self) -> None:
        left, top, width, height, encoding = struct.unpack(">4Hi", self._read(12))
        if encoding == _IDENTITY:
            self._server = self._read(width).rstrip(b"\0").decode("utf-8", "replace")
            return
        if encoding == DESKTOP_SIZE:
            with self._change:
                self._canvas.resize(width, height)
                self._updated_s = time.monotonic()
            self._request(_ALL)
            return
        place = (left, top, width, height)
        drawn = self._canvas.read(place, encoding, self._read)
        with self._change:
            self._asked = self._asked and place[:2] != _CORNER[:2]
            if drawn is not None and self._canvas.draw(place, drawn):
                self._updated_s = time.monotonic()

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    def _lost(self, why: str) -> DeviceLostError:
        return DeviceLostError(f"the screen at {self.address} is gone: {why}")


def _encrypt(password: str, challenge: bytes) -> bytes:
    """The answer to a challenge: DES, its key the password with the bits of each byte reversed.

    Eight bytes are used of it, as the protocol has it.
    """
    key = password.encode("latin-1", "replace")[:8].ljust(8, b"\0")
    reversed_bits = bytes(int(f"{byte:08b}"[::-1], 2) for byte in key)
    cipher = Cipher(TripleDES(reversed_bits * 3), modes.ECB()).encryptor()  # noqa: S305
    return cipher.update(challenge) + cipher.finalize()
