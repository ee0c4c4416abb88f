"""The messages that go over the wire between an adb server and a phone, as bytes.

Follows AOSP's description of the protocol, in words and structs, not in code:
https://android.googlesource.com/platform/packages/modules/adb/+/refs/tags/android-13.0.0_r1/protocol.txt
"""

import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = [
    "CHECKED_VERSION",
    "HEADER",
    "MAX_DATA",
    "UNCHECKED_VERSION",
    "AdbFrame",
    "BadFrame",
    "FrameCommand",
    "read_frame",
]

CHECKED_VERSION: Final = 0x01000000
"""Every payload comes with the sum of its bytes."""
UNCHECKED_VERSION: Final = 0x01000001
"""The sum is not looked at; TCP and USB have their own."""
MAX_DATA: Final = 1 << 20
"""The largest payload, in bytes, that adb and its phones agree on."""

HEADER: Final = struct.Struct("<4sIIIII")
"""FrameCommand, two arguments, length and sum of the payload, and the word's bits turned over."""

FrameCommand: TypeAlias = bytes
"""Four letters: CNXN, AUTH, OPEN, OKAY, WRTE or CLSE."""

_WORDS = frozenset({b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"WRTE", b"CLSE"})


class BadFrame(Exception):  # noqa: N818 - the peer's mistake, which never leaves the connection
    """What came is no message of the protocol."""


@dataclass(frozen=True, slots=True)
class AdbFrame:
    """One message: its word, two arguments (0 to 2**32 - 1) and its payload."""

    word: FrameCommand
    arg0: int
    arg1: int
    payload: bytes = b""

    def encode(self, *, checked: bool = True) -> bytes:
        """The message as it is sent; without the payload's sum when not `checked`."""
        total = sum(self.payload) & 0xFFFFFFFF if checked else 0
        magic = int.from_bytes(self.word, "little") ^ 0xFFFFFFFF
        return (
            HEADER.pack(self.word, self.arg0, self.arg1, len(self.payload), total, magic)
            + self.payload
        )


async def read_frame(
    read_exactly: Callable[[int], Awaitable[bytes]], *, max_data: int, checked: bool
) -> AdbFrame:
    """The next message; nothing is read of a payload that is longer than `max_data` bytes.

    Raises:
        BadFrame: the word or its check is wrong, or the payload too long or, if `checked`, changed.
    """
    header = await read_exactly(HEADER.size)
    word, arg0, arg1, length, total, magic = HEADER.unpack(header)
    if word not in _WORDS or magic != int.from_bytes(word, "little") ^ 0xFFFFFFFF:
        raise BadFrame(f"{header!r} is no header")
    if length > max_data:
        raise BadFrame(f"{word!r} announces {length} bytes; at most {max_data} are taken")
    payload = await read_exactly(length)
    if checked and sum(payload) & 0xFFFFFFFF != total:
        raise BadFrame(f"the payload of {word!r} does not add up")
    return AdbFrame(word, arg0, arg1, payload)
