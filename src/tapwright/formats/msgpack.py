"""MessagePack of what JSON can say (https://github.com/msgpack/msgpack/blob/master/spec.md).

Bytes and the types of extensions, which JSON has not, are refused.
"""

import struct
from collections.abc import Iterator

from pydantic import JsonValue

from tapwright.formats.errors import ForeignDataError

__all__ = ["pack", "unpack"]

_DEEPEST = 200
_NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_LENGTHS = {
    0xD9: ("text", ">B"), 0xDA: ("text", ">H"), 0xDB: ("text", ">I"),
    0xDC: ("list", ">H"), 0xDD: ("list", ">I"), 0xDE: ("map", ">H"), 0xDF: ("map", ">I"),
}  # fmt: skip


def pack(value: JsonValue) -> bytes:
    """The value in MessagePack; half an emoji, which it has not, as its escape."""
    return b"".join(_pack(value))


def unpack(data: bytes, where: str) -> JsonValue:
    """The one value in `data`.

    Raises:
        ForeignDataError: it is cut off, goes on after its end, is too deep, or is no value of JSON.
    """
    reader = _Reader(data)
    try:
        value = reader.read(0)
    except (struct.error, UnicodeDecodeError) as error:
        raise ForeignDataError(f"{where}: broken MessagePack: {error}") from error
    except ForeignDataError as error:
        raise ForeignDataError(f"{where}: {error}") from error
    if reader.at != len(data):
        raise ForeignDataError(f"{where}: MessagePack goes on after its end")
    return value


def _pack(value: JsonValue) -> Iterator[bytes]:
    match value:
        case None:
            yield b"\xc0"
        case bool():
            yield b"\xc3" if value else b"\xc2"
        case int():
            yield struct.pack(">Bq", 0xD3, value)
        case float():
            yield struct.pack(">Bd", 0xCB, value)
        case str():
            text = value.encode("utf-8", "backslashreplace")
            yield struct.pack(">BI", 0xDB, len(text)) + text
        case list():
            yield struct.pack(">BI", 0xDD, len(value))
            for one in value:
                yield from _pack(one)
        case dict():
            yield struct.pack(">BI", 0xDF, len(value))
            for name, one in value.items():
                yield from _pack(name)
                yield from _pack(one)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def read(self, depth: int) -> JsonValue:
        if depth > _DEEPEST:
            raise ForeignDataError(f"MessagePack is more than {_DEEPEST} deep")
        kind = int(self._number(">B"))
        if kind < 0x80:
            return kind
        if kind >= 0xE0:
            return kind - 0x100
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind < 0xC0:
            form = "map" if kind < 0x90 else "list" if kind < 0xA0 else "text"
            length = kind & (0x1F if form == "text" else 0x0F)
        elif kind in _LENGTHS:
            form, size = _LENGTHS[kind]
            length = int(self._number(size))
        else:
            raise ForeignDataError(f"MessagePack of a kind that JSON has not: {kind:#x}")
        if length > len(self._data) - self.at:
            raise ForeignDataError("MessagePack is cut off")
        if form == "text":
            self.at += length
            return self._data[self.at - length : self.at].decode()
        if form == "list":
            return [self.read(depth + 1) for _ in range(length)]
        return {str(self.read(depth + 1)): self.read(depth + 1) for _ in range(length)}

    def _number(self, form: str) -> int | float:
        found: tuple[int | float] = struct.unpack_from(form, self._data, self.at)
        self.at += struct.calcsize(form)
        return found[0]
