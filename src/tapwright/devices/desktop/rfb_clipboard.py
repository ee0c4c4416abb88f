"""Texts of a far clipboard in UTF-8: the extended clipboard of RFB servers that have it.

https://github.com/rfbproto/rfbproto/blob/bbafa39/rfbproto.rst, "Extended Clipboard": one side says
that there is a text, the other asks for it when it is pasted, and only then it is sent. A message
is a clipboard's of the older kind whose length is negative.
"""

import struct
import zlib

from tapwright.devices.errors import VncServerError

__all__ = [
    "EXTENDED", "MAX_TEXT", "MAX_UNPACKED", "ask", "offer", "offer_nothing", "read_action",
    "read_text", "send",
]  # fmt: skip

EXTENDED = 0xC0A1E5CE - (1 << 32)
"""The encoding by which a client says that it understands these messages."""
MAX_TEXT = 1_000_000
MAX_UNPACKED = 4 * MAX_TEXT
_TEXT = 1
_ACTIONS = {
    "caps": 1 << 24, "request": 1 << 25, "peek": 1 << 26, "notify": 1 << 27, "provide": 1 << 28,
}  # fmt: skip


def read_action(flags: int) -> str:
    """What a message with these flags does; "" if it is about no text.

    It is "caps", "request", "peek", "notify" or "provide".
    """
    kind = next((name for name, bit in _ACTIONS.items() if flags & bit), "")
    return kind if kind in {"caps", "peek"} or flags & _TEXT else ""


def ask() -> bytes:
    """Ask for the text that the other side has told of."""
    return _message(_ACTIONS["request"] | _TEXT)


def offer(*, first: bool = False) -> bytes:
    """Tell that there is a text; `first` tells what is understood, and that is told once.

    Nothing is taken unasked, so that no text comes that nobody wants.
    """
    if first:
        return _message(sum(_ACTIONS.values()) | _TEXT, struct.pack(">I", 0))
    return _message(_ACTIONS["notify"] | _TEXT)


def offer_nothing() -> bytes:
    """Tell that there is no text."""
    return _message(_ACTIONS["notify"])


def send(text: str) -> bytes:
    """The text itself; its lines end as the protocol has them."""
    data = text.replace("\r\n", "\n").replace("\n", "\r\n").encode("utf-8", "replace") + b"\0"
    packed = zlib.compress(struct.pack(">I", len(data)) + data)
    return _message(_ACTIONS["provide"] | _TEXT, packed)


def read_text(packed: bytes) -> str:
    """The text that was sent.

    Raises:
        VncServerError: it is broken, or unpacks to more than `MAX_UNPACKED` bytes.
    """
    try:
        data = zlib.decompressobj().decompress(packed, MAX_UNPACKED + 1)
    except zlib.error as error:
        raise VncServerError(f"the server's clipboard is broken zlib data: {error}") from error
    size = int.from_bytes(data[:4], "big")
    if len(data) > MAX_UNPACKED or size > MAX_UNPACKED:
        raise VncServerError(f"the server's clipboard has more than {MAX_UNPACKED:,} bytes")
    if len(data) < 4 + size:
        raise VncServerError("the server's clipboard is shorter than it says")
    text = data[4 : 4 + size].partition(b"\0")[0].decode("utf-8", "replace")
    return text.replace("\r\n", "\n")


def _message(flags: int, body: bytes = b"") -> bytes:
    return struct.pack(">BxxxiI", 6, -(4 + len(body)), flags) + body
